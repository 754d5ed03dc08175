"""Ropes: taut, slack and back, against closed forms and at large steps."""

import numpy as np
import pytest

import treadle as td


def bob(length: float = 1.0, gravity: float = -9.81, **options) -> td.Model:
    """A ball of 1 kg that flies in the x-z plane, on a rope from the origin."""
    spec = td.ModelSpec("bob", gravity=(0, 0, gravity))
    spec.add_body("ball", 1.0, inertia=(0.01, 0.01, 0.01))
    spec.add_joint("flight", "planar", None, "ball", axis=(0, -1, 0))
    spec.add_joint("rope", "rope", None, "ball", length=length, **options)
    return spec.compile()


def place(sim) -> np.ndarray:
    return sim.body("ball").position[[0, 2]]


def test_the_model_knows_the_rope():
    model = bob()
    assert not model.closed
    assert model.limited
    assert model.summary().mobility == 3


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_a_falling_ball_is_caught_and_hangs(dt):
    """It starts 0.5 m below, falls until the rope is taut, and stays there."""
    sim = td.Simulation(bob(), dt=dt)
    sim.q = planar(sim.model, (0.0, -0.5))
    sim.run(0.3)
    # slack until 0.319 s: free fall
    assert place(sim)[1] == pytest.approx(-0.5 - 0.5 * 9.81 * 0.3**2, abs=9.81 * 0.3 * dt)
    sim.run(1.0)
    assert place(sim)[1] == pytest.approx(-1.0, abs=1e-9)
    assert np.abs(sim.v).max() < 1e-9


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_a_taut_rope_is_a_pendulum(dt):
    """From the horizontal the ball passes below with sqrt(2 g L), and the rope stretches by about h^2 a."""
    sim = td.Simulation(bob(), dt=dt)
    sim.q = planar(sim.model, (1.0, 0.0))
    fastest = longest = 0.0
    for _ in range(round(0.8 / dt)):
        sim.step()
        fastest = max(fastest, float(np.linalg.norm(sim.body("ball").velocity[3:])))
        longest = max(longest, float(np.linalg.norm(place(sim))))
    assert fastest == pytest.approx(np.sqrt(2.0 * 9.81), rel=10.0 * dt)
    assert longest < 1.0 + 5.0 * 19.62 * dt**2


def test_a_circling_ball_keeps_its_speed():
    sim = td.Simulation(bob(gravity=0.0), dt=1e-2)
    sim.q = planar(sim.model, (1.0, 0.0))
    sim.v = planar(sim.model, (0.0, 2.0))
    sim.run(30.0)
    assert np.linalg.norm(sim.body("ball").velocity[3:]) == pytest.approx(2.0, rel=1e-2)
    assert np.linalg.norm(place(sim)) == pytest.approx(1.0, abs=5.0 * 4.0 * 1e-4)


def test_a_rope_goes_slack_where_the_speed_no_longer_holds_it():
    """Thrown up from the side with v0^2 = g L it leaves the circle at the height v0^2 / (3 g)."""
    sim = td.Simulation(bob(), dt=1e-4)
    sim.q = planar(sim.model, (1.0, 0.0))
    # at the height h above the centre v^2 = v0^2 - 2 g h, and the rope is slack where v^2 / L = g h / L
    sim.v = planar(sim.model, (0.0, np.sqrt(9.81)))
    height = None
    while height is None and sim.time < 1.0:
        sim.step(10)
        if np.linalg.norm(place(sim)) < 1.0 - 1e-5:
            height = place(sim)[1]
    assert height == pytest.approx(1.0 / 3.0, abs=0.02)


def test_restitution_throws_the_ball_back():
    sim = td.Simulation(bob(gravity=0.0, limit_restitution=0.5), dt=1e-3)
    sim.q = planar(sim.model, (0.5, 0.0))
    sim.v = planar(sim.model, (1.0, 0.0))
    sim.run(1.0)
    np.testing.assert_allclose(sim.body("ball").velocity[3:], (-0.5, 0.0, 0.0), atol=1e-9)


