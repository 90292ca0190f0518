"""Chains from and to the objects of other Python packages: NetworkX graphs, SciPy matrices, plain dicts.

What a package holds exactly is converted exactly and comes back as it was: a graph of NetworkX carries its
probabilities as Fractions. What it holds as floats is read only in a way that the caller names (`floats`),
and is given back with a name that says so, ``..._approx``. Matrices are read by
``LabelledMarkovChain.from_matrix``, dicts of rows by ``from_rows``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.floats import number_reader
from bdist.chains.transition_labels import state_labelled
from bdist.errors import BackendError, ModelError

if TYPE_CHECKING:
    from networkx import DiGraph
    from scipy.sparse import csr_array


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

    The states keep their names and the true delta between any two of them; `bdist.chains.transition_labels`
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
