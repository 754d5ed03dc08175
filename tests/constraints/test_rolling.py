"""Rolling without slipping and knife edges: against closed forms and the published bicycle."""

import numpy as np
import pytest

import treadle as td
from treadle.integrators import INTEGRATORS
from treadle.model.describe import describe

#: Eigenvalues (1/s) of the benchmark bicycle by forward speed (m/s): real and imaginary part of the weave
#: mode, capsize and caster mode (Meijaard et al. 2007, table 2); at rest, four real ones.
PUBLISHED = {
    1: (3.526961709900, 0.807740275199, -3.134231250666, -7.110080146374),
    2: (2.682345175127, 1.680662965907, -3.071586456415, -8.673879848317),
    3: (1.706756056640, 2.315824473843, -2.633661372537, -10.351014672459),
    4: (0.413253315211, 3.079108186032, -1.429444273613, -12.158614265764),
    5: (-0.775341882196, 4.464867713788, -0.322866429004, -14.078389692798),
    6: (-1.526444865841, 5.876730605987, -0.004066900770, -16.085371230980),
    7: (-2.138756442584, 7.195259133298, 0.102681705748, -18.157884661253),
    8: (-2.693486835811, 8.460379713969, 0.143278797657, -20.279408943946),
    9: (-3.216754022525, 9.693773515318, 0.157901840309, -22.437885590409),
    10: (-3.720168404373, 10.906811394763, 0.161053386532, -24.624596350174),
}
AT_REST = (-5.530943717654, -3.131643247907, 3.131643247907, 5.530943717654)


def linearized(speed: float) -> np.ndarray:
    """Eigenvalues by the linearized equations of lean and steer, derived from the benchmark's parameters.

    M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 (Meijaard et al. 2007, appendix A; x ahead, z down).
    """
    w, c, tilt, g = 1.02, 0.08, np.pi / 10, 9.81
    r_R, m_R, I_Rxx, I_Ryy = 0.3, 2.0, 0.0603, 0.12
    x_B, z_B, m_B, I_Bxx, I_Bxz, I_Bzz = 0.3, -0.9, 85.0, 9.2, 2.4, 2.8
    x_H, z_H, m_H, I_Hxx, I_Hxz, I_Hzz = 0.9, -0.7, 4.0, 0.05892, -0.00756, 0.00708
    r_F, m_F, I_Fxx, I_Fyy = 0.35, 3.0, 0.1405, 0.28
    sine, cosine = np.sin(tilt), np.cos(tilt)
    # the whole bicycle, about the contact point of the rear wheel
    m_x = x_B * m_B + x_H * m_H + w * m_F
    m_z = -r_R * m_R + z_B * m_B + z_H * m_H - r_F * m_F
    T_xx = I_Rxx + I_Bxx + I_Hxx + I_Fxx + m_R * r_R**2 + m_B * z_B**2 + m_H * z_H**2 + m_F * r_F**2
    T_xz = I_Bxz + I_Hxz - m_B * x_B * z_B - m_H * x_H * z_H + m_F * w * r_F
    T_zz = I_Rxx + I_Bzz + I_Hzz + I_Fxx + m_B * x_B**2 + m_H * x_H**2 + m_F * w**2
    # the front: handlebar and wheel, about the steering axis
    m_A = m_H + m_F
    x_A, z_A = (x_H * m_H + w * m_F) / m_A, (z_H * m_H - r_F * m_F) / m_A
    A_xx = I_Hxx + I_Fxx + m_H * (z_H - z_A) ** 2 + m_F * (r_F + z_A) ** 2
    A_xz = I_Hxz - m_H * (x_H - x_A) * (z_H - z_A) + m_F * (w - x_A) * (r_F + z_A)
    A_zz = I_Hzz + I_Fxx + m_H * (x_H - x_A) ** 2 + m_F * (w - x_A) ** 2
    u = (x_A - w - c) * cosine - z_A * sine
    A_ss = m_A * u**2 + A_xx * sine**2 + 2.0 * A_xz * sine * cosine + A_zz * cosine**2
    A_sx = -m_A * u * z_A + A_xx * sine + A_xz * cosine
    A_sz = m_A * u * x_A + A_xz * sine + A_zz * cosine
    trail, S_F = c / w * cosine, I_Fyy / r_F
    S_T, S_A = I_Ryy / r_R + S_F, m_A * u + trail * m_x
    lean_steer = A_sx + trail * T_xz
    M = np.array([[T_xx, lean_steer], [lean_steer, A_ss + 2.0 * trail * A_sz + trail**2 * T_zz]])
    K0 = np.array([[m_z, -S_A], [-S_A, -S_A * sine]])
    K2 = np.array([[0.0, (S_T - m_z) / w * cosine], [0.0, (S_A + S_F * sine) / w * cosine]])
    gyro = trail * S_T + S_F * cosine
    C1 = np.array(
        [
            [0.0, gyro + T_xz / w * cosine - trail * m_z],
            [-gyro, A_sz / w * cosine + trail * (S_A + T_zz / w * cosine)],
        ]
    )
    stiffness, damping = np.linalg.solve(M, g * K0 + speed**2 * K2), np.linalg.solve(M, speed * C1)
    return np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [-stiffness, -damping]]))


