"""Checks of the options: what is declared, and whether it can be set."""

from latrones_uci.game import quoted
from latrones_uci.match.tools.compliance.client import Client
from latrones_uci.match.tools.compliance.faults import FaultError
from latrones_uci.match.tools.compliance.option_lines import OptionLineError, parse_strict_option
from latrones_uci.match.tools.compliance.verdicts import Check
from latrones_uci.match.tools.compliance.workbench import Workbench


def check_declarations(bench: Workbench) -> str:
    """Every ``option`` line is complete and agrees with itself."""
    with bench.own_client() as client:
        lines = _option_lines(bench, client)
    names = []
    for text in lines:
        try:
            names.append(parse_strict_option(text).name.lower())
        except OptionLineError as error:
            raise FaultError(f"{quoted(text)} {error}") from None
    for name in names:
        if names.count(name) > 1:
            raise FaultError(f"option {quoted(name)} is declared {names.count(name)} times")
    return f"{len(names)} options"


def check_game_option(bench: Workbench) -> str:
    """``UCI_Variant`` is declared and takes the game."""
    option = bench.options().get("uci_variant")
    if option is None:
        raise FaultError("no option UCI_Variant is declared")
    name = bench.subject.start.ruleset.name
    if option.kind != "combo":
        raise FaultError(f"UCI_Variant is declared as {option.kind}, not as combo")
    if bench.subject.variant_path is None and name not in option.choices:
        raise FaultError(f"UCI_Variant has no {quoted(name)}, only {', '.join(option.choices) or 'nothing'}")
    _set(bench.client(), "UCI_Variant", name)
    return f"{len(option.choices)} games"


def check_board_option(bench: Workbench) -> str:
    """``BoardSize`` is declared, and ``startpos`` is the start of the game on the board that it names."""
    if "boardsize" not in bench.options():
        raise FaultError("no option BoardSize is declared")
    client, start = bench.client(), bench.subject.start
    _set(client, "BoardSize", start.geometry.name)
    move = client.search("position startpos", "go depth 1").best_moves()[0].move
    if move == "0000":
        raise FaultError(f"finds no move in 'position startpos' on {start.geometry.name}")
    return f"startpos on {start.geometry.name}: {move}"


def check_settable(bench: Workbench) -> str:
    """What is declared can be set: each option to its default, each number also to its least."""
    client, count = bench.client(), 0
    for text in _option_lines(bench, client):
        try:
            option = parse_strict_option(text)
        except OptionLineError:
            continue  # another check is about that
        if option.name.lower() in map(str.lower, bench.subject.game_options()):
            continue
        if option.kind == "button":
            _set(client, option.name, None)
        for key in ("min", "default"):
            if key in option.values:
                _set(client, option.name, option.values[key])
                count += 1
    bench.discard()  # what the user set is set no more
    return f"{count} values"


def _option_lines(bench: Workbench, client: Client) -> list[str]:
    return [text for text in bench.greet(client).texts if text.split()[:1] == ["option"]]


def _set(client: Client, name: str, value: str | None) -> None:
    line = f"setoption name {name}" if value is None else f"setoption name {name} value {value}"
    if errors := client.answer(line).errors():
        raise FaultError(f"{quoted(line)} is refused: {errors[0]}")


CHECKS = (
    Check("options", "declares its options completely: type, default, bounds, choices", check_declarations),
    Check("game-option", "has an option UCI_Variant that takes the game", check_game_option),
    Check("board-option", "has an option BoardSize that sets the board of startpos", check_board_option),
    Check("settable", "takes the default, and of numbers the least, of each option", check_settable),
)
