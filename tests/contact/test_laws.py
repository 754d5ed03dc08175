"""Every law in a two-body impact without other forces, against its theory."""

import ctypes
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import gamma

import treadle as td
from treadle.contact.force_history import force_history
from treadle.contact.laws import LAWS, Touch
from treadle.contact.soft import LawMemory, make_soft, soft_entry, soft_frame

MASS, STIFFNESS, SPEED = 2.0, 1e9, 1.5


@pytest.fixture(scope="module")
def laws():
    """All laws, compiled, and a user's own at the end."""
    return LawMemory([*LAWS.values(), bristle])


def bristle(touch):
    return 3e5 * touch.depth + 1e8 * touch.depth * touch.depth


def advance(laws, contacts, A=None, b=0.0, span=1.0):
    """Contacts given as (law, depth, rate, stiffness, exponent, restitution, impact speed)."""
    n = len(contacts)
    soft = make_soft(n, laws.table)
    A = np.eye(n) / MASS if A is None else np.asarray(A, float)
    soft.size[0], soft.span[0], soft.A[:], soft.b[:] = n, span, A.reshape(-1), b
    names = [*LAWS, "bristle"]
    for i, (law, depth, rate, stiffness, *settings) in enumerate(contacts):
        soft.law[i] = -1 if law is None else names.index(law)
        soft.delta_start[i], soft.rate_start[i], soft.K[i] = depth, rate, stiffness
        soft.settings[4 * i : 4 * i + 4] = [*settings, 1.0 / A[i, i] if A[i, i] > 0.0 else math.inf]
    frame = soft_frame(soft)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(soft_entry())(frame.ctypes.data)
    return soft


def impact(laws, law, e, **options):
    exponent = 1.0 if law == "kelvin_voigt" else 1.5
    return advance(laws, [(law, 0.0, SPEED, STIFFNESS, exponent, e, SPEED)], **options)


def damping_share(law, e):
    """c of F = K x^n (1 + c v / v0)."""
    return {
        "hunt_crossley": 1.5 * (1.0 - e),
        "lankarani_nikravesh": 0.75 * (1.0 - e * e),
        "flores": 1.6 * (1.0 - e) / e,
    }[law]


@pytest.mark.parametrize("e", [0.05, 0.4, 0.7, 0.95])
@pytest.mark.parametrize("law", ["kelvin_voigt", "emden_fowler"])
def test_laws_that_deliver_their_restitution(laws, law, e):
    soft = impact(laws, law, e)
    assert -soft.rate[0] / SPEED == pytest.approx(e, abs=2e-9)
    assert soft.P[0] == pytest.approx(MASS * SPEED * (1.0 + e), rel=1e-8)


@pytest.mark.parametrize("e", [0.05, 0.4, 0.7, 0.95])
@pytest.mark.parametrize("law", ["hunt_crossley", "lankarani_nikravesh", "flores"])
def test_laws_that_come_near_it(laws, law, e):
    """c - ln(1 + c) = -c e' - ln(1 - c e') for the restitution e' that c delivers."""
    c = damping_share(law, e)

    def off(x):
        return c - math.log1p(c) + c * x + math.log1p(-c * x)

    delivered = brentq(off, 1e-9, min(1.0, (1.0 - 1e-14) / c), xtol=1e-15)
    assert -impact(laws, law, e).rate[0] / SPEED == pytest.approx(delivered, abs=1e-8)
    # near one they all do what they promise
    if e == 0.95:
        assert delivered == pytest.approx(e, abs=4e-3)


def test_hertz_lasts_as_long_as_its_theory(laws):
    """x' = v0 sqrt(1 - (x/d)^(n+1)): d^(n+1) = (n+1) m v0^2 / (2 K), and the duration is a beta function."""
    soft = impact(laws, "hertz", 0.3)
    deepest = (2.5 * MASS * SPEED**2 / (2.0 * STIFFNESS)) ** 0.4
    duration = 2.0 * deepest / SPEED * math.sqrt(math.pi) * gamma(1.4) / gamma(0.9)
    assert duration == pytest.approx(3.218065 * (MASS**2 / (STIFFNESS**2 * SPEED)) ** 0.2, rel=1e-6)
    assert soft.span[1] == pytest.approx(duration, rel=1e-8)
    assert soft.peak[0] == pytest.approx(deepest, rel=1e-8)
    assert soft.force[0] == pytest.approx(STIFFNESS * deepest**1.5, rel=1e-8)
    assert soft.rate[0] == pytest.approx(-SPEED, rel=1e-8)


def test_emden_fowler_is_two_elastic_phases(laws):
    e = 0.5
    soft = impact(laws, "emden_fowler", e)
    deepest = (2.5 * e * MASS * SPEED**2 / (2.0 * STIFFNESS)) ** 0.4
    one_way = deepest / SPEED * math.sqrt(math.pi) * gamma(1.4) / gamma(0.9)
    assert soft.peak[0] == pytest.approx(deepest, rel=1e-6)
    assert soft.span[1] == pytest.approx(one_way * (1.0 + 1.0 / e), rel=1e-4)


