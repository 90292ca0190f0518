"""Families of programs: published mechanisms, right and wrong, with their numbers made parameters.

A family is what a paper's example becomes when its numbers are made parameters. To add one, write a
generator and name its `Family` in the table at the end; everything else reads that table, and `Family.make`
holds parameters to their ranges. A generator writes its program in the language itself, with arrays and
loops, so that what is here and what `bdist make` writes can be compared with the paper by eye. Lap(s, m) has
the density (s/2) e^(-s|x - m|), and scales are multiples of eps.

*Sparse vector*: which queries are above a threshold, and how it was got wrong. The threshold 0 gets noise,
every query gets noise of its own, and what is published is 1 for a query that is at least the threshold and 0
for one that is below, up to the c-th 1. Neighbours differ by at most 1 in every query. Lyu, Su and Li
(Understanding the sparse vector technique for differential privacy, 2017, Fig. 1) compare six published
versions, here with sensitivity 1 and T = 0; the number is that of their algorithm:

    program  threshold  queries            what is private
    svt      1/2        1/(4c)             eps
    svt2     1/(2c)     1/(4c)             eps; the threshold is drawn again after each 1
    svt3     1/2        1/(2c)             nothing: the noisy query is published in place of 1
    svt4     1/4        3/4                (1 + 6c)/4 eps
    svt5     1/2        no noise           nothing; no query is the last
    svt6     1/2        1/2                nothing; no query is the last

*Nothing* means for any number of queries: a program with few of them may be private for its eps. Barthe,
Chadha, Jagannath, Sistla and Viswanathan decide svt, svt2 and svt5 with three queries (their Table 1). What
svt3 publishes is a real number, of which the program here shows whether it is above 0: 1 if it is not, 2 if
it is. ``svt-discrete`` is svt with discrete Laplace noise, private for the same reason. ``sparse`` is svt2
with the noise for which advanced composition gives (1/2 eps, delta), whatever the number of queries: the
threshold has the scale eps/(2s) and queries have eps/(4s), with s^2 >= 32 c ln(1/delta) (Dwork and Roth, The
algorithmic foundations of differential privacy, 2014, section 3.6, with 1/2 eps for eps; s is rounded up to
an integer). Where few queries are above the threshold that is more noise than is needed.

*Report noisy max*: which query is the largest, if each gets noise? Four versions, as Ding, Wang, Wang, Zhang
and Kifer number them (Detecting violations of differential privacy, 2018), with noise of scale 1/2 eps and
neighbours that differ by at most 1 in every query. ``nmax1`` publishes the index of the largest, with Laplace
noise, ``nmax2`` with exponential noise, the absolute value of Laplace noise: both private for eps. ``nmax3``
and ``nmax4`` publish the largest noisy query itself, which is not private; the programs show the step of
-largest < ... < largest that it is in. Barthe and others find counterexamples with 3 queries for nmax3 and
with 1 for nmax4 (their Table 2).

*Randomised response*: bits that are told truly more often than not; neighbours differ in one bit. ``rand1``
tells each bit truly with odds e^eps : 1 and is private for eps, exactly. ``rand2`` tells the truth with a
probability that does not know of eps, so it is private only for eps >= ln(truth / (1 - truth)), which is ln 3
for three truths in four. ``leaky-response`` is rand1 on one bit that with probability ``leak`` tells the bit,
and that it is the bit: (eps, leak)-private, and not eps-private.

*Vertex cover*: ``vertex-cover`` publishes an order of the vertices of a graph whose edges are secret; every
edge is covered by the end that comes first. The i-th vertex is drawn in proportion to its degree in what is
left plus 4/eps sqrt(n / (n - i + 1)), where 4 times the root is rounded up to hundredths. Private for eps
(Gupta, Ligett, McSherry, Roth and Talwar, Differentially private combinatorial optimization, 2010). Inputs
are the edges; neighbours differ in one of them.

*Counts and sums*, one for each kind of noise that the language has:

* ``noisy-histogram``: counts with Laplace noise of scale c eps each; neighbours differ by 1 in total. Private
  for c eps. It publishes real numbers, of which the program shows the step of -largest < ... < largest.
* ``smart-sum``: all partial sums, from noisy sums of blocks and noisy single numbers (Chan, Shi and Song,
  Private and continual release of statistics, 2011). A number is in one block and is a single one at most
  once, so neighbours that differ by 1 in total cost 2 eps. Shown in steps, too.
* ``discrete-count``: a count with discrete Laplace noise of scale eps; private for eps.
* ``geometric-count``: the same noise by flipping coins in a ``while`` without a bound, on counts from 0 to
  largest, at whose ends it is cut off; private for eps.
* ``exponential-mechanism``: a value near a count, in proportion to e^(-eps/2 |v - q|); private for eps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from math import isqrt

from flint import arb, fmpq

from bdist.dipc.program import Program
from bdist.dipc.text import read
from bdist.exact.rationals import rational_text, to_fmpq
from bdist.family import Family, IntegerParameter, RationalParameter, by_name, family, make_named

_MOST = Fraction(10**6)

FACTOR = RationalParameter("factor", Fraction(1), "the t of the claim t*eps", below=_MOST)
QUERIES = IntegerParameter("queries", 3, "number of queries", least=1, most=50)
LARGEST = IntegerParameter("largest", 1, "inputs are the integers from -largest to largest", least=1, most=50)
LARGEST_COUNT = IntegerParameter("largest", 2, "counts are from 0 to largest", least=1, most=50)
COUNT = IntegerParameter(
    "count", 1, "c, the number of queries above the threshold that end it", least=1, most=50
)
ASKED = (QUERIES, LARGEST, FACTOR)
ABOVE = (QUERIES, COUNT, LARGEST, FACTOR)
AGAIN = (QUERIES, replace(COUNT, default=2), LARGEST, FACTOR)
BITS = IntegerParameter("bits", 2, "number of bits", least=1, most=16)
TRUTH = RationalParameter("truth", Fraction(3, 4), "probability of the true answer", above=Fraction(1, 2))
DELTA = RationalParameter("delta", Fraction(1, 100), "the delta of the claim", below=Fraction(1))
VERTICES = IntegerParameter("vertices", 3, "number of vertices", least=2, most=6)
LEAK = RationalParameter("leak", Fraction(1, 100), "probability that the bit is leaked")
BINS = IntegerParameter("bins", 2, "number of counts", least=1, most=20)
SCALE = RationalParameter(
    "scale", Fraction(1), "coefficient c of the scale c*eps of the noise of a count", below=_MOST
)
NUMBERS = IntegerParameter("numbers", 3, "number of numbers to sum", least=1, most=20)
BLOCK = IntegerParameter("block", 2, "length of a block", least=1, most=20)


def _program(
    name: str, domain: str, inputs: str, outputs: str, claim: Fraction | str, body: str, norm: str = "linf"
) -> Program:
    """A program for all positive epsilon whose neighbours are at most 1 apart."""
    claimed = claim if isinstance(claim, str) else _times_eps(claim)
    return read(
        f"program {name}; domain {{{domain}}}; input {inputs}; output {outputs}; adjacent {norm} 1; "
        f"claim {claimed};\n{body}",
        "",
    )


def _times_eps(value: Fraction) -> str:
    return "eps" if value == 1 else f"{rational_text(value)}*eps"


def _around_zero(largest: int) -> str:
    return f"{-largest} .. {largest}"


def _discretised(variables: Iterable[str], largest: int) -> str:
    """Outputs that show the step of -largest < ... < largest in which a number is."""
    steps = " < ".join(map(str, range(-largest, largest + 1)))
    return ", ".join(f"disc({variable}, {steps})" for variable in variables)


# --- sparse vector ---


# With N queries, 0 everywhere against 1 everywhere gives N - 1 zeros and 1 with the ratio e^(N eps / 2) in
# svt3, as then all N noisy queries are at most 0.
_OF_SIGN = "if r[i] <= 0 { o[i] := 1; } else { o[i] := 2; } exit;"
_SPARSE_VECTOR = (  # noise with its scales, of the threshold and of queries; what is done for one above it
    ("svt", ABOVE, "Lap", "1/2", "1/4c", "", ": queries that are above a noisy threshold; private for eps"),
    (
        "svt2",
        AGAIN,
        "Lap",
        "1/2c",
        "1/4c",
        "",
        " with a new threshold after each query above it; private for eps",
    ),
    ("svt3", ASKED, "Lap", "1/2", "1/2", _OF_SIGN, " that publishes the noisy query itself; not private"),
    ("svt4", ABOVE, "Lap", "1/4", "3/4", "", " with too little noise; private for (1 + 6 count)/4 eps only"),
    ("svt5", ASKED, "Lap", "1/2", "", "o[i] := 1;", " without noise on the queries; not private"),
    ("svt6", ASKED, "Lap", "1/2", "1/2", "o[i] := 1;", " that never ends early; not private"),
    ("svt-discrete", ABOVE, "DLap", "1/2", "1/4c", "", " with discrete Laplace noise; private for eps"),
)


def _sparse_vector(name: str, noise: str, threshold: str, query: str, above: str) -> Callable[..., Program]:
    """A scale that ends in c is divided by the count; a threshold with such a scale is for one query above
    it, and drawn again. Unless it is said what is done for a query above it, it is published, and the c-th
    ends the run.
    """

    def make(queries: int, count: int, largest: int, factor: Fraction) -> Program:
        def drawn(target: str, scale: str, mean: str) -> str:
            value = Fraction(scale.rstrip("c")) / (count if scale.endswith("c") else 1)
            return f"{target} ~ {noise}({_times_eps(value)}, {mean});"

        start = drawn("rT", threshold, "0")
        if count == 1:
            counted = "o[i] := 1; exit;"
        else:
            again = start if threshold.endswith("c") else ""
            counted = f"o[i] := 1; count := count + 1; if count >= {count} {{ exit; }} {again}"
        body = f"""
        for i in 1..{queries} {{
          o[i] := 0;
        }}
        {"count := 0;" if count > 1 else ""}
        {start}
        for i in 1..{queries} {{
          {drawn("r[i]", query, "q[i]") if query else ""}
          if {"r" if query else "q"}[i] >= rT {{
            {above or counted}
          }}
        }}"""
        written, domain = name.replace("-", "_"), _around_zero(largest)
        return _program(written, domain, f"q[{queries}]", f"o[{queries}]", factor, body)

    def uncounted(queries: int, largest: int, factor: Fraction) -> Program:
        return make(queries, 1, largest, factor)

    return uncounted if above else make


@family(
    "sparse",
    "sparse vector with the noise of advanced composition; private for (1/2 eps, delta)",
    *(QUERIES, COUNT, DELTA, LARGEST, replace(FACTOR, default=Fraction(1, 2))),
)
def sparse(queries: int, count: int, delta: Fraction, largest: int, factor: Fraction) -> Program:
    """Sparse of Dwork and Roth; (1/2 eps, delta)-private."""
    root = 1
    while not arb(fmpq(root * root, 32 * count)).exp() * to_fmpq(delta) > 1:
        root += 1
    threshold, query = (f"Lap({_times_eps(Fraction(1, part * root))}, " for part in (2, 4))
    body = f"""
    for i in 1..{queries} {{
      o[i] := 0;
    }}
    count := 0;
    rT ~ {threshold}0);
    for i in 1..{queries} {{
      r[i] ~ {query}q[i]);
      if r[i] >= rT {{
        o[i] := 1;
        count := count + 1;
        if count >= {count} {{
          exit;
        }}
        rT ~ {threshold}0);
      }}
    }}"""
    claim = f"{_times_eps(factor)}, delta {rational_text(delta)}"
    return _program("sparse", _around_zero(largest), f"q[{queries}]", f"o[{queries}]", claim, body)


# --- report noisy max ---

_LAPLACE = "r[i] ~ Lap(1/2*eps, q[i]);"
_EXPONENTIAL = "z ~ Lap(1/2*eps, 0); if z >= 0 { r[i] := q[i] + z; } else { r[i] := q[i] - z; }"
# With N queries, -1 everywhere against 0 everywhere shows at most -1 with the ratio e^(N eps / 2) in nmax3.
_NOISY_MAX = (  # and whether the index is shown
    ("nmax1", _LAPLACE, True, "the index of the largest query, with Laplace noise; private for eps"),
    ("nmax2", _EXPONENTIAL, True, "the index of the largest query, with exponential noise; private for eps"),
    ("nmax3", _LAPLACE, False, "the largest query itself, with Laplace noise; not private"),
    ("nmax4", _EXPONENTIAL, False, "the largest query itself, with exponential noise; not private"),
)


def _noisy_max(
    name: str, noise: str, shows_index: bool, queries: int, largest: int, factor: Fraction
) -> Program:
    body = f"""
    for i in 1..{queries} {{
      {noise}
    }}
    best := r[1];
    {"o := 1;" if shows_index else ""}
    for i in 2..{queries} {{
      if r[i] > best {{
        best := r[i];
        {"o := i;" if shows_index else ""}
      }}
    }}"""
    output = "o" if shows_index else _discretised(["best"], largest)
    return _program(name, _around_zero(largest), f"q[{queries}]", output, factor, body)


# --- randomised response ---


@family("rand1", "randomised response with odds of e^eps to 1; private for eps", *(BITS, FACTOR))
def rand1(bits: int, factor: Fraction) -> Program:
    """Odds of e^eps to 1: private for eps."""
    return _response("rand1", bits, factor, "exp(eps)", "1")


@family(
    "rand2",
    "randomised response with odds that do not depend on eps; not private for small eps",
    *(BITS, TRUTH, FACTOR),
)
def rand2(bits: int, truth: Fraction, factor: Fraction) -> Program:
    """Odds that do not depend on eps: not private for small eps."""
    return _response("rand2", bits, factor, rational_text(truth), rational_text(1 - truth))


@family(
    "leaky-response",
    "randomised response that sometimes leaks the bit; private for (eps, leak)",
    *(LEAK, FACTOR),
)
def leaky_response(leak: Fraction, factor: Fraction) -> Program:
    """Outputs are the answer, and 1 if it is leaked; (eps, leak)-private."""
    body = f"""
    leaked ~ choose {{1: {rational_text(leak)}, 0: {rational_text(1 - leak)}}};
    if leaked == 1 {{
      o := q;
    }} else {{
      o ~ choose {{q: exp(eps), 1 - q: 1}};
    }}"""
    claim = f"{_times_eps(factor)}, delta {rational_text(leak)}"
    return _program("leaky_response", "0, 1", "q", "o, leaked", claim, body)


def _response(name: str, bits: int, factor: Fraction, true: str, false: str) -> Program:
    body = f"for i in 1..{bits} {{ o[i] ~ choose {{q[i]: {true}, 1 - q[i]: {false}}}; }}"
    return _program(name, "0, 1", f"q[{bits}]", f"o[{bits}]", factor, body, "l0")


# --- vertex cover ---


@family("vertex-cover", "an order of the vertices of a graph; private for eps", *(VERTICES, FACTOR))
def vertex_cover(vertices: int, factor: Fraction) -> Program:
    """An order of the vertices; private for eps."""
    numbers = range(1, vertices + 1)
    edges = {pair: f"e[{place}]" for place, pair in enumerate(combinations(numbers, 2), 1)}
    lines = [f"for v in 1..{vertices} {{ left[v] := 1; }}"]
    for turn in numbers:
        extra = Fraction(isqrt(160_000 * vertices // (vertices - turn + 1) - 1) + 1, 100)
        for v in numbers:
            ends = (f"{edges[min(u, v), max(u, v)]}*left[{u}]" for u in numbers if u != v)
            lines.append(
                f"w[{v}] := left[{v}]*({' + '.join(ends)}); x[{v}] := {rational_text(extra)}*left[{v}];"
            )
        drawn = ", ".join(f"{v}: w[{v}]*eps + x[{v}]" for v in numbers)
        lines.append(f"o[{turn}] ~ choose {{{drawn}}};")
        lines.append(f"for v in 1..{vertices} {{ if o[{turn}] == v {{ left[v] := 0; }} }}")
    inputs, outputs = f"e[{len(edges)}]", f"o[{vertices}]"
    return _program("vertex_cover", "0, 1", inputs, outputs, factor, "\n".join(lines), "l0")


# --- counts and sums ---


@family(
    "noisy-histogram",
    "counts with Laplace noise, shown in steps; private for scale*eps",
    *(BINS, SCALE, LARGEST, FACTOR),
)
def noisy_histogram(bins: int, scale: Fraction, largest: int, factor: Fraction) -> Program:
    """Private for scale * eps."""
    body = f"for i in 1..{bins} {{ r[i] ~ Lap({_times_eps(scale)}, q[i]); }}"
    outputs = _discretised((f"r[{number}]" for number in range(1, bins + 1)), largest)
    return _program("noisy_histogram", _around_zero(largest), f"q[{bins}]", outputs, factor, body, "l1")


@family(
    "smart-sum",
    "all partial sums, by blocks, shown in steps; private for 2 eps",
    *(NUMBERS, BLOCK, LARGEST, replace(FACTOR, default=Fraction(2))),
)
def smart_sum(numbers: int, block: int, largest: int, factor: Fraction) -> Program:
    """All partial sums; private for 2 eps."""
    lines: list[str] = []
    blocks = ""  # the variable that is the noisy sum of all blocks so far
    for number in range(1, numbers + 1):
        if number % block:
            first, start = number, blocks if number % block == 1 else f"s{number - 1}"
        else:
            first, start, blocks = number - block + 1, blocks, f"s{number}"
        summed = " + ".join(f"q[{index}]" for index in range(first, number + 1))
        lines.append(f"z ~ Lap(eps, {summed}); s{number} := {f'{start} + z' if start else 'z'};")
    outputs = _discretised((f"s{number}" for number in range(1, numbers + 1)), largest)
    body = "\n".join(lines)
    return _program("smart_sum", _around_zero(largest), f"q[{numbers}]", outputs, factor, body, "l1")


@family(
    "discrete-count",
    "a count with discrete Laplace noise, shown in steps; private for eps",
    *(LARGEST, FACTOR),
)
def discrete_count(largest: int, factor: Fraction) -> Program:
    """Private for eps."""
    output = _discretised(["n"], largest)
    return _program("discrete_count", _around_zero(largest), "q", output, factor, "n ~ DLap(eps, q);")


@family(
    "geometric-count",
    "a count with geometric noise by flipping coins in a loop; private for eps",
    *(LARGEST_COUNT, FACTOR),
)
def geometric_count(largest: int, factor: Fraction) -> Program:
    """Private for eps.

    A step d is -1, 0 or 1 with weights a, 1 - a, a, where a = e^-eps, and repeated with probability a: so the
    noise is k with probability (1 - a)/(1 + a) a^|k|.
    """
    body = f"""
    d ~ choose {{-1: exp(-eps), 0: 1 - exp(-eps), 1: exp(-eps)}};
    o := max(0, min({largest}, q + d));
    goes_on := d != 0;
    while goes_on {{
      goes_on ~ choose {{true: exp(-eps), false: 1 - exp(-eps)}};
      if goes_on {{
        o := max(0, min({largest}, o + d));
      }}
    }}"""
    return _program("geometric_count", f"0 .. {largest}", "q", "o", factor, body)


@family(
    "exponential-mechanism",
    "a value near a count, by the exponential mechanism; private for eps",
    *(LARGEST, FACTOR),
)
def exponential_mechanism(largest: int, factor: Fraction) -> Program:
    """Private for eps."""
    candidates = ", ".join(map(str, range(-largest, largest + 1)))
    body = f"o ~ Exp(1/2*eps, v in {{{candidates}}}: -abs(v - q));"
    return _program("exponential_mechanism", _around_zero(largest), "q", "o", factor, body)


# --- all of them ---

PROGRAMS: Mapping[str, Family[Program]] = by_name(
    (
        *(
            Family(name, f"sparse vector{summary}", parameters, _sparse_vector(name, *version))
            for name, parameters, *version, summary in _SPARSE_VECTOR
        ),
        *(
            Family(name, summary, ASKED, partial(_noisy_max, name, noise, shows_index))
            for name, noise, shows_index, summary in _NOISY_MAX
        ),
        *(sparse, rand1, rand2, leaky_response, vertex_cover),
        *(noisy_histogram, smart_sum, discrete_count, geometric_count, exponential_mechanism),
    )
)
make_program = partial(make_named, PROGRAMS, "programs")
