"""A pad under position control goes over beads: CPU time of Treadle, MuJoCo and Bullet at equal force error.

    python benchmarks/grinding_peers.py [--json] [--stiffness 2.7e4]

A mass on a spring and a damper (the arm as seen from its tool) carries a ball along a plane with a row of
beads on it; the contact has a stiffness. The force is that through the arm; its error is the mean of |F - Fr|
by the mean of Fr, with Fr from the closed geometry integrated to 1e-10. Every simulator runs with steps from
0.2 to 150 ms. For several errors the least CPU times at which both have no larger one are compared, and for
every peer its largest usable step, one that keeps the 2.75 % that the task allows, and the usable one that
takes it the least CPU time. Times are CPU times of the steps alone, in one call of each simulator, the least
of several; Bullet's has the call in Python that its spring needs.

The contact is modelled in two ways. *Shapes*: a ball, a plane and capsules that the simulators find contacts
between. *Law*: the same force as a function of the position, which is how processes of Treadle act on a
machine. In Treadle that is a force law in Python, compiled with the machine; MuJoCo has it as a compiled
callback for passive forces, which it takes at the start of a step. Treadle's better one is compared with each
peer, and its shapes with the peers' shapes by themselves.

A contact of MuJoCo with the impedance d adds d / (1 - d) of its inverse weight to the inertia, whatever its
stiffness: with the default of 0.9 that slows the arm down and keeps large steps stable. Every integrator
runs with that, two of them with other impedances too, of which the best is compared at each error.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

import treadle as td
from treadle.graph import sqrt, where
from treadle.model import rpy
from treadle.native.c_types import int64, void
from treadle.native.calling import carray, integers, reals
from treadle.native.entries import entry

#: The arm (kg, N/m, N s/m), radius of the ball, height and half width of a bead (m), feed (m/s), start (m).
MASS, ARM, DAMPING = 8.66, 1.13e6, 6250.0
BALL, BEAD_HEIGHT, BEAD_WIDTH, FEED, START = 0.06, 3e-4, 4e-3, 0.02, -0.015
#: Where the beads are (m), and the time to go over them (s).
BEADS, SECONDS = (0.0, 0.03, 0.06, 0.09), 6.0
BEAD = (BEAD_WIDTH**2 + BEAD_HEIGHT**2) / (2.0 * BEAD_HEIGHT)
#: Stiffness, depth and step -> deflections and rates of the arm, and CPU time.
Simulator: TypeAlias = Callable[[float, float, float], tuple[np.ndarray, float]]

#: For MuJoCo's callback: where its positions and passive forces are, and stiffness and depth (N/m, m).
ADDRESSES, NUMBERS = np.zeros(2, np.int64), np.zeros(2)
ADDRESSES_AT, NUMBERS_AT = ADDRESSES.ctypes.data, NUMBERS.ctypes.data

STEPS = (2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 1.5e-2, 2e-2, 2.5e-2, 3e-2, 4e-2, 5e-2, 6e-2, 7.5e-2,
         0.1, 0.15)  # fmt: skip
#: Errors at which CPU times are compared, and that of a step that is still usable for grinding to a force.
ERRORS, USABLE = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1), 0.0275
#: Impedance that MuJoCo has where none is given, others that are tried, and the least ratio wanted.
DEFAULT_IMPEDANCE, IMPEDANCES, LEAST_RATIO = 0.9, (0.01, 0.1, 0.3, 0.5, 0.97), 5.0
REPEATS = 15


def reference(stiffness: float, depth: float) -> Callable[[np.ndarray], np.ndarray]:
    """Force through the arm over time."""
    from scipy.integrate import solve_ivp

    def contact(t: float, z: float) -> float:
        x, low = START + FEED * t, -depth + z
        plane = max(-low, 0.0)
        up, beads = low + BALL - (BEAD_HEIGHT - BEAD), 0.0
        for place in BEADS:
            away = np.hypot(x - place, up)
            beads += max(BALL + BEAD - away, 0.0) * up / away
        return stiffness * (plane + beads)

    def rate(t: float, y: np.ndarray) -> list[float]:
        return [y[1], (contact(t, y[0]) - ARM * y[0] - DAMPING * y[1]) / MASS]

    first = depth * stiffness / (ARM + stiffness)
    found = solve_ivp(
        rate, (0, SECONDS), [first, 0.0], "Radau", rtol=1e-10, atol=1e-14, max_step=1e-3, dense_output=True
    )
    return lambda t: ARM * found.sol(t)[0] + DAMPING * found.sol(t)[1]


def treadle(stiffness: float, depth: float, dt: float) -> tuple[np.ndarray, float]:
    """Deflections and rates of the arm at the ends of the steps (steps, 2), and CPU time (s); with shapes."""
    spec = _arm_of_treadle(depth, dt)
    spec.add_material("pad", stiffness=stiffness, restitution=1.0, friction=0.0)
    spec.add_material("hard", friction=0.0)
    spec.add_shape("ball", "tool", "sphere", (BALL,), role="collision", material="pad")
    spec.add_shape("plane", None, "plane", role="collision", material="hard")
    turn = rpy(np.pi / 2, 0.0, 0.0)
    for k, x in enumerate(BEADS):
        spec.add_shape(f"bead{k}", None, "capsule", (BEAD, 0.4), role="collision", material="hard",
                       position=(x, 0.0, BEAD_HEIGHT - BEAD), rotation=turn)  # fmt: skip
    first = depth * stiffness / (ARM + stiffness)
    # away from contact the arm is stiffer than the explicit methods can take
    return _timed(
        td.Simulation(spec.compile(), q=[0.0, first], v=[FEED, 0.0], integrator="implicit_midpoint")
    )


def treadle_law(stiffness: float, depth: float, dt: float) -> tuple[np.ndarray, float]:
    """The same with the contact as a force law."""

    def pad(q: Any, v: Any, t: Any) -> dict[str, Any]:
        x, low = START + q["feed"], q["arm"] - depth
        up, lift, drag = low + BALL - (BEAD_HEIGHT - BEAD), where(low < 0.0, -low, 0.0), 0.0
        for place in BEADS:
            away = sqrt((x - place) * (x - place) + up * up)
            share = where(away < BALL + BEAD, (BALL + BEAD - away) / away, 0.0)
            lift, drag = lift + share * up, drag + share * (x - place)
        return {"arm": stiffness * lift, "feed": stiffness * drag}

    first = depth * stiffness / (ARM + stiffness)
    model = _arm_of_treadle(depth, dt).compile()
    return _timed(
        td.Simulation(model, q=[0.0, first], v=[FEED, 0.0], integrator="linear_implicit_euler", laws=[pad])
    )


def _arm_of_treadle(depth: float, dt: float) -> td.ModelSpec:
    spec = td.ModelSpec("pad", gravity=(0.0, 0.0, 0.0), settings={"dt": dt})
    spec.add_body("feed", 1e6, inertia=(1e3, 1e3, 1e3))
    spec.add_joint("feed", "prismatic", None, "feed", axis=(1.0, 0.0, 0.0))
    spec.add_body("tool", MASS, inertia=(0.1, 0.1, 0.1))
    place = (START, 0.0, BALL - depth)
    spec.add_joint(
        "arm", "prismatic", "feed", "tool", axis=(0, 0, 1), position=place, stiffness=ARM, damping=DAMPING
    )
    return spec


def _timed(sim: td.Simulation) -> tuple[np.ndarray, float]:
    count = round(SECONDS / sim.dt)
    start = sim.save()
    sim.step(min(count, 10))
    sim.restore(start)
    rows = []
    for _ in range(count):
        sim.step()
        rows.append((sim.q[1], sim.v[1]))
    cpu = []
    for _ in range(REPEATS):
        sim.restore(start)
        begin = time.process_time()
        sim.step(count)
        cpu.append(time.process_time() - begin)
    return np.array(rows), min(cpu)


def mujoco(
    stiffness: float, depth: float, dt: float, integrator: str, impedance: float = DEFAULT_IMPEDANCE
) -> tuple[np.ndarray, float]:
    """The same in MuJoCo; a contact of constant impedance d has the static stiffness s / ((1 - d) A).

    A is the inverse weight that MuJoCo gives the tool, s its parameter.
    """
    import mujoco as mj

    first = depth * stiffness / (ARM + stiffness)
    beads = "".join(
        f'<geom type="capsule" size="{BEAD} 0.2" pos="{x} 0 {BEAD_HEIGHT - BEAD}" euler="90 0 0"/>'
        for x in BEADS
    )
    text = f"""<mujoco><option timestep="{dt}" gravity="0 0 0" integrator="{integrator}"/>
    <default><geom condim="1" solref="-1 0" solimp="{impedance} {impedance} 0.001"/></default>
    <worldbody><geom type="plane" size="1 1 0.1"/>
    {beads}
    <body><joint type="slide" axis="1 0 0"/><inertial pos="0 0 0" mass="1e6" diaginertia="1e3 1e3 1e3"/>
    <body pos="{START} 0 {BALL - depth}">
    <joint type="slide" axis="0 0 1" stiffness="{ARM}" damping="{DAMPING}"/>
    <geom type="sphere" size="{BALL}" mass="{MASS}"/></body></body></worldbody></mujoco>"""
    model = mj.MjModel.from_xml_string(text)
    model.geom_solref[:, 0] = -stiffness * (1.0 - impedance) * model.body_invweight0[-1, 0]
    return _stepped(model, mj.MjData(model), first)


def mujoco_law(stiffness: float, depth: float, dt: float, integrator: str) -> tuple[np.ndarray, float]:
    """The same in MuJoCo with the contact as a compiled callback."""
    import mujoco as mj

    text = f"""<mujoco><option timestep="{dt}" gravity="0 0 0" integrator="{integrator}"/>
    <worldbody><body><joint type="slide" axis="1 0 0"/>
    <inertial pos="0 0 0" mass="1e6" diaginertia="1e3 1e3 1e3"/>
    <body pos="{START} 0 {BALL - depth}">
    <joint type="slide" axis="0 0 1" stiffness="{ARM}" damping="{DAMPING}"/>
    <inertial pos="0 0 0" mass="{MASS}" diaginertia="0.1 0.1 0.1"/></body></body></worldbody></mujoco>"""
    model = mj.MjModel.from_xml_string(text)
    data = mj.MjData(model)
    ADDRESSES[:], NUMBERS[:] = (data.qpos.ctypes.data, data.qfrc_passive.ctypes.data), (stiffness, depth)
    # set after the model is made, which calls it too
    mj.set_mjcb_passive(ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(_passive.address))
    try:
        return _stepped(model, data, depth * stiffness / (ARM + stiffness))
    finally:
        mj.set_mjcb_passive(None)


@entry(void(int64, int64))
def _passive(model: Any, data: Any) -> None:
    """The force of the pad, added to MuJoCo's passive forces."""
    addresses, numbers = carray(integers(ADDRESSES_AT), 2), carray(reals(NUMBERS_AT), 2)
    q, force = carray(reals(addresses[0]), 2), carray(reals(addresses[1]), 2)
    x, low = START + q[0], q[1] - numbers[1]
    up, lift, drag = low + BALL - (BEAD_HEIGHT - BEAD), max(-low, 0.0), 0.0
    for place in BEADS:
        away = ((x - place) ** 2 + up * up) ** 0.5
        share = max(BALL + BEAD - away, 0.0) / away
        lift += share * up
        drag += share * (x - place)
    force[0] += numbers[0] * drag
    force[1] += numbers[0] * lift