def eigenvalues(speed: float) -> np.ndarray:
    """The four of the bicycle that are not zero."""
    sim = td.Simulation(td.scene("bicycle", speed=speed, lean=0.0))
    every = td.linearize(sim).eigenvalues()
    # where it is, where it heads and how far its wheels have turned make no difference
    assert len(every) == 10
    order = np.argsort(np.abs(every))
    assert np.abs(every[order[:6]]).max() < 1e-4
    return every[order[6:]]


@pytest.mark.parametrize("speed", range(11))
def test_the_benchmark_bicycle_has_its_published_eigenvalues(speed):
    found = np.sort_complex(eigenvalues(float(speed)))
    if speed == 0:
        expected = np.array(AT_REST, dtype=complex)
    else:
        real, imaginary, capsize, caster = PUBLISHED[speed]
        expected = np.array([complex(real, imaginary), complex(real, -imaginary), capsize, caster])
    np.testing.assert_allclose(found, np.sort_complex(expected), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(np.sort_complex(linearized(speed)), np.sort_complex(expected), rtol=1e-9)


@pytest.mark.parametrize("speed", [0.5, 2.7, 4.292, 5.41, 5.9, 9.3])
def test_the_bicycle_has_the_eigenvalues_of_its_linearized_equations(speed):
    expected = np.sort_complex(linearized(speed))
    np.testing.assert_allclose(np.sort_complex(eigenvalues(speed)), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    ("speed", "balances"), [(3.8, False), (4.5, True), (5.0, True), (5.8, True), (7.0, False)]
)
def test_the_bicycle_balances_itself_in_its_range_of_speeds(speed, balances):
    sim = td.Simulation(td.scene("bicycle", speed=speed, lean=0.02), dt=5e-3)
    leans = []
    for _ in range(60):
        sim.run(0.25)
        leans.append(np.arccos(sim.body("frame").pose[2, 2]))
    late, early = max(leans[40:]), max(leans[:4])
    assert late < early if balances else late > 1.5 * early
    quality = sim.quality()
    assert quality["loop residual"] < 1e-12
    assert quality.rating == "good"


def sleigh(slope: float) -> td.Model:
    """A blade under the centre of mass of a body on an inclined plane, x downhill."""
    spec = td.ModelSpec("sleigh", gravity=(9.81 * np.sin(slope), 0.0, -9.81 * np.cos(slope)))
    spec.add_body("body", 2.0, inertia=(0.3, 0.4, 0.5))
    spec.add_joint("flight", "free", None, "body")
    spec.add_joint("upright", "planar", None, "body")
    spec.add_joint("blade", "knife_edge", None, "body")
    return spec.compile()


def sleigh_path(slope: float, rate: float, time: float) -> tuple[float, float]:
    """It starts along the slope, turns at a constant rate, and goes along a cycloid across the slope."""
    size, turn = 9.81 * np.sin(slope) / (2.0 * rate**2), rate * time
    return size * np.sin(turn) ** 2, size * (turn - 0.5 * np.sin(2.0 * turn))


HOLDING = [name for name, method in INTEGRATORS.items() if method.loops in ("accelerations", "velocities")]


@pytest.mark.parametrize("integrator", HOLDING)
def test_a_knife_edge_on_a_slope_goes_along_a_cycloid(integrator):
    slope, rate, model = 0.3, 2.0, sleigh(0.3)
    assert td.assemble(model).mobility == 2
    errors = []
    for dt in (0.02, 0.01):
        sim = td.Simulation(model, dt, integrator)
        sim.joint("flight").velocity = (0.0, 0.0, rate, 0.0, 0.0, 0.0)
        sim.run(4.0)
        errors.append(np.abs(sim.body("body").position[:2] - sleigh_path(slope, rate, 4.0)).max())
    order = INTEGRATORS[integrator].order
    if INTEGRATORS[integrator].adaptive:
        assert errors[1] < 1e-6
    else:
        assert errors[1] < max(1.3 * errors[0] / 2.0**order, 1e-9)
        assert errors[1] < 0.05 if order == 1 else 1e-3


@pytest.mark.parametrize("integrator", [name for name, m in INTEGRATORS.items() if m.loops == "positions"])
def test_methods_that_hold_positions_refuse_to_roll(integrator):
    with pytest.raises(
        td.InputError, match="'blade' rolls without slipping, which constrains velocities alone"
    ):
        td.Simulation(sleigh(0.1), integrator=integrator)


def disc(slope: float = 0.0, radius: float = 0.25) -> td.Model:
    spec = td.ModelSpec("disc", gravity=(9.81 * np.sin(slope), 0.0, -9.81 * np.cos(slope)))
    spec.add_body("disc", 3.0, inertia=(0.05, 0.09, 0.05))
    spec.add_joint("flight", "free", None, "disc", position=(0, 0, radius))
    spec.add_joint("ground", "rolling_disc", None, "disc", radius=radius)
    return spec.compile()


def test_a_disc_rolls_down_a_slope():
    """a = g sin(slope) / (1 + I / (m r^2)), and the force along the ground is what turns it."""
    slope, radius = 0.2, 0.25
    sim = td.Simulation(disc(slope, radius), 1e-3, "rk4")
    share = 0.09 / (3.0 * radius**2)
    expected = 9.81 * np.sin(slope) / (1.0 + share)
    sim.run(2.0)
    x, y, z = sim.body("disc").position
    assert x == pytest.approx(0.5 * expected * 4.0, rel=1e-9)
    assert y == pytest.approx(0.0, abs=1e-12)
    assert z == pytest.approx(radius, abs=1e-12)
    force = sim.loop("ground").reaction
    np.testing.assert_allclose(
        force.force, (-3.0 * share * expected, 0.0, 3.0 * 9.81 * np.cos(slope)), rtol=1e-9, atol=1e-9
    )
    # about the centre of the disc, where its frame is
    np.testing.assert_allclose(force.torque, (0.0, 0.09 * expected / radius, 0.0), rtol=1e-9, atol=1e-9)


def test_a_leaning_disc_rolls_in_a_circle():
    """Steady motion at a lean b and a turning rate W, with s the rate about the axle.

    s W cos(b) (I_axle + m r^2) = I_across W^2 sin(b) cos(b) - m g r sin(b)
    """
    radius, mass, across, along = 0.25, 3.0, 0.05, 0.09
    lean, turn = 0.3, 1.5
    sine, cosine = np.sin(lean), np.cos(lean)
    spin = (across * turn**2 * sine * cosine - mass * 9.81 * radius * sine) / (
        turn * cosine * (along + mass * radius**2)
    )
    q = [np.cos(lean / 2), np.sin(lean / 2), 0.0, 0.0, 0.0, 0.0, radius * cosine - radius]
    sim = td.Simulation(disc(), 1e-3, "rk4", q=q, v=[0.0, spin, turn * cosine, radius * spin, 0.0, 0.0])
    # the centre goes around at the speed r s
    middle = np.array([0.0, radius * spin / turn])
    for _ in range(12):
        sim.run(0.25)
        *across_plane, height = sim.body("disc").position
        assert height == pytest.approx(radius * cosine, abs=1e-9)
        assert np.linalg.norm(across_plane - middle) == pytest.approx(abs(radius * spin / turn), abs=1e-9)


def test_a_trailer_follows_a_tractrix():
    """A hitch that is pulled straight at speed u turns a trailer of length L by tan(a/2) = c e^(-ut/L)."""
    speed, length, start = 2.0, 1.5, 2.0
    spec = td.ModelSpec("trailer")
    spec.add_body("hitch", 1.0, inertia=(0.1, 0.1, 0.1))
    spec.add_joint("rail", "prismatic", None, "hitch", axis=(1, 0, 0))
    spec.add_body("trailer", 20.0, center=(-1, 0, 0), inertia=(1, 4, 4))
    spec.add_joint("swivel", "revolute", "hitch", "trailer", axis=(0, 0, 1))
    spec.add_joint("axle", "knife_edge", None, "trailer", child_position=(-length, 0, 0))
    sim = td.Simulation(
        spec.compile(), 1e-3, "rk4", q=[0.0, start], v=[speed, 0.0], motions={"rail": lambda t: speed * t}
    )
    sim.run(1.5)
    expected = 2.0 * np.arctan(np.tan(0.5 * start) * np.exp(-speed * 1.5 / length))
    assert sim.joint("swivel").position == pytest.approx(expected, abs=1e-9)


def test_a_caster_comes_into_line():
    """Behind a cart at the speed u a wheel on a trail d comes into line at the rate u/d."""
    speed, trail = 1.0, 0.05
    spec = td.ModelSpec("caster")
    spec.add_body("cart", 10.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0))
    spec.add_body("fork", 0.5, center=(-0.02, 0, 0), inertia=(0.001, 0.001, 0.001))
    spec.add_joint("swivel", "revolute", "cart", "fork", axis=(0, 0, 1), position=(0, 0, 0.1))
    spec.add_body("wheel", 0.3, inertia=(2e-4, 4e-4, 2e-4))
    spec.add_joint("hub", "continuous", "fork", "wheel", axis=(0, 1, 0), position=(-trail, 0, -0.05))
    spec.add_joint("ground", "rolling_disc", None, "wheel", radius=0.05)
    sim = td.Simulation(spec.compile(), 1e-4, v=[speed, 0.0, speed / 0.05])
    values = td.linearize(sim).eigenvalues()
    assert values.real.min() == pytest.approx(-speed / trail, rel=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"type": "rolling_disc"}, "a rolling_disc joint needs a radius"),
        ({"type": "rolling_disc", "radius": -1.0}, "its radius is not positive"),
        ({"type": "knife_edge", "radius": 1.0}, "a knife_edge joint has no radius"),
        ({"type": "rolling_disc", "radius": 1.0, "damping": 1.0}, "a rolling_disc joint is rigid"),
    ],
)
def test_wrong_rolling_joints(options, message):
    spec = td.ModelSpec("wrong")
    spec.add_body("wheel", 1.0, inertia=(1, 1, 1))
    spec.add_joint("flight", "free", None, "wheel")
    spec.add_joint("ground", options.pop("type"), None, "wheel", **options)
    with pytest.raises(td.ModelError, match=message):
        spec.compile()


@pytest.mark.parametrize("name", ["rolling_disc", "knife_edge"])
def test_they_survive_files_and_the_way_back(tmp_path, name):
    spec = td.ModelSpec("rolling")
    spec.add_body("wheel", 1.0, inertia=(1, 1, 1))
    spec.add_joint("flight", "free", None, "wheel", position=(0, 0, 0.3))
    options = {"radius": 0.3} if name == "rolling_disc" else {}
    spec.add_joint("ground", name, None, "wheel", second_axis=(1, 0, 0), **options)
    model = spec.compile()
    td.save(model, tmp_path / "rolling.toml")
    again = td.load(tmp_path / "rolling.toml")
    assert again.digest == model.digest
    assert describe(again).joints[1].type == name
