"""Feed every reader with inputs that coverage guides towards new code, and keep what breaks one.

    python scripts/fuzz_readers.py [--seconds N] [--reader NAME] [--crashes FOLDER] [--megabytes N]

The readers are those of tests/oracles/readers.py: the model formats of the registry, both readers of
``.lmc``, ``.dipa``, ``.hmm`` and ``.mdp`` against each other, decision processes of Storm and PRISM,
certificates by the checker, relations, attacks and numbers. Each begins with the valid inputs of instances/
and the certificates made by hand, and gets an equal share of the seconds, in a process of its own. A reader
may accept an input or refuse it in one line; any other exception, a hang of a minute or a peak of memory
beyond the limit is a crash. The input that caused it is written to the folder, and the command that repeats
it is printed. The exit code is 1 if there is one.

The fuzzer is atheris (libFuzzer for Python), which is no dependency of bdist: ``pip install atheris``. What
the Hypothesis test tests/text/test_bad_input.py does in seconds, this does for as long as it is let.
"""

from __future__ import annotations

import argparse
import gc
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType

sys.path.insert(0, str(Path(__file__).parents[1]))

INSTRUMENTED = ("bdist", "json", "fractions")
WORDS = "words.dict"
LONGEST_INPUT = 20_000
SLOWEST_INPUT = 60  # seconds
DICTIONARY = (
    *("lmc", "tlmc", "->", "NaN", "1e400", "1e-1000", "1/0", "99999999999999999999", "0.5", "1/3", "# "),
    *('\\"', "\\\\", "words", "f_rest", "g_rest", "partition", "claims", "upper", "lower", "split", "leaf"),
    *("forward", "backward", "bd", "ld", "lv", "tv", "trees", "nodes", "rank", "pair", "value", "alpha"),
    *("hmm", "parameter ", " in (0, 1)", "initial ", "scenario", "prior ", "pair ", "epsilon ln ", "length "),
    *("common", "covered", "closed", "bounds", "beyond", "layers", "growth", "toward", "below", "above"),
    *("state ", "action ", "@model", "@nr_states", "#DECLARATION", "#END", "init", "deadlock", "prefixes"),
    *("mdp", "actions ", "sink ", " * -> ", "@type: MDP", "@nr_choices", "__NOLABEL__"),
)


def main() -> int:
    """Fuzz one reader after the other; 1 if something was found, 2 without atheris."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=60, help="for all readers together")
    parser.add_argument("--reader", help="this one only")
    parser.add_argument("--crashes", type=Path, default=Path("fuzz-crashes"), help="where inputs are written")
    parser.add_argument("--megabytes", type=int, default=2048, help="the most memory that a reader may take")
    parser.add_argument("--replay", type=Path, help="read this one input, by the reader that is named")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)  # the folder of the inner process
    options = parser.parse_args()
    if options.inside is not None:
        return _fuzz(options)
    from tests.oracles.readers import all_readers

    readers = {reader.name: reader for reader in all_readers()}
    if options.reader is not None and options.reader not in readers:
        parser.error(f"there is no reader {options.reader}; there are {', '.join(readers)}")
    if options.replay is not None:
        if options.reader is None:
            parser.error("--replay needs --reader")
        print("accepted" if readers[options.reader].read(options.replay.read_bytes()) else "refused")
        return 0
    if find_spec("atheris") is None:
        print("atheris is not installed; it is the fuzzer that this program runs: pip install atheris")
        return 2
    chosen = [options.reader] if options.reader else [name for name in readers if not readers[name].slow]
    share = max(1, options.seconds // len(chosen))
    return max(_run(name, share, options, readers[name].seeds()) for name in chosen)


def _run(name: str, seconds: int, options: argparse.Namespace, seeds: list[bytes]) -> int:
    """Fuzz one reader in a process of its own, as libFuzzer ends the process that it runs in."""
    options.crashes.mkdir(parents=True, exist_ok=True)
    before = set(options.crashes.iterdir())
    with tempfile.TemporaryDirectory(prefix="bdist-fuzz-") as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        for number, seed in enumerate(seeds):
            (corpus / f"seed-{number}").write_bytes(seed)
        (Path(folder) / WORDS).write_text("".join(f"{_quoted(word)}\n" for word in DICTIONARY))
        command = [sys.executable, __file__, "--inside", folder, "--reader", name, "--seconds", str(seconds)]
        command += ["--crashes", str(options.crashes), "--megabytes", str(options.megabytes)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    found = sorted(set(options.crashes.iterdir()) - before)
    runs = [line for line in done.stderr.splitlines() if line.startswith("Done ")]
    print(f"{name}: {runs[-1] if runs else f'ended with exit code {done.returncode}'}", flush=True)
    if done.returncode == 0:
        if not any(options.crashes.iterdir()):
            options.crashes.rmdir()
        return 0
    print("\n".join([*done.stdout.splitlines()[-20:], *done.stderr.splitlines()[-10:]]))
    for path in found:
        print(f"  python scripts/fuzz_readers.py --reader {name} --replay {path}")
    return 1


def _quoted(word: str) -> str:
    """A word as libFuzzer's dictionaries have it."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _fuzz(options: argparse.Namespace) -> int:
    import atheris  # type: ignore[import-not-found, unused-ignore]

    from tests.oracles.readers import all_readers

    reader = next(reader for reader in all_readers() if reader.name == options.reader)
    # not by atheris.instrument_imports, which does not see through the import hook of an editable install
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and (function.__module__ or "").split(".")[0] in INSTRUMENTED:
            atheris.instrument_func(function)
    atheris.Setup(
        [
            *[sys.argv[0], f"{options.inside}/corpus", f"-max_total_time={options.seconds}"],
            *[f"-max_len={LONGEST_INPUT}", f"-timeout={SLOWEST_INPUT}", f"-rss_limit_mb={options.megabytes}"],
            *[
                f"-artifact_prefix={options.crashes}/{options.reader}-",
                f"-dict={options.inside}/{WORDS}",
                "-seed=1",
            ],
        ],
        reader.read,
    )
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