def _stepped(model: Any, data: Any, first: float) -> tuple[np.ndarray, float]:
    import mujoco as mj

    def begin() -> None:
        mj.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = (0.0, first), (FEED, 0.0)

    count, rows, cpu = round(SECONDS / model.opt.timestep), [], []
    begin()
    for _ in range(count):
        mj.mj_step(model, data)
        rows.append((data.qpos[1], data.qvel[1]))
    for _ in range(REPEATS):
        begin()
        clock = time.process_time()
        mj.mj_step(model, data, nstep=count)
        cpu.append(time.process_time() - clock)
    return np.array(rows), min(cpu)


def bullet(stiffness: float, depth: float, dt: float) -> tuple[np.ndarray, float]:
    """The same in Bullet: a free ball that a spring holds, applied step by step, fed sideways."""
    import pybullet as pb

    client = pb.connect(pb.DIRECT)
    pb.setTimeStep(dt)
    pb.setPhysicsEngineParameter(numSubSteps=0, numSolverIterations=50, contactERP=0.2)
    plane = pb.createMultiBody(0, pb.createCollisionShape(pb.GEOM_PLANE))
    turn = pb.getQuaternionFromEuler((np.pi / 2, 0, 0))
    shape = pb.createCollisionShape(pb.GEOM_CAPSULE, radius=BEAD, height=0.4)
    beads = [pb.createMultiBody(0, shape, -1, (x, 0, BEAD_HEIGHT - BEAD), turn) for x in BEADS]
    first = depth * stiffness / (ARM + stiffness)
    ball = pb.createMultiBody(
        MASS, pb.createCollisionShape(pb.GEOM_SPHERE, radius=BALL), -1, (START, 0, BALL - depth + first)
    )
    for body in (plane, *beads, ball):
        pb.changeDynamics(body, -1, lateralFriction=0.0, linearDamping=0.0, angularDamping=0.0,
                          contactStiffness=2.0 * stiffness, contactDamping=0.0)  # fmt: skip
    pb.resetBaseVelocity(ball, (FEED, 0, 0))
    rows, clock = [], time.process_time()
    for k in range(round(SECONDS / dt)):
        z = pb.getBasePositionAndOrientation(ball)[0][2] - (BALL - depth)
        v = pb.getBaseVelocity(ball)[0][2]
        if k:
            rows.append((z, v))
        pb.applyExternalForce(ball, -1, (0, 0, -ARM * z - DAMPING * v), (0, 0, 0), pb.LINK_FRAME)
        pb.stepSimulation()
    rows.append(rows[-1])
    seconds = time.process_time() - clock
    pb.disconnect(client)
    return np.array(rows), seconds


