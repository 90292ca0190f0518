"""The truncated geometric mechanism as a hidden Markov model, and what four observers know beforehand.

Fig. 1c of Liu, Wang and Zhang (Verifying Pufferfish privacy in hidden Markov models): a state for every true
count, which shows a noisy one and halts. `geometric` is the same mechanism as a chain. The scenarios are the
examples of the paper's section 4, for any number of people instead of two:

* ``neighbours`` (Example 4.2): counts that differ by 1, which is differential privacy; the loss is 1/ratio.
* ``contagious`` (Example 4.4): all people are ill, with probability p, or nobody is. John's secret, c or nc,
  decides between the extreme counts, and the loss is ratio^-largest, whatever p is.
* ``independent``: each of the people is ill with probability p by itself, and what is conditioned on is
  John's own entry. The others are the same mixture on both sides, and the loss is that of ``neighbours``.
* ``independent-as-printed`` (Example 4.5): the paper conditions on a count that is not 0, which is not what
  John's entry tells, and compares with no knowledge at all. The verdict happens to be the same.

Polynomials of degree ``largest`` are multiplied out, so counts are few.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.chains.families import RATIO, truncated_noise
from bdist.exact.epsilon import Epsilon
from bdist.family import Family, IntegerParameter
from bdist.pufferfish.families.hidden import Believed, Drawn, binomial, prior, put_together
from bdist.pufferfish.model import HiddenMarkovModel, Lengths, Neighbours, Scenario

LARGEST = IntegerParameter("largest", 2, "number of people; counts are 0 to this", least=1, most=30)


def hidden_geometric(largest: int = LARGEST.default, ratio: Fraction = RATIO.default) -> HiddenMarkovModel:
    """States count0 to count``largest``, observations out0 and so on, and four scenarios.

    Raises: ParameterError.
    """
    largest, ratio = LARGEST.read(largest), RATIO.read(ratio)
    counts, noise = range(largest + 1), truncated_noise(largest, ratio)
    states = [Drawn(f"count{i}", {f"out{j}": noise[i][j] for j in counts}) for i in counts]
    family = [Believed("1-p", "count0", ("nc",)), Believed("p", f"count{largest}", ("c",))]
    well = [(i, f"(1-p)*{binomial(i, largest - 1, 'p')}", ("nc",)) for i in counts[:-1]]
    ill = [(i, f"p*{binomial(i - 1, largest - 1, 'p')}", ("c",)) for i in counts[1:]]
    john = [Believed(formula, f"count{i}", secrets) for i, formula, secrets in (*well, *ill)]
    printed = [
        Believed(binomial(i, largest, "p"), f"count{i}", ("unknown", "not-zero") if i else ("unknown",))
        for i in counts
    ]
    epsilon, once = Epsilon(None, 1 / ratio), Lengths(1, 1)
    pairs = tuple(Neighbours(f"count{i}", f"count{i + 1}") for i in counts[:-1])
    scenarios = [Scenario("neighbours", pairs, epsilon=epsilon, lengths=once)]
    scenarios += [
        Scenario(name, (pair,), (prior(people, cases, states, ("p",)),), epsilon=epsilon, lengths=once)
        for name, pair, people, cases in (
            ("contagious", Neighbours("c", "nc"), "family", family),
            ("independent", Neighbours("c", "nc"), "people", john),
            ("independent-as-printed", Neighbours("unknown", "not-zero"), "people-as-printed", printed),
        )
    ]
    return put_together("hidden-geometric", states, scenarios, ("p",))


FAMILY = Family(
    "hidden-geometric",
    "truncated geometric mechanism with priors on who is ill: neighbours, contagious, independent",
    (LARGEST, RATIO),
    hidden_geometric,
)
