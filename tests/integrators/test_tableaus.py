"""Coefficients of Dormand and Prince's methods: those of scipy, bit for bit."""

from scipy.integrate import DOP853, RK45

from treadle.integrators import dopri5, dopri853


def rows(table, lengths):
    return [row[:n].tolist() for row, n in zip(table, lengths, strict=True)]


def test_order_5():
    found = dopri5.tableau()
    assert [list(row) for row in found.A] == [*rows(RK45.A, range(6)), RK45.B.tolist()]
    assert list(found.b) == [*RK45.B.tolist(), 0.0]
    assert list(found.c) == [*RK45.C.tolist(), 1.0]
    assert [list(row) for row in found.errors] == [RK45.E.tolist()]
    assert [list(row) for row in found.dense] == [RK45.P[:, 3].tolist()]


def test_order_8():
    found = dopri853.tableau()
    extra = rows(DOP853.A_EXTRA, range(13, 16))
    assert [list(row) for row in found.A] == [*rows(DOP853.A, range(12)), DOP853.B.tolist(), *extra]
    assert list(found.b) == [*DOP853.B.tolist(), 0.0]
    assert list(found.c) == [*DOP853.C.tolist(), 1.0, *DOP853.C_EXTRA.tolist()]
    assert [list(row) for row in found.errors] == [DOP853.E5.tolist(), DOP853.E3.tolist()]
    assert [list(row) for row in found.dense] == DOP853.D.tolist()
