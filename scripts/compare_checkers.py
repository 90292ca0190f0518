"""The verified checker and the one in Python, on changed certificates: they must give one verdict on each.

    python scripts/compare_checkers.py [COUNT]

takes COUNT (1,000) changes of each kind of all accepted test certificates of distances and of profiles: of
their structure, and of their numbers. A few hundred of them are in `tests/proofs`. Exit code 1 where the two
differ on any: then one of them is wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bdist import checker
from bdist.budget import Budget
from bdist.certificates.plain import plain_distances, plain_profile
from bdist.certificates.verified import accepts
from tests.certificates.hand_made import DISTANCES
from tests.certificates.test_mutations import all_changes
from tests.proofs.test_verified_profiles import documents

Check = Callable[[str, str], Any]


def verdict(check: Check, model: str, text: str) -> bool | None:
    """Whether the checker in Python accepts it; None where it never comes to a check."""
    try:
        check(model, text)
    except (checker.Malformed, checker.TooLarge):
        return None
    except checker.Rejected as rejected:
        return None if rejected.step == "model" else False
    return True


def main() -> int:
    """Compare, and print how many of each verdict there were."""
    parser = argparse.ArgumentParser(description="Compare the verified checker with the one in Python.")
    parser.add_argument("count", nargs="?", type=int, default=1000, help="changes of each kind")
    count, differ = parser.parse_args().count, 0
    of_distances = (
        (DISTANCES.model_of(path), json.loads(path.read_text(encoding="utf-8")))
        for path in DISTANCES.files("accepted")
    )
    asked = (
        ("distances", of_distances, checker.check, plain_distances),
        ("profiles", iter(documents()), checker.check_profile, plain_profile),
    )
    for name, subjects, check, plain in asked:
        every = [
            (kind, model, changed) for model, document in subjects for kind, changed in all_changes(document)
        ]
        for kind in ("structure", "number"):
            some = [(model, changed) for of, model, changed in every if of == kind]
            found: Counter[bool | None] = Counter()
            for model, changed in random.Random(22).sample(some, min(count, len(some))):  # noqa: S311
                text = json.dumps(changed)
                expected = verdict(check, model, text)
                found[expected] += 1
                if expected is not None and accepts(plain(model, text), Budget()) != expected:
                    differ += 1
                    print(f"the checkers differ; in Python {expected}:\n{model}\n{text}")
            print(
                f"{name}, {kind}: {found[True]} accepted, {found[False]} rejected, {found[None]} not checked",
                flush=True,
            )
    return 1 if differ else 0


if __name__ == "__main__":
    raise SystemExit(main())