@pytest.mark.parametrize("law", [law for law in LAWS if law != "emden_fowler"])
def test_no_law_gives_energy(laws, law):
    """From one moment of an impact to the next; and none pulls but Kelvin and Voigt's."""
    exponent = 1.0 if law == "kelvin_voigt" else 1.5
    whole = impact(laws, law, 0.6)
    lost = []
    for share in np.linspace(0.05, 1.0, 12):
        soft = impact(laws, law, 0.6, span=share * whole.span[1] * (1.0 - 1e-9))
        depth, rate = soft.delta[0], soft.rate[0]
        elastic = STIFFNESS * depth ** (exponent + 1.0) / (exponent + 1.0)
        lost.append(0.5 * MASS * (SPEED**2 - rate**2) - elastic)
    assert np.all(np.diff([0.0, *lost]) > -1e-8)
    touch = Touch(1e-4, -0.6 * SPEED, STIFFNESS, exponent, 0.6, SPEED, MASS)
    assert LAWS[law](touch) >= 0.0 or law == "kelvin_voigt"


@pytest.mark.parametrize("e", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("law", ["hunt_crossley", "lankarani_nikravesh", "flores"])
def test_a_load_comes_to_rest_and_stays(laws, law, e):
    first = advance(laws, [(law, 0.0, 0.0, STIFFNESS, 1.5, e, 0.0)], b=9.8)
    resting = (MASS * 9.8 / STIFFNESS) ** (2.0 / 3.0)
    assert first.delta[0] == pytest.approx(resting, rel=1e-6)
    again = advance(laws, [(law, resting, 0.0, STIFFNESS, 1.5, e, 0.0)], b=9.8, span=0.128)
    assert again.delta[0] == pytest.approx(resting, rel=1e-12)
    assert again.P[0] == pytest.approx(MASS * 9.8 * 0.128, rel=1e-12)


def test_emden_fowler_holds_a_load(laws):
    """Anywhere between its two springs, at less than the speed in which one passes over into the other."""
    resting = (MASS * 9.8 / STIFFNESS) ** (2.0 / 3.0)
    soft = advance(laws, [("emden_fowler", 1.1 * resting, 0.0, STIFFNESS, 1.5, 0.5, 0.0)], b=9.8)
    assert abs(soft.rate[0]) < 1e-8
    assert soft.P[0] == pytest.approx(MASS * 9.8, rel=1e-6)


def test_contacts_of_several_laws_at_once_against_an_integrator(laws):
    rng = np.random.default_rng(3)
    J = rng.normal(size=(4, 3))
    A = J @ J.T
    kinds = [None, "hunt_crossley", "bristle", "flores"]
    stiffness = [2e5, 1e7, 0.0, 3e7]
    depth, rate = np.array([1e-3, 2e-3, 1e-3, 5e-4]), 1e-2 * (J @ rng.normal(size=3))
    b, span = J @ rng.normal(size=3), 8e-4
    contacts = [
        (kind, x, v, K, 1.5, 0.7, 0.4) for kind, x, v, K in zip(kinds, depth, rate, stiffness, strict=True)
    ]
    soft = advance(laws, contacts, A=A, b=b, span=span)

    def forces(x, v):
        def push(i):
            if kinds[i] is None:
                return stiffness[i] * x[i]
            law = bristle if kinds[i] == "bristle" else LAWS[kinds[i]]
            return law(Touch(x[i], v[i], stiffness[i], 1.5, 0.7, 0.4, 1.0 / A[i, i]))

        return np.array([push(i) for i in range(4)])

    def slope(t, y):
        F = forces(y[:4], y[4:8])
        return np.concatenate([y[4:8], b - A @ F, F, y[8:12]])

    start = np.concatenate([depth, rate, np.zeros(8)])
    truth = solve_ivp(slope, (0.0, span), start, method="DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
    assert soft.span[1] == span
    got = np.concatenate([soft.delta, soft.rate, soft.P, soft.Q])
    np.testing.assert_allclose(got, truth, rtol=1e-6, atol=1e-9)


def test_countless_swings_of_an_elastic_contact_come_to_an_end(laws):
    """More of them than steps are worth taking: what is left of the span goes in one."""
    soft = advance(laws, [("hertz", 5e-9, 0.0, 1e12, 1.5, 1.0, 0.0)], A=[[1e3]], b=9.8, span=1.0)
    assert np.isfinite(soft.P).all()
    assert 0.0 < soft.span[1] <= 1.0


@pytest.mark.parametrize("seed", range(12))
def test_coupled_contacts_end_where_an_integrator_says(laws, seed):
    """Also where rows depend on each other."""
    rng = np.random.default_rng(seed)
    n = 1 + seed % 4
    J = rng.normal(size=(n, max(1, n - seed % 2)))
    A, b, rate = J @ J.T, J @ rng.normal(size=J.shape[1]), J @ rng.normal(size=J.shape[1])
    kinds = rng.choice(["hertz", "hunt_crossley", "flores"], n)
    depth, K = rng.uniform(0.02, 0.1, n), 10.0 ** rng.uniform(2.0, 3.0, n)
    contacts = [(kind, x, v, k, 1.5, 0.7, 2.0) for kind, x, v, k in zip(kinds, depth, rate, K, strict=True)]
    soft = advance(laws, contacts, A=A, b=b, span=1.0)

    def slope(t, y):
        F = np.array(
            [
                LAWS[kinds[i]](Touch(max(y[i], 0.0), y[n + i], K[i], 1.5, 0.7, 2.0, 1.0 / A[i, i]))
                for i in range(n)
            ]
        )
        return np.concatenate([y[n : 2 * n], b - A @ F, F])

    def ending(i):
        def gap(t, y):
            return y[i]

        vars(gap).update(terminal=True, direction=-1)
        return gap

    start = np.concatenate([depth, rate, np.zeros(n)])
    events = [ending(i) for i in range(n)]
    truth = solve_ivp(slope, (0.0, 1.0), start, method="DOP853", rtol=1e-11, atol=1e-13, events=events)
    assert soft.span[1] == pytest.approx(truth.t[-1], abs=1e-7)
    got = np.concatenate([soft.delta, soft.rate, soft.P])
    np.testing.assert_allclose(got, truth.y[:, -1], atol=1e-6)


def test_the_course_of_a_contact_is_that_of_its_equation(laws):
    """m dv/dt = m b - F at every moment, up to the end of contact."""
    soft = advance(laws, [("hunt_crossley", 0.0, SPEED, STIFFNESS, 1.5, 0.6, SPEED)], b=9.8)
    before = soft.rate.copy()
    duration = soft.span[1]
    course = force_history(soft, np.linspace(0.0, 1.2 * duration, 1201))
    assert course.times[-1] == pytest.approx(duration, abs=2e-3 * duration)
    acceleration = np.gradient(course.rate[:, 0], course.times)
    expected = 9.8 - course.force[:, 0] / MASS
    np.testing.assert_allclose(acceleration[5:-5], expected[5:-5], atol=1e-3 * np.abs(expected).max())
    assert course.force.max() == pytest.approx(soft.force[0], rel=1e-5)
    assert course.depth.max() == pytest.approx(soft.peak[0], rel=1e-5)
    assert np.all(soft.rate == before)


def test_a_user_law_bounces_elastically(laws):
    soft = advance(laws, [("bristle", 0.0, SPEED, 0.0, 0.0, 0.0, SPEED)])
    assert soft.rate[0] == pytest.approx(-SPEED, rel=1e-8)
    # 1/2 m v^2 = 1/2 k x^2 + 1/3 q x^3
    deepest = brentq(lambda x: 1.5e5 * x * x + 1e8 / 3.0 * x**3 - 0.5 * MASS * SPEED**2, 0.0, 1.0, xtol=1e-15)
    assert soft.peak[0] == pytest.approx(deepest, rel=1e-8)


def test_a_law_that_cannot_be_compiled_is_told_where_it_is_made():
    def typo(touch):
        return touch.stiffness * touch.penetration

    def choosing(touch):
        return 1e5 * touch.depth if touch.rate > 0.0 else 0.0

    def nothing(touch):
        pass

    for law in (typo, choosing, nothing):
        with pytest.raises(
            td.InputError, match=f"the contact law '{law.__name__}' .* Touch with depth, rate"
        ):
            td.contact_law(law)
        assert law.__name__ not in LAWS


@pytest.mark.parametrize("law", ["hertz", "bristle"])
@pytest.mark.parametrize("A", [0.0, -1e-24])
def test_a_contact_that_sticking_rows_hold_moves_as_they_let_it(laws, law, A):
    """Nothing that it does moves it: its penetration is a parabola."""
    h, rate, slower = 2e-3, 1.5, -600.0
    soft = advance(laws, [(law, 0.0, rate, 1e7, 1.5, 1.0, rate)], A=[[A]], b=slower, span=h)
    assert soft.span[1] == h
    t = np.linspace(0.0, h, 20_001)
    depth = rate * t + 0.5 * slower * t**2
    force = 1e7 * depth**1.5 if law == "hertz" else 3e5 * depth + 1e8 * depth**2
    assert soft.delta[0] == pytest.approx(depth[-1], rel=1e-9)
    assert soft.rate[0] == pytest.approx(rate + slower * h, rel=1e-9)
    assert soft.P[0] == pytest.approx(np.trapezoid(force, t), rel=1e-6)