def measured(
    name: str, run: Simulator, stiffness: float, depth: float, exact: Callable[[np.ndarray], np.ndarray]
) -> list[dict[str, Any]]:
    """Error and CPU time at every step."""
    rows = []
    for dt in STEPS:
        found, cpu = run(stiffness, depth, dt)
        wanted = exact(dt * np.arange(1, len(found) + 1))
        error = float(np.abs(ARM * found[:, 0] + DAMPING * found[:, 1] - wanted).mean() / wanted.mean())
        rows.append({"simulator": name, "dt": dt, "error": error, "cpu": cpu})
    return rows


def compared(peer: str, rows: list[dict[str, Any]], own: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Ratios of the least CPU times at which both have at most an error, where the peer has one."""
    least = min(row["error"] for row in rows)
    usable = [row for row in rows if row["error"] <= USABLE]
    if not usable:
        return [{"peer": peer, "which": "no step is usable", "error": least}]
    largest = max(usable, key=lambda row: row["dt"])
    cheapest = min(usable, key=lambda row: row["cpu"])
    levels: list[tuple[str, float, float]] = []
    for error in ERRORS:
        fits = [row["cpu"] for row in rows if row["error"] <= error]
        levels += [("at most", error, min(fits))] if fits else []
    levels.append(("at its largest usable step", largest["error"], largest["cpu"]))
    levels.append(("at its cheapest usable step", cheapest["error"], cheapest["cpu"]))
    found = []
    for what, error, cost in levels:
        mine = min((row for row in own if row["error"] <= error), key=lambda row: row["cpu"])
        found.append({"peer": peer, "which": what, "error": error, "ratio": cost / mine["cpu"],
                      "by": mine["simulator"], "step of Treadle": mine["dt"]})  # fmt: skip
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--stiffness", type=float, default=2.7e4)
    given = parser.parse_args()
    depth = 5.0 * (1.0 / given.stiffness + 1.0 / ARM)
    exact = reference(given.stiffness, depth)
    methods, tuned = ("implicitfast", "Euler", "RK4"), ("implicitfast", "RK4")
    shapes: dict[str, Simulator] = {"treadle shapes": treadle, "bullet": bullet}
    shapes |= {f"mujoco {name}": partial(mujoco, integrator=name) for name in methods}
    shapes |= {
        f"mujoco {name} d={d:g}": partial(mujoco, integrator=name, impedance=d)
        for name in tuned
        for d in IMPEDANCES
    }
    laws: dict[str, Simulator] = {"treadle law": treadle_law}
    laws |= {f"mujoco law {name}": partial(mujoco_law, integrator=name) for name in methods}
    rows = [
        row
        for name, run in (shapes | laws).items()
        for row in measured(name, run, given.stiffness, depth, exact)
    ]
    own = [row for row in rows if row["simulator"].startswith("treadle")]
    mujocos = [row for row in rows if row["simulator"].startswith("mujoco")]
    results = []
    for name in ("bullet", *(f"mujoco {method}" for method in methods)):
        results += compared(name, [row for row in rows if row["simulator"] == name], own)
    results += compared("mujoco, the best of all its settings", mujocos, own)
    checks = [
        {"name": f"CPU time of {row['peer']} {row['which']} by Treadle's", "value": row["ratio"],
         "limit": LEAST_RATIO, "holds": row["ratio"] >= LEAST_RATIO}
        for row in results
        if "usable step" in row["which"] and "ratio" in row
    ]  # fmt: skip
    rows += results
    rows += compared(
        "mujoco, the best with shapes, by Treadle's shapes",
        [row for row in mujocos if row["simulator"] in shapes],
        [row for row in own if row["simulator"] in shapes],
    )
    if given.json:
        print(json.dumps({"rows": rows, "checks": checks}))
        return
    for row in [*rows, *checks]:
        print(
            " ".join(
                f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}"
                for key, value in row.items()
            )
        )


if __name__ == "__main__":
    main()
