"""Fuzz all code that reads untrusted text, by libFuzzer, guided by the coverage of the Python code through atheris.

    python3 tests/fuzz --seconds 180         # all targets, sharing the time; what continuous integration runs
    python3 tests/fuzz loop --seconds 3600 --seed 7 --corpus DIR
    python3 tests/fuzz loop --replay FILE    # once, without atheris

Each target runs in a process of its own, so that one that dies is seen. It needs the extra `fuzz`; atheris is available
for Linux only. An input that fails is kept beside the corpus, and the exit status is 1.
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

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from fuzz.targets import CORPUS, TARGETS, Target  # noqa: E402

SHARES = {"loop": 4}  # of the time; the loop is what untrusted text meets first
SLOWEST_S = 20
COUNT_EVERY_S = 1.0


def fuzz(target: Target, corpus: Path, seconds: int, seed: int) -> tuple[int, dict[str, int]]:
    """Run one target in a child; return its exit status, and its numbers of inputs and lines."""
    corpus.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="latrones-fuzz-") as folder:
        seeds, counts, words = Path(folder, "seeds"), Path(folder, "counts.json"), Path(folder, "words.dict")
        seeds.mkdir()
        for number, text in enumerate(target.seeds()):
            (seeds / str(number)).write_text(text, encoding="utf-8")
        escaped = ("".join(f"\\x{byte:02x}" for byte in word.encode()) for word in target.words)
        words.write_text("".join(f'"{word}"\n' for word in escaped), encoding="ascii")
        command = [
            sys.executable, __file__, "--child", target.name, str(counts), f"-max_total_time={seconds}",
            f"-seed={seed}", f"-max_len={target.longest}", "-len_control=0", "-rss_limit_mb=2048",
            f"-timeout={SLOWEST_S}", f"-artifact_prefix={corpus.parent}/failed-{target.name}-",
            "-print_final_stats=1", "-reload=0", "-reduce_inputs=0", f"-report_slow_units={SLOWEST_S}",
            str(corpus), str(seeds), *[f"-dict={words}"] * bool(target.words),
            *[str(CORPUS / target.name)] * (CORPUS / target.name).is_dir(),
        ]
        status = subprocess.run(command).returncode
        counted = json.loads(counts.read_text()) if counts.exists() else {"inputs": 0, "lines": 0}
    return status, counted


def run_child(name: str, counts: Path, options: Sequence[str]) -> None:
    """Fuzz in this process; libFuzzer ends it."""
    import atheris

    with atheris.instrument_imports(include=["latrones_uci"]):
        run = TARGETS[name].load()
    done, counted = {"inputs": 0, "lines": 0}, [time.monotonic()]

    def once(data: bytes) -> None:
        done["lines"] += run(data)
        done["inputs"] += 1
        if time.monotonic() >= counted[-1] + COUNT_EVERY_S:
            counted[-1] = time.monotonic()
            counts.write_text(json.dumps(done))

    atheris.Setup([sys.argv[0], *options], once)
    atheris.Fuzz()


def replay(target: Target, paths: Sequence[Path]) -> None:
    """Run inputs without a fuzzer: those of the regression corpus, or a failure to examine."""
    run = target.load()
    for path in paths or sorted((CORPUS / target.name).glob("*")):
        print(f"{target.name}: {path.name}", flush=True)
        print(f"    {run(path.read_bytes())} lines", flush=True)


def main() -> int:
    if sys.argv[1:2] == ["--child"]:
        run_child(sys.argv[2], Path(sys.argv[3]), sys.argv[4:])
        return 0
    parser = argparse.ArgumentParser(prog="fuzz", description="Fuzz all code that reads untrusted text.")
    add = parser.add_argument
    add("target", nargs="*", metavar="TARGET", help=f"any of {', '.join(TARGETS)} (default: all)")
    add("--seconds", type=int, default=60, help="for all targets together (default: %(default)s)")
    add("--seed", type=int, default=1, help="random seed of the mutations, not 0 (default: %(default)s)")
    add("--corpus", metavar="DIR", type=Path, help="keep the inputs found here, in a folder for each target")
    add("--replay", metavar="FILE", type=Path, nargs="*",
        help="run these inputs of one target once; without a file, all of the regression corpus")
    arguments = parser.parse_args()
    if unknown := set(arguments.target) - set(TARGETS):
        parser.error(f"unknown target {', '.join(sorted(unknown))}")
    from latrones_uci.engine import native  # not before a child could instrument what it imports

    there = [name for name in TARGETS if name != "binding" or native.is_compiled()]
    targets = [TARGETS[name] for name in arguments.target or there]
    if arguments.replay is not None:
        for target in targets:
            replay(target, arguments.replay)
        return 0
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed: run pip install --group fuzz (Linux only)", file=sys.stderr)
        return 2
    shares = sum(SHARES.get(target.name, 1) for target in targets)
    summary, failed = [], False
    with tempfile.TemporaryDirectory(prefix="latrones-corpus-") as temporary:
        folder = (arguments.corpus or Path(temporary)).resolve()
        for target in targets:
            seconds = max(1, arguments.seconds * SHARES.get(target.name, 1) // shares)
            begun = time.monotonic()
            status, counted = fuzz(target, folder / target.name, seconds, arguments.seed)
            summary.append(f"{target.name:<10} {counted['inputs']:>9} inputs {counted['lines']:>10} lines"
                           f" {time.monotonic() - begun:>7.0f} s  "
                           + (f"FAILED, exit status {status}" if status else "clean"))
            failed |= status != 0
            for path in sorted(folder.glob(f"failed-{target.name}-*")) if status else ():
                print(f"{path}: {path.read_bytes()!r}")
    print("\n".join(summary))
    return int(failed)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    sys.exit(main())
