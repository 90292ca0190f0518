"""Chains from and to the objects of other Python packages: matrices, graphs, models of Storm, plain dicts.

What a package holds exactly is converted exactly and comes back as it was. What it holds as floats is read
only in a way that the caller names, and is given back with a name that says so, ``..._approx``.

*Floats.* A float is refused wherever bdist reads a number, because it is not the number that its author
wrote: 0.1 is 0.1000000000000000055511151231257827. Matrices of NumPy and SciPy hold nothing else, though, so
whoever has one says how its entries are meant:

* ``"shortest"``: the decimal that Python prints. 0.1 is 1/10, and 1/3 is 0.3333333333333333, so that thirds
  do not sum to 1.
* ``"simplest"``: the fraction with the least denominator that rounds to this float. 0.1 is 1/10 and
  0.3333333333333333 is 1/3; what was computed, as 0.1 + 0.2, is in general not what one would wish.
* ``"exact"``: the binary value itself. Sums are those of real arithmetic on these values.

None of them repairs a row: whatever the entries become, they must sum to exactly 1. The fractions that round
to a float are an interval between two midpoints, whose ends belong to it iff the float is the even one of its
neighbours; a continued fraction finds its simplest member. Floats of 16 and 32 bits have wider intervals.

*Matrices.* Nested sequences, NumPy arrays and SciPy's sparse matrices become the same thing: for every row
the entries that are there, with their columns. Neither package is imported for that: an object of theirs is
known by what it offers. An entry that a sparse matrix stores twice is refused, since adding floats rounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from bdist.chains.chain import LabelledMarkovChain, exact_number
from bdist.chains.formats import ReadOptions, numbered_states, save
from bdist.chains.formats.prism import valuation_names
from bdist.chains.formats.propositions import chain_of
from bdist.chains.formats.tlmc import state_labelled
from bdist.errors import BackendError, ModelError, ParameterError
from bdist.exact.rationals import as_rational, parse_rational, simplest_between

if TYPE_CHECKING:
    from networkx import DiGraph
    from scipy.sparse import csr_array

Reader = Callable[[object, str], Fraction]


def number_reader(floats: str | None) -> Reader:
    """How to read numbers: as `exact_number`, which refuses floats, or with floats read as named.

    Raises: ParameterError where there is no such way.
    """
    if floats is None:
        return exact_number
    readings = {"shortest": _shortest_decimal, "simplest": _simplest_fraction, "exact": _exact_float}
    if floats not in readings:
        raise ParameterError(f"floats is {floats!r}; it must be {', '.join(readings)} or None")
    way = readings[floats]

    def read(value: object, what: str) -> Fraction:
        # NumPy's float64 is a float; its narrower types are not, but say what they are.
        is_float = isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f"
        return way(value, what) if is_float else as_rational(value, what)

    return read


def _exact_float(value: Any, what: str) -> Fraction:
    _check_float(value, what)
    return Fraction(*value.as_integer_ratio())


def _shortest_decimal(value: Any, what: str) -> Fraction:
    _check_float(value, what)
    return parse_rational(float.__repr__(value) if isinstance(value, float) else str(value))


def _simplest_fraction(value: Any, what: str) -> Fraction:
    here = _exact_float(value, what)
    if here == 0:
        return here
    below, above = (Fraction(*_next_towards(value, end).as_integer_ratio()) for end in (0.0, 2.0))
    low, high = (below + here) / 2, (here + above) / 2
    found = simplest_between(
        low, high, open_low=_rounded(low, value) != value, open_high=_rounded(high, value) != value
    )
    return here if found is None else found


def _next_towards(value: Any, end: float) -> Any:
    if isinstance(value, float):
        return math.nextafter(value, end)
    import numpy as np

    return np.nextafter(value, type(value)(end))


def _rounded(number: Fraction, like: Any) -> Any:
    """The float of that type nearest to a midpoint; a midpoint of narrow floats is a float of 64 bits."""
    return float(number) if isinstance(like, float) else type(like)(float(number))


def _check_float(value: Any, what: str) -> None:
    if not 0 <= value <= 1:
        raise ParameterError(f"{what} is the float {float(value)!r}, not between 0 and 1")
    if not isinstance(value, float) and value.dtype.itemsize > 4:
        raise ParameterError(f"{what} is a {type(value).__name__}; floats of more than 64 bits are not read")


Entries = list[tuple[int, Any]]


def matrix_entries(matrix: Any, states: Sequence[str] | None) -> list[Entries]:
    """The entries of each row of a square matrix, (column, value) by increasing column; zeros may be missing.

    ``states`` names the rows, for messages.
    Raises: ModelError where it is not square.
    """
    if hasattr(matrix, "to_numpy"):  # a data frame
        matrix = matrix.to_numpy()
    shape = getattr(matrix, "shape", None)
    if shape is None:
        return _nested_entries(matrix, states)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ModelError(f"the matrix has the shape {'x'.join(map(str, shape))}; it must be square")
    rows: list[Entries] = [[] for _ in range(shape[0])]
    if hasattr(matrix, "tocoo"):  # a sparse matrix
        stored = matrix.tocoo()
        for i, j, value in zip(stored.row.tolist(), stored.col.tolist(), stored.data, strict=True):
            rows[i].append((j, value))
    else:
        for i, j in zip(*(axis.tolist() for axis in (matrix != 0).nonzero()), strict=True):
            rows[i].append((j, matrix[i, j]))
    for i, row in enumerate(rows):
        row.sort(key=lambda entry: entry[0])
        for (first, _), (second, _) in pairwise(row):
            if first == second:
                raise ModelError(f"row {i} of the matrix stores column {first} twice; sum duplicates first")
    return rows


def _nested_entries(matrix: Any, states: Sequence[str] | None) -> list[Entries]:
    count = len(matrix)
    for i, row in enumerate(matrix):
        if len(row) != count:
            state = states[i] if states is not None and i < len(states) else f"s{i}"
            raise ModelError(
                f"the row of state '{state}' has {len(row)} entries for {count} states", state=state
            )
    return [list(enumerate(row)) for row in matrix]


def from_networkx(
    graph: Any, *, label: str = "label", probability: str = "probability", floats: str | None = None
) -> LabelledMarkovChain:
    """A chain from a directed graph whose nodes carry a label and whose edges carry a probability.

    States are the nodes in the graph's order, called by their text; the attributes are named by ``label`` and
    ``probability``. Probabilities are Fraction, int or str, or floats to be read as ``floats`` says
    ("shortest", "simplest" or "exact").
    Raises: ModelError, ParameterError.
    """
    if not graph.is_directed():
        raise ModelError("the graph is not directed; the transitions of a chain are")
    if graph.is_multigraph():
        raise ModelError("the graph is a multigraph; a chain has one probability from a state to another")
    number = number_reader(floats)
    names = {node: str(node) for node in graph.nodes}
    triples = []
    for node, attributes in graph.nodes(data=True):
        state = names[node]
        if label not in attributes:
            raise ModelError(f"node '{state}' has no attribute '{label}'", state=state)
        row = {}
        for _, target, values in graph.out_edges(node, data=True):
            if probability not in values:
                raise ModelError(
                    f"the edge '{state}' -> '{names[target]}' has no attribute '{probability}'", state=state
                )
            what = f"{probability} of '{state}' -> '{names[target]}'"
            row[names[target]] = number(values[probability], what)
        triples.append((state, attributes[label], row))
    return LabelledMarkovChain.from_rows(triples, name=str(graph.graph.get("name", "")))


def to_networkx(
    chain: LabelledMarkovChain, *, label: str = "label", probability: str = "probability"
) -> DiGraph[str]:
    """The chain as a directed graph of NetworkX, probabilities as Fractions; inverse to `from_networkx`.

    Raises: BackendError where NetworkX is not installed.
    """
    try:
        import networkx as nx
    except ImportError:
        raise BackendError("to_networkx needs NetworkX; install it with: pip install networkx") from None
    graph: DiGraph[str] = nx.DiGraph(name=chain.name)
    for state, text in zip(chain.states, chain.labels, strict=True):
        graph.add_node(state, **{label: text})
    for state, row in zip(chain.states, chain.rows, strict=True):
        for j, p in row:
            graph.add_edge(state, chain.states[j], **{probability: p})
    return graph


def to_scipy_approx(chain: LabelledMarkovChain) -> csr_array:
    """The transition matrix as a sparse array of SciPy, each entry the float nearest to the probability.

    Raises: BackendError where SciPy is not installed.
    """
    try:
        from scipy.sparse import csr_array
    except ImportError:
        raise BackendError("to_scipy_approx needs SciPy; install it with: pip install scipy") from None
    data = [float(p) for row in chain.rows for _, p in row]
    columns = [j for row in chain.rows for j, _ in row]
    ends = [0]
    for row in chain.rows:
        ends.append(ends[-1] + len(row))
    return csr_array((data, columns, ends), shape=(len(chain), len(chain)))


def from_labelled_transitions(
    rows: Mapping[str, Iterable[tuple[Any, str, str]]], *, name: str = "", floats: str | None = None
) -> LabelledMarkovChain:
    """A chain whose labels are on the transitions, {state: [(probability, label, target), ...]}, translated.

    The states keep their names and the true delta between any two of them; `bdist.chains.formats.tlmc`
    says how and why. Probabilities as in `from_networkx`.
    Raises: ModelError, ParameterError.
    """
    number = number_reader(floats)
    return state_labelled(
        {
            state: [
                (number(p, f"probability of '{state}' -> '{target}'"), label, target)
                for p, label, target in row
            ]
            for state, row in rows.items()
        },
        name=name,
    )


def from_stormpy(
    model: Any, *, labels: Sequence[str] | None = None, floats: str | None = None, name: str = ""
) -> LabelledMarkovChain:
    """A chain from a sparse DTMC of stormpy, with exact values or with floats, to be read as ``floats`` says
    ("shortest", "simplest" or "exact").

    The set of a state's labels is its label; ``labels`` are those that count, by default all but init and
    deadlock. States are called by the values of their variables, where the model keeps them, or s0, s1, ...
    Raises: ModelError, ParameterError.
    """
    if getattr(getattr(model, "model_type", None), "name", "") != "DTMC":
        raise ModelError(f"this is a {type(model).__name__}; a chain is a sparse DTMC of stormpy")
    # exact values are numbers of Storm, whose text is p/q
    number = (lambda value, what: parse_rational(str(value))) if model.is_exact else number_reader(floats)
    states = _storm_names(model)
    rows = []
    for i, state in enumerate(model.states):
        entries = [entry for action in state.actions for entry in action.transitions]
        what = f"probability of '{states[i]}' -> "
        row = [(entry.column, number(entry.value, f"{what}'{states[entry.column]}'")) for entry in entries]
        rows.append(tuple(sorted((j, p) for j, p in row if p)))
    options = ReadOptions(labels=None if labels is None else tuple(labels))
    propositions = [set(state.labels) for state in model.states]
    known = model.labeling.get_labels()
    chain = chain_of(rows, propositions, states, options, known, "the model")
    return LabelledMarkovChain(chain.states, chain.labels, chain.rows, name)


def _storm_names(model: Any) -> tuple[str, ...]:
    if model.has_state_valuations():
        named = valuation_names(model.state_valuations)
        if named and len(set(named)) == model.nr_states:
            return tuple(named)
    return numbered_states(model.nr_states)


def to_stormpy(chain: LabelledMarkovChain) -> Any:
    """The chain as a sparse DTMC of stormpy with exact values; the first state is the initial one.

    Raises: BackendError where stormpy is not installed.
    """
    try:
        import stormpy
    except ImportError:
        raise BackendError("to_stormpy needs stormpy; install it with: pip install 'bdist[storm]'") from None
    with TemporaryDirectory(prefix="bdist-storm-") as folder:
        path = Path(folder) / "model.drn"
        save(chain, path)
        return stormpy.build_model_from_drn[stormpy.Rational](path)
