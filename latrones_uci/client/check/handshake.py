"""Checks of the handshake, the lines of a session, and options."""

from latrones_uci.client.check.engine import Checks, FaultError, Probe, Workbench
from latrones_uci.client.engine_rules import judge_line, option_problem
from latrones_uci.client.output import option_fields, parse_id_name
from latrones_uci.text.messages import counted, quoted
from latrones_uci.text.protocol import NO_MOVE

CHECKS = Checks()

# ---------------------------------------------------------------- the handshake and the lines of a session


@CHECKS.alone("silent-start", "prints nothing before the first command")
def _silent_start(bench: Workbench) -> str:
    with bench.own(ready=False) as engine:
        start_s = engine.greet().elapsed_ms / 1000
    with bench.own(ready=False) as engine:
        seconds = max(2 * start_s, bench.target.quiet_s)  # long enough for the engine to have started
        reply = engine.collect(seconds)
    if reply.lines:
        raise FaultError(f"prints {quoted(reply.texts[0])} before the first command")
    return f"silent for {seconds:.1f} s"


@CHECKS.alone("handshake", "answers the greeting, also a second one, with its name and uciok or ugiok")
def _handshake(bench: Workbench) -> str:
    with bench.own(ready=False) as engine:
        reply, again = engine.greet(), engine.greet()
    names = [name for text in reply.texts if (name := parse_id_name(text)) is not None]
    if len(names) != 1:
        raise FaultError(f"{len(names)} lines 'id name'; expected 1")
    return f"{names[0]}, {reply.elapsed_ms:.0f} ms; again {again.elapsed_ms:.0f} ms"


@CHECKS.alone("protocol-lines", "prints only lines of the protocol")
def _protocol_lines(bench: Workbench) -> str:
    with bench.own(ready=False) as engine:
        replies = [engine.greet(), engine.ready()]
        replies += [engine.answer(bench.target.dialect.new_game, bench.target.position)]
        replies += [engine.go("go depth 1"), engine.ready()]
    texts = [line.written for reply in replies for line in reply.lines]
    found = [offence for text in texts for offence in judge_line(text, bench.target.dialect)]
    if offences := [offence for offence in found if offence.rule != "bestmove-form"]:  # which has a check of its own
        raise FaultError(f"{counted(len(offences), 'violation')}; the first is {offences[0]}")
    return counted(len(texts), "line")


@CHECKS.shared("isready", "answers each isready with one readyok")
def _isready(engine: Probe) -> str:
    engine.send("isready", "isready", "isready")
    reply = engine.expect("readyok")
    engine.expect("readyok")
    engine.expect("readyok")
    if "readyok" in engine.collect(engine.target.quiet_s).texts:
        raise FaultError("more than one readyok for an isready")
    return f"{reply.elapsed_ms:.1f} ms"


@CHECKS.shared("line-ends", "ignores carriage returns, extra blanks and blank lines")
def _line_ends(engine: Probe) -> str:
    engine.send("", "   ", "isready\r")
    engine.expect("readyok")
    engine.send("\t isready  ")
    engine.expect("readyok")
    board, rest = engine.target.start.fen().split(" ", 1)
    engine.search("go \t depth  1 \r", f"  position   fen  {board}   {rest}\t\r")
    return "carriage returns, blanks, blank lines"


# ---------------------------------------------------------------- options


@CHECKS.alone("options", "declares its options completely: type, default, bounds, choices")
def _options(bench: Workbench) -> str:
    with bench.own(ready=False) as engine:
        lines = _option_lines(engine)
    names = []
    for text in lines:
        if problem := option_problem(text):
            raise FaultError(f"{quoted(text)} {problem}")
        names.append(option_fields(text)[0].lower())
    for name in names:
        if names.count(name) > 1:
            raise FaultError(f"option {quoted(name)} is declared {names.count(name)} times")
    return counted(len(names), "option")


@CHECKS.shared("game-option", "has an option UCI_Variant that accepts the variant")
def _game_option(engine: Probe) -> str:
    option = engine.options.get("uci_variant")
    if option is None:
        raise FaultError("no option UCI_Variant is declared")
    name, variant_set = engine.target.start.ruleset.name, engine.target.game_options().get("VariantSet")
    if option.kind != "combo":
        raise FaultError(f"UCI_Variant is declared as {option.kind}; expected combo")
    offers_set = variant_set is not None and "variantset" in engine.options
    if engine.target.variant_path is None and not offers_set and name not in option.choices:
        choices = ", ".join(option.choices) or "no choices"
        raise FaultError(f"UCI_Variant does not offer {quoted(name)}; it offers {choices}")
    if offers_set:
        _set(engine, "VariantSet", variant_set)
    _set(engine, "UCI_Variant", name)
    return counted(len(option.choices), "variant")


@CHECKS.shared("board-option", "has an option BoardSize that sets the board of startpos")
def _board_option(engine: Probe) -> str:
    if "boardsize" not in engine.options:
        raise FaultError("no option BoardSize is declared")
    board = engine.target.start.geometry.name
    _set(engine, "BoardSize", board)
    move = engine.search("go depth 1", "position startpos").best_moves()[0].move
    if move == NO_MOVE:
        raise FaultError(f"no move for 'position startpos' on {board}")
    return f"startpos on {board}: {move}"


@CHECKS.alone("settable", "accepts the default of each option, and the minimum of each number")
def _settable(bench: Workbench) -> str:
    count = 0
    with bench.own(ready=True) as engine:
        chosen = {name.lower() for name in bench.target.game_options()}
        for text in _option_lines(engine):
            name, fields = option_fields(text)
            if name.lower() in chosen or option_problem(text):  # the check `options` reports it
                continue
            values = dict(fields)
            if values["type"] == "button":
                _set(engine, name, None)
            for key in ("min", "default"):
                if key in values:
                    _set(engine, name, values[key])
                    count += 1
    return counted(count, "value")


def _option_lines(engine: Probe) -> list[str]:
    return [text for text in engine.greet().texts if text.split()[:1] == ["option"]]


def _set(engine: Probe, name: str, value: str | None) -> None:
    line = f"setoption name {name}" if value is None else f"setoption name {name} value {value}"
    if errors := engine.answer(line).errors():
        raise FaultError(f"rejects {quoted(line)}: {errors[0]}")
