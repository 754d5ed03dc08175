"""The cost model of the study `mpi`, and what its checks notice; the study itself runs in `make test-mpi`."""

import pytest

from treadle.studies import mpi

MODEL = {
    "body": 4e-6, "fixed": 1e-4, "latency": 2e-5, "agreeing": 1e-4, "per_byte": 1e-9, "border_bytes": 600.0,
}  # fmt: skip


def test_one_process_exchanges_nothing():
    row = mpi.cost(MODEL, 10**6, 1)
    assert row["exchanging"] == 0.0
    assert row["ms"] == pytest.approx(1e3 * (4.0 + 1e-4))
    assert row["speedup"] == pytest.approx(1.0)


def test_more_processes_compute_less_and_exchange_more_rounds():
    rows = [mpi.cost(MODEL, 10**6, ranks) for ranks in (4, 64, 1024)]
    assert [row["computing"] for row in rows] == sorted((row["computing"] for row in rows), reverse=True)
    # ten rounds of eight exchanges and the agreements, and the ghosts of four sides of 31 boxes
    sent = 4.0 * (10**6 / 1024) ** 0.5 * 600.0 * 1e-9
    assert rows[-1]["exchanging"] == pytest.approx(1e3 * (10.0 * (8 * 2e-5 + 1e-4) + sent))


def test_a_difference_beyond_what_the_tolerance_grows_to_is_noticed():
    rows = [{"run": "field", "ranks": 1, "speedup": 1.0}, {"run": "field", "ranks": 2, "speedup": 1.5}]
    rows.append({"run": "paddle", "ranks": 4, "difference": 2e-6, "tolerance": 1e-6})
    checks = mpi.checks(rows, {"owners": 4, "difference": 2e-12}, 10_000)
    assert [check.holds for check in checks] == [False, False, True, False]
