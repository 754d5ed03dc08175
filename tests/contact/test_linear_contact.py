"""Linear contacts in closed form: the bouncing ball's table, rest, coupled contacts against integration."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from treadle.contact.linear_contact import linear_contacts
from treadle.contact.restitution import damping_of

SPEED, STIFFNESS = 4.2, 1.4e8


def advance(A, K, D, b, delta, rate, span):
    """Everything that `linear_contacts` says, by name."""
    n = len(delta)
    out = {name: np.full(n, np.inf) for name in ("P", "Q")} | {"peak": np.zeros(n), "force": np.zeros(n)}
    now = {"delta": np.array(delta, float), "rate": np.array(rate, float)}
    args = [np.ascontiguousarray(x, dtype=float) for x in (A, K, D, b)] + [*now.values(), span, *out.values()]
    time, ended = linear_contacts(*args)
    return {"time": time, "ended": ended} | now | out


def ball(e, rate=SPEED, b=0.0, span=1.0, delta=0.0):
    D = damping_of(e, STIFFNESS, 1.0)
    return advance([[1.0]], [STIFFNESS], [D], [b], [delta], [rate], span)


@pytest.mark.parametrize("e", [0.2, 0.4, 0.6, 0.8, 1.0])
def test_a_bouncing_ball_parts_with_its_restitution(e):
    # the swing of m x'' + D x' + K x = 0, mass 1 kg
    D = 2.0 * abs(math.log(e)) * math.sqrt(STIFFNESS / (math.pi**2 + math.log(e) ** 2))
    r, w = 0.5 * D, math.sqrt(STIFFNESS - 0.25 * D * D)
    deepest = math.atan2(w, r) / w
    firmest = max(0.0, math.atan2(w * (STIFFNESS - 2.0 * r * D), r * STIFFNESS + D * (w * w - r * r)) / w)

    def state(t):
        x = SPEED / w * math.exp(-r * t) * math.sin(w * t)
        return x, SPEED / w * math.exp(-r * t) * (w * math.cos(w * t) - r * math.sin(w * t))

    found = ball(e)
    assert found["ended"] == 0
    assert found["time"] == pytest.approx(math.pi / w, rel=1e-12)
    assert found["rate"][0] == pytest.approx(-e * SPEED, rel=1e-12)
    assert found["P"][0] == pytest.approx((1.0 + e) * SPEED, rel=1e-12)
    assert found["peak"][0] == pytest.approx(state(deepest)[0], rel=1e-12)
    x, v = state(firmest)
    assert found["force"][0] == pytest.approx(STIFFNESS * x + D * v, rel=1e-12)


@pytest.mark.parametrize(
    ("e", "duration", "deepest", "force"),
    [
        (0.2, 2.983274e-4, 2.023184e-4, 46008.0),
        (0.4, 2.765759e-4, 2.438724e-4, 40288.9),
        (0.6, 2.690001e-4, 2.822563e-4, 41642.5),
        (0.8, 2.661820e-4, 3.190933e-4, 45125.3),
        (1.0, 2.655130e-4, 3.549648e-4, 49695.1),
    ],
)
def test_the_table_of_the_bouncing_ball(e, duration, deepest, force):
    found = ball(e)
    assert found["time"] == pytest.approx(duration, rel=1e-6)
    assert found["peak"][0] == pytest.approx(deepest, rel=1e-6)
    assert found["force"][0] == pytest.approx(force, rel=1e-6)


@pytest.mark.parametrize("ratio", [1.0, 1.0000001, 3.0, 50.0])
def test_critically_and_overdamped_contacts_are_left_slowly(ratio):
    """Without a load a penetration decays and never ends; its impulse takes all of the momentum."""
    D = 2.0 * math.sqrt(STIFFNESS) * ratio
    found = advance([[1.0]], [STIFFNESS], [D], [0.0], [0.0], [SPEED], 200.0 * D / STIFFNESS)
    assert found["ended"] == -1
    assert found["P"][0] == pytest.approx(SPEED, rel=1e-9)
    assert abs(found["rate"][0]) < 1e-9


@pytest.mark.parametrize("e", [0.0, 0.3, 0.9])
def test_a_ball_comes_to_rest_and_stays(e):
    found = ball(e, rate=0.0, b=9.8, span=20.0)
    assert found["ended"] == -1
    assert found["delta"][0] == pytest.approx(9.8 / STIFFNESS, rel=1e-9)
    # and does not move any more, in steps of any size
    again = ball(e, rate=found["rate"][0], b=9.8, span=0.128, delta=found["delta"][0])
    assert again["delta"][0] == pytest.approx(9.8 / STIFFNESS, rel=1e-12)
    assert again["P"][0] == pytest.approx(9.8 * 0.128, rel=1e-12)
    assert again["Q"][0] == pytest.approx(9.8 * 0.128**2 / 2.0, rel=1e-9)


def test_a_swing_above_rest_ends_nowhere_and_one_that_is_too_large_does():
    sinking = 9.8 / STIFFNESS
    still, over = (ball(1.0, rate=0.0, b=9.8, span=0.01, delta=x * sinking) for x in (1.99, 2.01))
    assert still["ended"] == -1
    assert over["ended"] == 0
    # energy: v^2 = 2 g d - K d^2 with d the start
    d = 2.01 * sinking
    assert over["rate"][0] == pytest.approx(-math.sqrt(STIFFNESS * d * d - 2.0 * 9.8 * d), rel=1e-9)


def test_a_contact_that_others_lift_takes_no_force_until_it_is_back():
    """The force at the first point lifts the second, which its load alone would press."""
    A = [[1.0, 0.5], [0.5, 1.0]]
    found = advance(A, [100.0, 100.0], [1.0, 1.0], [1.0, 0.1], [0.0, 0.0], [0.5, 0.0], 0.1)
    assert found["P"][0] > 0.0
    assert found["P"][1] == 0.0
    first = advance([[1.0]], [100.0], [1.0], [1.0], [0.0], [0.5], 0.1)
    assert found["delta"][0] == pytest.approx(first["delta"][0], rel=1e-12)
    assert found["delta"][1] < 0.0
    back = advance(A, [100.0, 100.0], [1.0, 1.0], [1.0, 0.1], [0.0, 0.0], [0.5, 0.0], 10.0)
    assert back["ended"] in (0, 1)
    assert back["time"] < 10.0


@pytest.mark.parametrize("A", [0.0, 1e-30, -1e-24])
@pytest.mark.parametrize(("delta", "rate", "b"), [(0.0, 2.4, -660.0), (1e-3, 0.0, 0.0), (0.0, 1e3, 1e9)])
def test_a_contact_that_sticking_rows_hold_moves_as_they_let_it(A, delta, rate, b):
    """Nothing that it does moves it: its penetration is a parabola, and its force follows from that."""
    K, D, h = 3.9e5, 230.0, 3.6e-3
    found = advance([[A]], [K], [D], [b], [delta], [rate], h)
    assert found["ended"] == -1
    depth = delta + rate * h + 0.5 * b * h * h
    assert found["delta"][0] == pytest.approx(depth, rel=1e-12, abs=1e-15)
    assert found["rate"][0] == pytest.approx(rate + b * h, rel=1e-12, abs=1e-12)
    area = delta * h + rate * h**2 / 2.0 + b * h**3 / 6.0
    assert found["P"][0] == pytest.approx(K * area + D * (depth - delta), rel=1e-12)
    twice = delta * h**2 / 2.0 + rate * h**3 / 6.0 + b * h**4 / 24.0
    assert found["Q"][0] == pytest.approx(K * twice + D * (area - delta * h), rel=1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_coupled_contacts_against_an_integrator(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    rank = max(1, n - int(rng.integers(0, 3)))
    J = rng.normal(size=(n, rank))
    A, K, D = J @ J.T, rng.uniform(1.0, 10.0, n), rng.uniform(0.0, 2.0, n) * (seed % 3 > 0)
    b, rate, delta = J @ rng.normal(size=rank), J @ rng.normal(size=rank), rng.uniform(0.1, 1.0, n)
    if seed % 4 == 0:
        # near rest, which all contacts keep
        push = rng.uniform(0.5, 1.0, n)
        delta, b, rate = push / K, A @ push, 0.02 * rate
    span = rng.uniform(0.1, 8.0)
    found = advance(A, K, D, b, delta, rate, span)
    time, state = integrated(A, K, D, b, delta, rate, span)
    assert found["time"] == pytest.approx(time, abs=1e-9)
    assert (found["ended"] >= 0) == (time < span)
    got = np.concatenate([found[name] for name in ("delta", "rate", "P", "Q")])
    np.testing.assert_allclose(got, state, atol=1e-9 * (1.0 + np.abs(state).max()))


def integrated(A, K, D, b, delta, rate, span):
    """The same by an explicit method of order 8, to the end of the first contact."""
    n = len(delta)

    def slope(t, y):
        F = K * y[:n] + D * y[n : 2 * n]
        return np.concatenate([y[n : 2 * n], b - A @ F, F, y[2 * n : 3 * n]])

    def ending(i):
        def gap(t, y):
            return y[i]

        vars(gap).update(terminal=True, direction=-1)
        return gap

    start = np.concatenate([delta, rate, np.zeros(2 * n)])
    events = [ending(i) for i in range(n)]
    solution = solve_ivp(slope, (0.0, span), start, method="DOP853", rtol=1e-12, atol=1e-13, events=events)
    return solution.t[-1], solution.y[:, -1]