def test_an_elastic_rope_stretches():
    sim = td.Simulation(bob(limit_stiffness=1e3, limit_damping=50.0), dt=1e-2)
    sim.q = planar(sim.model, (0.0, -1.0))
    sim.run(5.0)
    assert -place(sim)[1] == pytest.approx(1.0 + 9.81 / 1e3, abs=1e-9)


def test_a_rope_can_pass_through_its_own_anchor():
    """Where both ends meet nothing is singular."""
    sim = td.Simulation(bob(gravity=0.0), dt=1e-2, q=[0.0, 0.0, 0.0])
    sim.v = planar(sim.model, (1.0, 0.0))
    sim.run(5.0)
    np.testing.assert_allclose(place(sim), (1.0, 0.0), atol=1e-9)


def test_other_methods_hold_ropes_too():
    sim = td.Simulation(bob(), dt=1e-3, integrator="rk4")
    sim.q = planar(sim.model, (0.0, -0.5))
    sim.run(2.0)
    assert place(sim)[1] == pytest.approx(-1.0, abs=1e-4)


def test_an_overlong_rope_recovers_calmly():
    """A start beyond its length is no kick: it comes back at 1 m/s at most, and stays."""
    sim = td.Simulation(bob(gravity=0.0), dt=1e-2)
    sim.q = planar(sim.model, (1.5, 0.0))
    fastest = 0.0
    for _ in range(300):
        sim.step()
        fastest = max(fastest, float(np.abs(sim.v).max()))
    assert 0.1 < fastest < 1.0 + 1e-9
    assert np.linalg.norm(place(sim)) <= 1.0 + 1e-6


def test_worlds_in_a_batch_hang_on_their_ropes():
    """Each gets slack and taut in its own time, as a simulation alone does."""
    model = bob(limit_restitution=0.3)
    heights = (-0.2, -0.5, -0.9, -1.0, 0.1)
    worlds = td.Batch(model, len(heights), dt=1e-2)
    worlds.q = [planar(model, (0.0, height)) for height in heights]
    worlds.step(60)
    for k, height in enumerate(heights):
        sim = td.Simulation(model, dt=1e-2)
        sim.q = planar(model, (0.0, height))
        sim.step(60)
        np.testing.assert_allclose(worlds.q[k], sim.q, atol=1e-9)


def planar(model, wanted) -> np.ndarray:
    """Position or velocity of the planar joint that puts the ball at, or moves it by, (x, z)."""
    joint = model.joint("flight").type
    axes = np.array([[axis.x, axis.z] for axis in (joint.u, joint.w)]).T
    return np.array([0.0, *np.linalg.solve(axes, wanted)])


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4"])
@pytest.mark.parametrize("seed", range(3))
def test_a_spring_of_a_rope_acts_on_the_distance(integrator, seed):
    """A ball on a slack rope with a spring towards a distance: it hangs where k (r - r0) = m g."""
    rng = np.random.default_rng(seed)
    k, reference = rng.uniform(50.0, 500.0), rng.uniform(0.2, 1.5)
    length = reference + 2.0 * 9.81 / k + 0.5
    sim = td.Simulation(
        bob(length, stiffness=k, damping=2.0 * np.sqrt(k), reference=reference), 1e-3, integrator
    )
    sim.q = planar(sim.model, (0.0, -0.9 * reference))
    sim.run(4.0)
    assert np.linalg.norm(place(sim)) == pytest.approx(reference + 9.81 / k, abs=1e-6)


@pytest.mark.parametrize(
    "option", ["stiffness", "damping", "friction", "upper", "limit_stiffness", "armature"]
)
def test_a_rod_refuses_what_it_cannot_have(option):
    spec = td.ModelSpec("rod")
    spec.add_body("ball", 1.0, inertia=(0.01, 0.01, 0.01))
    spec.add_joint("flight", "free", None, "ball", position=(0, 0, -1))
    spec.add_joint("rod", "distance", None, "ball", length=1.0, **{option: 3.0})
    with pytest.raises(td.ModelError, match=f"its {option} would act on nothing"):
        spec.compile()
