"""Sweeps: all combinations, the bits of a batch, and blocks that are kept."""

import numpy as np
import pytest

import treadle as td


@pytest.fixture(scope="module")
def swing() -> td.Model:
    spec = td.ModelSpec("swing")
    spec.add_body("rod", 1.0, center=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    spec.add_joint("hinge", "revolute", None, "rod", axis=(0, 1, 0), damping=0.1)
    return spec.compile()


VALUES = {"rod.mass": [0.5, 1.0, 2.0], "hinge.damping": [0.0, 0.1, 0.4, 0.9]}


def test_every_combination_is_a_row_with_the_bits_of_a_batch(swing):
    table = td.sweep(swing, VALUES, 0.2, ["joint.hinge.position", "body.rod.pose"], block=5)
    assert table.num_rows == 12 and table["alive"].to_pylist() == [True] * 12
    assert {"rod.mass", "hinge.damping", "joint.hinge.position", "body.rod.pose.qw"} <= set(
        table.column_names
    )
    worlds = td.Batch(swing, 12, parameters=list(VALUES))
    for name in VALUES:
        worlds.parameter(name)[:] = table[name].to_numpy()
    worlds.step(200)
    np.testing.assert_array_equal(table["joint.hinge.position"].to_numpy(), worlds.q[:, 0])
    assert len(set(zip(table["rod.mass"].to_pylist(), table["hinge.damping"].to_pylist(), strict=True))) == 12


def test_blocks_change_no_bit(swing):
    whole, parts = (td.sweep(swing, VALUES, 0.1, block=n) for n in (12, 5))
    assert whole.equals(parts)


def test_an_interrupted_sweep_continues(swing, tmp_path, monkeypatch):
    class Stopped(Exception):
        pass

    def stop(share: float) -> None:
        if share > 0.3:
            raise Stopped

    with pytest.raises(Stopped):
        td.sweep(swing, VALUES, 0.1, block=4, folder=tmp_path, report=stop)
    done = sorted(path.name for path in tmp_path.glob("block-*"))
    assert done == ["block-00000.parquet"]
    shares: list[float] = []
    table = td.sweep(swing, VALUES, 0.1, block=4, folder=tmp_path, report=shares.append)
    assert shares[0] == pytest.approx(1 / 3) and shares[-1] == 1.0
    assert table.equals(td.sweep(swing, VALUES, 0.1, block=4))


def test_what_is_wrong_is_refused(swing, tmp_path):
    td.sweep(swing, {"rod.mass": [1.0]}, 0.01, folder=tmp_path)
    with pytest.raises(td.InputError, match="another sweep"):
        td.sweep(swing, {"rod.mass": [2.0]}, 0.01, folder=tmp_path)
    with pytest.raises(td.InputError, match="list of finite numbers"):
        td.sweep(swing, {"rod.mass": [np.nan]}, 0.01)
    with pytest.raises(td.InputError, match="at least one constant"):
        td.sweep(swing, {}, 0.01)
    with pytest.raises(td.InputError, match="backend"):
        td.sweep(swing, VALUES, 0.01, backend="cloud")
