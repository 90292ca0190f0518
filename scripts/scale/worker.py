"""One measurement by one version of bdist, in a process that knows that version only.

    python worker.py FOLDER < TASK

FOLDER has the package of that version. An installation may redirect ``import bdist`` to the sources at hand,
whatever the path of modules says; so all finders of modules but Python's own are dropped first. TASK is a
line of JSON: the model file, the pair (null for all pairs), alpha, and either "naive" or the arguments of
`bdist.distance`. Only what all versions have is called. Prints a line of JSON.

What counts are the seconds from the chain in memory to the checked answer. Libraries are loaded before the
clock starts; a case that is over in half a second is repeated on a fresh copy of the chain, and the shortest
of three counts. Memory is the peak of the process, the reading of the file included.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

MOST_RUNS, BRIEF_SECONDS = 3, 0.5

Task = dict[str, Any]


def main(folder: str) -> None:
    """Measure and print."""
    task: Task = json.load(sys.stdin)
    sys.meta_path[:] = [finder for finder in sys.meta_path if isinstance(finder, type)]
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    sys.path.insert(0, folder)
    import bdist

    if Path(bdist.__file__).resolve().parents[1] != Path(folder).resolve():
        raise SystemExit(f"bdist is not the one of {folder}")
    began = time.perf_counter()
    chain = bdist.load(task["file"])
    reading = time.perf_counter() - began
    groups = [len(group) for group in chain.states_by_label.values()]
    found = {
        "states": len(chain),
        "pairs": sum(size * (size - 1) // 2 for size in groups),
        "read_seconds": reading,
        **(_naive if task["way"] == "naive" else _certified)(bdist, chain, task),
    }
    print(json.dumps({**found, "peak_memory": _peak_memory()}))


def _certified(bdist: Any, chain: Any, task: Task) -> dict[str, object]:
    arguments = {"alpha": task["alpha"], **task["arguments"]}

    def ask(chain: Any, pair: Any) -> list[Any]:
        if pair is not None:
            return [bdist.distance(chain, *pair, **arguments)]
        return list(bdist.distance_table(chain, **arguments).values())

    tiny = bdist.LabelledMarkovChain.from_rows({"x": ("x", {"x": 1}), "y": ("x", {"y": 1})})
    ask(tiny, None if task["pair"] is None else ("x", "y"))  # loads
    best, answers = _timed(lambda: ask(chain, task["pair"]))
    for _ in range(MOST_RUNS - 1):
        if best > BRIEF_SECONDS:
            break
        fresh = bdist.load(task["file"])
        seconds, others = _timed(lambda fresh=fresh: ask(fresh, task["pair"]))  # type: ignore[misc]
        if seconds < best:
            best, answers = seconds, others
    first = answers[0]
    brackets = [answer.bracket for answer in answers]
    return {
        "seconds": best,
        "solve_seconds": first.stats.get("seconds"),
        "check_seconds": first.stats.get("check_seconds"),
        "explored": first.stats.get("pairs"),
        "method": first.stats.get("method"),
        "certified": all(bracket.certified for bracket in brackets),
        "width": float(max(bracket.width for bracket in brackets)),
        "limit": first.limit,
        "bounds": [[float(bracket.lower.value), float(bracket.upper.value)] for bracket in brackets],
    }


def _naive(bdist: Any, chain: Any, task: Task) -> dict[str, object]:
    from bdist.cli.bench.naive import NaiveIteration

    iteration = NaiveIteration(chain, float(Fraction(task["alpha"])))
    seconds, values = _timed(iteration.solve)
    if task["pair"] is not None:
        wanted = sorted(chain.index(state) for state in task["pair"])
        values = values[[iteration.pairs.index((wanted[0], wanted[1]))]]
    bounds = [[value, value] for value in values.tolist()]
    method = f"{iteration.sweeps} sweeps, presolve {iteration.presolve}"
    return {"seconds": seconds, "method": method, "bounds": bounds}


def _timed(act: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = act()
    return time.perf_counter() - start, answer


def _peak_memory() -> int:
    """In bytes. On Linux ``ru_maxrss`` starts with what the starter held, so the system's own peak counts."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with suppress(OSError), open("/proc/self/status", encoding="ascii", errors="replace") as status:
        peak = next((int(line.split()[1]) for line in status if line.startswith("VmHWM:")), peak)
    return 1024 * peak


if __name__ == "__main__":
    main(*sys.argv[1:])
