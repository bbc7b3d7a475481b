"""Checks of the handshake, the lines of a session, and the options."""

from latrones_uci.check.line_checks import OptionLineError, parse_strict_option
from latrones_uci.check.raw_client import FaultError, RawClient
from latrones_uci.check.workbench import Check, Workbench
from latrones_uci.client.engine import render_position
from latrones_uci.client.engine_rules import judge_line
from latrones_uci.client.output import parse_id_name
from latrones_uci.game import counted, quoted


def check_silent_start(bench: Workbench) -> str:
    """Check that the engine prints nothing before the first command."""
    with bench.own_client() as client:
        start_s = bench.greet(client).elapsed_ms / 1000
    with bench.own_client() as client:
        seconds = max(2 * start_s, bench.target.quiet_s)  # long enough for the engine to have started
        reply = client.collect(seconds)
    if reply.lines:
        raise FaultError(f"prints {quoted(reply.texts[0])} before the first command")
    return f"silent for {seconds:.1f} s"


def check_handshake(bench: Workbench) -> str:
    """Check that the engine answers the greeting, also a second one, and has a name."""
    with bench.own_client() as client:
        reply = bench.greet(client)
        again = bench.greet(client)
    names = [name for text in reply.texts if (name := parse_id_name(text)) is not None]
    if len(names) != 1:
        raise FaultError(f"{len(names)} lines 'id name'; expected 1")
    return f"{names[0]}, {reply.elapsed_ms:.0f} ms; again {again.elapsed_ms:.0f} ms"


def check_protocol_lines(bench: Workbench) -> str:
    """Check that an ordinary session contains only lines of the protocol."""
    with bench.own_client() as client:
        texts = [*bench.greet(client).texts, *client.ready().texts]
        texts += client.answer(bench.target.dialect.new_game, render_position(bench.game)).texts
        texts += client.go("go depth 1").texts
        texts += client.ready().texts
    found = [offence for text in texts for offence in judge_line(text, bench.target.dialect)]
    if offences := [offence for offence in found if offence.rule != "bestmove-form"]:  # which has a check of its own
        raise FaultError(f"{counted(len(offences), 'violation')}; the first is {offences[0]}")
    return counted(len(texts), "line")


def check_isready(bench: Workbench) -> str:
    """Check that each ``isready`` is answered exactly once."""
    client = bench.client()
    client.send("isready", "isready", "isready")
    reply = client.expect("readyok")
    client.expect("readyok")
    client.expect("readyok")
    if "readyok" in client.collect(bench.target.quiet_s).texts:
        raise FaultError("more than one readyok for an isready")
    return f"{reply.elapsed_ms:.1f} ms"


def check_line_ends(bench: Workbench) -> str:
    """Check that the engine ignores carriage returns, extra blanks and blank lines."""
    client = bench.client()
    client.send("", "   ", "isready\r")
    client.expect("readyok")
    client.send("\t isready  ")
    client.expect("readyok")
    board, rest = bench.target.start.fen().split(" ", 1)
    client.search(f"  position   fen  {board}   {rest}\t\r", "go \t depth  1 \r")
    return "carriage returns, blanks, blank lines"


# ---------------------------------------------------------------- options


def check_declarations(bench: Workbench) -> str:
    """Check that every ``option`` line is complete and consistent."""
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
    return counted(len(names), "option")


def check_game_option(bench: Workbench) -> str:
    """Check that ``UCI_Variant`` is declared and accepts the variant."""
    option = bench.options().get("uci_variant")
    if option is None:
        raise FaultError("no option UCI_Variant is declared")
    name = bench.target.start.ruleset.name
    if option.kind != "combo":
        raise FaultError(f"UCI_Variant is declared as {option.kind}; expected combo")
    adds = bench.target.variant_path is not None or (
        "VariantSet" in bench.target.game_options() and "variantset" in bench.options())
    if not adds and name not in option.choices:
        choices = ", ".join(option.choices) or "no choices"
        raise FaultError(f"UCI_Variant does not offer {quoted(name)}; it offers {choices}")
    client = bench.client()
    if "variantset" in bench.options() and (chosen := bench.target.game_options().get("VariantSet")) is not None:
        _set(client, "VariantSet", chosen)
    _set(client, "UCI_Variant", name)
    return counted(len(option.choices), "variant")


def check_board_option(bench: Workbench) -> str:
    """Check that ``BoardSize`` is declared and determines the board of ``startpos``."""
    if "boardsize" not in bench.options():
        raise FaultError("no option BoardSize is declared")
    client, start = bench.client(), bench.target.start
    _set(client, "BoardSize", start.geometry.name)
    move = client.search("position startpos", "go depth 1").best_moves()[0].move
    if move == "0000":
        raise FaultError(f"no move for 'position startpos' on {start.geometry.name}")
    return f"startpos on {start.geometry.name}: {move}"


def check_settable(bench: Workbench) -> str:
    """Check that each option can be set to its default, and each number also to its minimum."""
    client, count = bench.client(), 0
    for text in _option_lines(bench, client):
        try:
            option = parse_strict_option(text)
        except OptionLineError:
            continue  # check_declarations reports it
        if option.name.lower() in map(str.lower, bench.target.game_options()):
            continue
        if option.kind == "button":
            _set(client, option.name, None)
        for key in ("min", "default"):
            if key in option.values:
                _set(client, option.name, option.values[key])
                count += 1
    bench.discard()  # because the options of the user are no longer set
    return counted(count, "value")


def _option_lines(bench: Workbench, client: RawClient) -> list[str]:
    return [text for text in bench.greet(client).texts if text.split()[:1] == ["option"]]


def _set(client: RawClient, name: str, value: str | None) -> None:
    line = f"setoption name {name}" if value is None else f"setoption name {name} value {value}"
    if errors := client.answer(line).errors():
        raise FaultError(f"rejects {quoted(line)}: {errors[0]}")


CHECKS = (
    Check("silent-start", "prints nothing before the first command", check_silent_start),
    Check("handshake", "answers the greeting, also a second one, with its name and uciok or ugiok", check_handshake),
    Check("protocol-lines", "prints only lines of the protocol", check_protocol_lines),
    Check("isready", "answers each isready with one readyok", check_isready),
    Check("line-ends", "ignores carriage returns, extra blanks and blank lines", check_line_ends),
    Check("options", "declares its options completely: type, default, bounds, choices", check_declarations),
    Check("game-option", "has an option UCI_Variant that accepts the variant", check_game_option),
    Check("board-option", "has an option BoardSize that sets the board of startpos", check_board_option),
    Check("settable", "accepts the default of each option, and the minimum of each number", check_settable),
)
