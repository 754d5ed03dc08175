import pytest

from treadle.native.layout import Layout


def test_offsets_follow_the_order_of_the_arrays():
    layout = Layout({"q": 3, "v": 2}, {"a": 4, "b": 1}, {}, 12)
    assert [layout.offset(name) for name in ("q", "v", "a", "b")] == [0, 3, 5, 9]
    with pytest.raises(KeyError):
        layout.offset("c")
