#!/usr/bin/env python3
"""Fuzzes what reads strangers' text: libFuzzer's mutations, guided by the coverage of the Python code, with atheris.

    fuzz.py --seconds 180            # all targets, the time shared out; what continuous integration runs
    fuzz.py loop --seconds 3600 --seed 7 --corpus DIR
    fuzz.py loop --replay FILE       # once, without atheris

Each target runs in a process of its own, so that one that dies is seen. It needs the extra `fuzz`; atheris is there for
Linux alone. An input that fails is kept beside the corpus, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from fuzz.targets import CORPUS, TARGETS, Target  # noqa: E402

# How the time is shared out: the loop is what a stranger meets first.
SHARES = {"loop": 4}
MEMORY_MB = 2048
SLOWEST_S = 20
COUNT_EVERY_S = 1.0


def fuzz(target: Target, corpus: Path, seconds: int, seed: int) -> tuple[int, dict[str, int]]:
    """Runs one target in a child; returns its exit status and what it counted."""
    corpus.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="latrones-fuzz-") as folder:
        seeds, counts, words = Path(folder, "seeds"), Path(folder, "counts.json"), Path(folder, "words.dict")
        seeds.mkdir()
        for number, text in enumerate(target.seeds()):
            (seeds / str(number)).write_text(text, encoding="utf-8")
        words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.words), encoding="ascii")
        command = [
            sys.executable, __file__, "--child", target.name, str(counts), f"-max_total_time={seconds}",
            f"-seed={seed}", f"-max_len={target.longest}", "-len_control=0", f"-rss_limit_mb={MEMORY_MB}",
            f"-timeout={SLOWEST_S}", f"-artifact_prefix={corpus.parent}/failed-{target.name}-",
            "-print_final_stats=1", "-reload=0", "-reduce_inputs=0", f"-report_slow_units={SLOWEST_S}",
            str(corpus), str(seeds),
        ]  # fmt: skip
        if target.words:
            command.append(f"-dict={words}")
        if (CORPUS / target.name).is_dir():
            command.append(str(CORPUS / target.name))
        status = subprocess.run(command, cwd=ROOT).returncode
        counted = json.loads(counts.read_text()) if counts.exists() else {"inputs": 0, "lines": 0}
    return status, counted


def _escaped(word: str) -> str:
    return "".join(c if c.isalnum() else "".join(f"\\x{byte:02x}" for byte in c.encode()) for c in word)


def run_child(name: str, counts: Path, options: Sequence[str]) -> None:
    """What a child does; libFuzzer ends the process."""
    import atheris

    with atheris.instrument_imports(include=["latrones_uci"]):
        run = TARGETS[name].load()
    done = {"inputs": 0, "lines": 0}
    counted = [time.monotonic()]

    def once(data: bytes) -> None:
        done["lines"] += run(data)
        done["inputs"] += 1
        if time.monotonic() >= counted[-1] + COUNT_EVERY_S:
            counted[-1] = time.monotonic()
            counts.write_text(json.dumps(done))

    atheris.Setup([sys.argv[0], *options], once)
    atheris.Fuzz()


def replay(target: Target, paths: Sequence[Path]) -> None:
    """Runs inputs as they are, without a fuzzer: those of the regression corpus, or a failure to be looked at."""
    run = target.load()
    for path in paths or sorted((CORPUS / target.name).glob("*")):
        print(f"{target.name}: {path.name}", flush=True)
        print(f"    {run(path.read_bytes())} lines", flush=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fuzz what reads strangers' text, guided by coverage.")
    parser.add_argument("target", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; all if none is named")
    parser.add_argument("--seconds", type=int, default=60, help="for all targets together (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the mutations, not 0 (default: %(default)s)")
    parser.add_argument("--corpus", metavar="DIR", type=Path, help="keep the inputs found here, a folder a target")
    parser.add_argument(
        "--replay", metavar="FILE", type=Path, nargs="*",
        help="run these inputs of one target once, or without any all of the regression corpus",
    )  # fmt: skip
    arguments = parser.parse_args()
    if unknown := set(arguments.target) - set(TARGETS):
        parser.error(f"there is no target {', '.join(sorted(unknown))}")
    return arguments


def main() -> int:
    if sys.argv[1:2] == ["--child"]:
        run_child(sys.argv[2], Path(sys.argv[3]), sys.argv[4:])
        return 0
    arguments = parse_arguments()
    from latrones_uci import native  # not before a child could instrument what it imports

    there = [name for name in TARGETS if name != "binding" or native.is_compiled()]
    targets = [TARGETS[name] for name in arguments.target or there]
    if arguments.replay is not None:
        for target in targets:
            replay(target, [path.resolve() for path in arguments.replay])
        return 0
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed: pip install 'latrones-uci[fuzz]' (Linux only)", file=sys.stderr)
        return 2
    shares = sum(SHARES.get(target.name, 1) for target in targets)
    failed, summary = [], []
    with tempfile.TemporaryDirectory(prefix="latrones-corpus-") as temporary:
        folder = (arguments.corpus or Path(temporary)).resolve()
        for target in targets:
            seconds = max(1, arguments.seconds * SHARES.get(target.name, 1) // shares)
            begun = time.monotonic()
            status, counted = fuzz(target, folder / target.name, seconds, arguments.seed)
            took = time.monotonic() - begun
            summary.append(
                f"{target.name:<10} {counted['inputs']:>9} inputs {counted['lines']:>10} lines {took:>7.0f} s  "
                + (f"FAILED, exit status {status}" if status else "clean")
            )
            if status:
                failed.append(target.name)
                for path in sorted(folder.glob(f"failed-{target.name}-*")):
                    print(f"{path}: {path.read_bytes()!r}")
    print("\n".join(summary))
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    sys.exit(main())
