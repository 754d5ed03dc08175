"""Memoized functions are evaluated once per graph."""

from treadle.graph import Graph, memoized, sin


class Scale:
    def __init__(self, factor: float) -> None:
        self.factor = factor


def counted():
    """A function of an owner and values, and the list of its calls."""
    calls = []

    @memoized
    def scaled(owner, x):
        calls.append(list(x))
        return [owner.factor * sin(value) for value in x]

    return scaled, calls


def test_the_same_scalars_are_evaluated_once():
    scaled, calls = counted()
    owner, x = Scale(2.0), Graph().inputs(2)
    first, again = scaled(owner, x), scaled(owner, list(x))
    assert first is again and len(calls) == 1
    assert [y.operation for y in first] == ["mul", "mul"]


def test_other_scalars_owners_and_graphs_are_evaluated_again():
    scaled, calls = counted()
    graph, owner = Graph(), Scale(2.0)
    x, y = graph.inputs(2)
    results = [scaled(owner, [x]), scaled(owner, [y]), scaled(owner, [x, y]), scaled(Scale(2.0), [x])]
    other = Graph().inputs(1)
    assert scaled(owner, other)[0].graph is other[0].graph
    assert len(calls) == 5
    # an owner that says the same gives the same nodes
    assert results[3][0] is results[0][0] and results[1][0] is not results[0][0]


def test_an_owner_that_is_gone_is_not_mistaken_for_its_successor():
    scaled, _ = counted()
    x = Graph().inputs(1)
    for factor in range(2, 30):
        # each may get the memory of the one before
        (y,) = scaled(Scale(float(factor)), x)
        assert y is sin(x[0]) * float(factor)


def test_numbers_are_not_kept():
    scaled, calls = counted()
    owner = Scale(3.0)
    assert scaled(owner, [0.5]) == scaled(owner, [0.5])
    assert len(calls) == 2
