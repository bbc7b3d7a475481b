"""The programs ``latrones-uci`` and ``latrones-match``.

Nothing is imported before ``main`` has chosen what Ctrl+C does. Without arguments, as most controllers start it,
``latrones-uci`` is the engine, and only what the engine needs is imported; ``command_line`` parses arguments and runs
subcommands.
"""

import sys

from latrones_uci.commands.early_interrupts import end_at_interrupts, raising_interrupts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Run ``latrones-uci`` and return the exit status.

    ``arguments`` are those without the program's name; None for those of the process. Then Ctrl+C ends the process at
    once, in silence and with status 130, until the engine or a subcommand handles it.
    """
    if arguments is None:
        end_at_interrupts()
    if _is_zipped():
        return 2
    if sys.argv[1:] if arguments is None else arguments:
        from latrones_uci.commands import command_line

        return command_line.main(arguments)

    from latrones_uci.commands.engine import serve_engine
    from latrones_uci.game import LatronesError

    try:
        raising_interrupts(serve_engine)
    except (LatronesError, OSError, MemoryError, KeyboardInterrupt) as error:
        from latrones_uci.commands import command_line

        return command_line.report_engine_error(error)
    return 0


def match_main(arguments: "Sequence[str] | None" = None) -> int:
    """Run ``latrones-match``: the subcommand ``match``, or another subcommand if one is named first."""
    if arguments is None:
        end_at_interrupts()
    if _is_zipped():
        return 2
    from latrones_uci.commands import command_line

    return command_line.main(arguments, command_line.MATCH_PROGRAM)


def _is_zipped() -> bool:
    """Return whether the package is in a zip file, and print that it does not run there: it reads files beside it."""
    zipped = __spec__ is not None and type(__spec__.loader).__name__ == "zipimporter"
    if zipped:
        print(f"{__name__.partition('.')[0].replace('_', '-')}: cannot run from a zip file; expected an installation"
              " by pip, or a checkout", file=sys.stderr)
    return zipped
