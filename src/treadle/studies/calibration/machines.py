"""Random machines to calibrate error bars with, by family. A new family is a function and a line in FAMILIES.

A family draws a machine in motion from a generator of random numbers; masses, lengths, axes, materials and
states are random. The same seed draws the same machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treadle.graph import sin
from treadle.model import ModelSpec, box_inertia, cylinder_inertia
from treadle.model.model import Model
from treadle.sim import Simulation

__all__ = ["FAMILIES", "Machine"]

Rng = np.random.Generator

#: Methods for smooth machines; those that hold closed loops; those that go with bounded rows and wheels.
_SMOOTH = (
    "symplectic_euler", "midpoint", "rk4", "rk6", "implicit_midpoint", "generalized_alpha", "variational",
    "dopri5", "dopri853",
)  # fmt: skip
_CLOSED = ("symplectic_euler", "midpoint", "rk4", "implicit_midpoint", "variational", "dopri5")
_BOUNDED = ("symplectic_euler", "midpoint", "rk4")
_FIRST = ("symplectic_euler",)


@dataclass(frozen=True)
class Machine:
    """A machine, how it starts, and what acts on it.

    `integrators` are those that it may run with, `fine` the settings of a reference for all of them; without,
    the reference of a run is the same method with a much smaller step.
    """

    model: Model
    seconds: float
    integrators: tuple[str, ...]
    fine: Mapping[str, Any] | None = None
    q: np.ndarray | None = None
    v: np.ndarray | None = None
    tau: np.ndarray | None = None
    commands: Mapping[str, float] = field(default_factory=dict)
    #: arguments of the simulation: laws, controllers, motions, terrain
    given: Mapping[str, Any] = field(default_factory=dict)
    #: least and largest step (s), where those of the method's order do not do
    steps: tuple[float, float] | None = None

    def simulation(self, integrator: str, dt: float, **options: Any) -> Simulation:
        """The machine at its start."""
        sim = Simulation(
            self.model, dt=dt, integrator=integrator, q=self.q, v=self.v, **self.given, **options
        )
        if self.tau is not None:
            sim.tau = self.tau
        for name, command in self.commands.items():
            sim.actuator(name).command = command
        return sim


#: Steps (s) of contact, which are long to compute.
_CONTACT_STEPS = (2e-3, 8e-3)

#: A reference for smooth machines: order 8, at rounding.
_EXACT = {"integrator": "dopri853", "tolerance": 1e-12}


def tree(rng: Rng) -> Machine:
    """An open chain or tree of one to four bodies, fixed or floating, with springs, dampers and torques."""
    spec = _tree_spec(rng, int(rng.integers(1, 5)), floating=rng.random() < 0.25)
    _soften(rng, spec)
    model = spec.compile()
    q, v = _state(model, rng)
    tau = rng.uniform(-2.0, 2.0, model.nv) if rng.random() < 0.5 else None
    return Machine(model, float(rng.uniform(0.5, 3.0)), _SMOOTH, _EXACT, q, v, tau)


def swing(rng: Rng) -> Machine:
    """A plane pendulum of one to three rods that swings for a long time: phases drift, or chaos."""
    spec = ModelSpec("swing")
    count = int(rng.integers(1, 4))
    for i in range(count):
        length = float(rng.uniform(0.3, 1.0))
        mass = float(rng.uniform(0.3, 3.0))
        turn = mass * length**2 / 12.0
        spec.add_body(f"rod{i}", mass, center=(0, 0, -0.5 * length), inertia=(turn, turn, 0.01 * turn))
        place = (0.0, 0.0, -spec.frames[-1].position[2] * -1.0) if i else (0.0, 0.0, 0.0)
        spec.add_joint(
            f"pin{i}", "revolute", f"rod{i - 1}" if i else None, f"rod{i}", axis=(0, 1, 0), position=place
        )
        spec.add_frame(f"end{i}", f"rod{i}", position=(0.0, 0.0, -length))
    model = spec.compile()
    q = rng.uniform(-2.0, 2.0, model.nv)
    return Machine(model, float(rng.uniform(3.0, 8.0)), _SMOOTH, _EXACT, q, np.zeros(model.nv))


def flight(rng: Rng) -> Machine:
    """Bodies that float and are tied to each other, or to the world, by loops alone."""
    spec = ModelSpec("flight", gravity=_gravity(rng))
    count = int(rng.integers(1, 4))
    for i in range(count):
        spec.add_body(f"b{i}", **_solid(rng))
        spec.add_joint(f"j{i}", "free", None, f"b{i}", position=rng.uniform(-0.5, 0.5, 3))
    q, v = _state(spec.compile(), rng)
    names = [f"b{i}" for i in range(count)]
    kinds = ["ball", "revolute", "universal", "cylindrical", "prismatic"]
    for i, name in enumerate(names):
        first = None if i == 0 else names[i - 1]
        if first is None and rng.random() < 0.4 and count > 1:
            continue
        _close(spec, rng, q, str(rng.choice(kinds)), first, name)
    return Machine(spec.compile(), float(rng.uniform(0.5, 2.0)), _CLOSED, _EXACT, q, v)


def four_bar(rng: Rng) -> Machine:
    """A plane four-bar of random lengths, with springs and dampers in its hinges."""
    while True:
        ground, crank, coupler, rocker = (float(x) for x in rng.uniform(0.2, 1.0, 4))
        angle = float(rng.uniform(-np.pi, np.pi))
        pin = crank * np.array([np.cos(angle), np.sin(angle)])
        way = np.array([ground, 0.0]) - pin
        distance = float(np.linalg.norm(way))
        # well away from stretched out, so that the start is not singular
        reach = (distance**2 + coupler**2 - rocker**2) / (2.0 * distance * coupler)
        if abs(reach) < 0.9:
            break
    turn = float(np.arctan2(way[1], way[0]) + rng.choice([-1.0, 1.0]) * np.arccos(reach))
    spec = ModelSpec("four-bar")
    axis = {"axis": (0.0, -1.0, 0.0)}
    for name, length in (("crank", crank), ("coupler", coupler), ("rocker", rocker)):
        mass = float(rng.uniform(0.3, 3.0))
        spec.add_body(name, mass, center=(0.5 * length, 0, 0), inertia=box_inertia(mass, length, 0.05, 0.05))
    spec.add_joint("a", "revolute", None, "crank", damping=_some(rng, 0.5), **axis)
    spec.add_joint("b", "revolute", "crank", "coupler", position=(crank, 0, 0), **axis)
    place = {"position": (coupler, 0, 0), "child_position": (rocker, 0, 0)}
    spec.add_joint(
        "c", "revolute", None, "rocker", position=(ground, 0, 0), stiffness=_some(rng, 5.0), **axis
    )
    spec.add_joint("d", "revolute", "coupler", "rocker", **place, **axis)
    end = pin + coupler * np.array([np.cos(turn), np.sin(turn)])
    lean = float(np.arctan2(end[1], end[0] - ground))
    model = spec.compile()
    q = np.zeros(model.nv)
    for name, value in (("a", angle), ("b", turn - angle), ("c", lean)):
        q[model.joint(name).q] = value
    v = np.zeros(model.nv)
    v[model.joint("a").v] = rng.uniform(-3.0, 3.0)
    return Machine(model, float(rng.uniform(0.5, 2.0)), _CLOSED, _EXACT, q, v)


def closed_tree(rng: Rng) -> Machine:
    """A random tree with one loop in space, to the world or between two of its bodies."""
    while True:
        spec = _tree_spec(rng, int(rng.integers(2, 5)))
        model = spec.compile()
        kind = str(rng.choice(["ball", "universal", "distance", "point_on_plane", "point_on_line"]))
        rows = {"ball": 3, "universal": 4, "distance": 1, "point_on_plane": 1, "point_on_line": 2}[kind]
        if model.nv > rows:
            break
    _soften(rng, spec)
    q, v = _state(spec.compile(), rng)
    names = [body.name for body in spec.bodies]
    second = int(rng.integers(1, len(names)))
    first = None if rng.random() < 0.5 else names[int(rng.integers(0, second))]
    _close(spec, rng, q, kind, first, names[second])
    return Machine(spec.compile(), float(rng.uniform(0.3, 1.5)), _CLOSED, _EXACT, q, v)


def driven(rng: Rng) -> Machine:
    """An arm with servos, motors and velocity drives, and a force law of the time."""
    spec = _tree_spec(rng, int(rng.integers(1, 4)), kinds=("revolute", "prismatic"))
    commands = {}
    for joint in spec.joints:
        kind = str(rng.choice(["motor", "position", "velocity", "general"]))
        options = {
            "motor": {"gain": float(rng.uniform(1.0, 10.0))},
            "position": {
                "stiffness": float(rng.uniform(5.0, 200.0)),
                "damping": float(rng.uniform(0.5, 10.0)),
            },
            "velocity": {"damping": float(rng.uniform(0.5, 10.0))},
            "general": {"gain": 1.0, "bias": (0.1, -5.0, -1.0)},
        }[kind]
        spec.add_actuator(f"{joint.name}_drive", kind, joint.name, **options)
        commands[f"{joint.name}_drive"] = float(rng.uniform(-1.0, 1.0))
    model = spec.compile()
    q, v = _state(model, rng)
    strength, rate = float(rng.uniform(0.0, 3.0)), float(rng.uniform(1.0, 10.0))
    name = model.joints[-1].name

    def shaken(q: Any, v: Any, t: Any) -> dict[str, Any]:
        return {name: strength * sin(rate * t)}

    given = {"laws": [shaken]} if rng.random() < 0.5 else {}
    methods = tuple(m for m in _SMOOTH if m not in ("variational",))
    return Machine(model, float(rng.uniform(0.5, 2.0)), methods, _EXACT, q, v, None, commands, given)


def controlled(rng: Rng) -> Machine:
    """An arm held by a digital controller, which acts once a step."""
    spec = _tree_spec(rng, int(rng.integers(1, 4)), kinds=("revolute", "prismatic"))
    model = spec.compile()
    q, v = _state(model, rng)
    gain, damping = float(rng.uniform(5.0, 60.0)), float(rng.uniform(0.5, 4.0))
    name = model.joints[0].name

    def hold(q: Any, v: Any, t: Any) -> dict[str, Any]:
        return {name: gain * (0.5 - q[name]) - damping * v[name]}

    return Machine(model, float(rng.uniform(0.5, 2.0)), _BOUNDED, None, q, v, given={"controllers": [hold]})


def limited(rng: Rng) -> Machine:
    """An arm with dry friction and joint limits, hard, springy or with restitution."""
    spec = _tree_spec(rng, int(rng.integers(1, 4)), kinds=("revolute", "prismatic"))
    for joint in spec.joints:
        if rng.random() < 0.5:
            joint.friction = float(rng.uniform(0.05, 2.0))
        if rng.random() < 0.6:
            joint.lower, joint.upper = -float(rng.uniform(0.1, 1.0)), float(rng.uniform(0.1, 1.0))
            if rng.random() < 0.3:
                joint.limit_stiffness, joint.limit_damping = float(rng.uniform(1e2, 1e4)), 5.0
            elif rng.random() < 0.5:
                joint.limit_restitution = float(rng.uniform(0.0, 0.8))
    model = spec.compile()
    v = rng.uniform(-2.0, 2.0, model.nv)
    return Machine(model, float(rng.uniform(0.5, 1.5)), _BOUNDED, None, np.zeros(model.nq), v)


def hydraulic(rng: Rng) -> Machine:
    """A boom that a cylinder lifts, or holds."""
    spec = ModelSpec("boom")
    mass, length = float(rng.uniform(20.0, 200.0)), float(rng.uniform(0.8, 2.0))
    spec.add_body("boom", mass, center=(0.5 * length, 0, 0), inertia=box_inertia(mass, length, 0.1, 0.1))
    spec.add_joint("hinge", "revolute", None, "boom", axis=(0, -1, 0), damping=_some(rng, 20.0))
    for name in ("barrel", "rod"):
        spec.add_body(name, 5.0, inertia=(0.1, 0.1, 0.01))
    spec.add_joint("foot", "revolute", None, "barrel", position=(0.3, 0, -0.8), axis=(0, -1, 0))
    spec.add_joint("stroke", "prismatic", "barrel", "rod", axis=(0, 0, 1), lower=0.0, upper=1.6)
    spec.add_joint("eye", "revolute", "rod", "boom", child_position=(0.5, 0, 0), axis=(0, -1, 0))
    spec.add_actuator(
        "lift", "cylinder", "stroke", areas=(2e-3, 1.2e-3), pressure=1.5e7, lower=-1.0, upper=1.0,
        flow=float(rng.uniform(2e-4, 1e-3)),
    )  # fmt: skip
    angle = float(np.arctan2(0.2, 0.8))
    spec.add_keyframe("initial", {"foot": -angle, "stroke": float(np.hypot(0.2, 0.8))})
    commands = {"lift": float(rng.uniform(-0.6, 0.6))}
    return Machine(spec.compile(), float(rng.uniform(0.3, 1.0)), _FIRST, None, commands=commands)


def prescribed(rng: Rng) -> Machine:
    """An arm whose first joint follows a given motion, or a rigid motor."""
    spec = _tree_spec(rng, int(rng.integers(2, 4)), kinds=("revolute", "prismatic"))
    given, commands, first = {}, {}, spec.joints[0].name
    if rng.random() < 0.6:
        size, rate = float(rng.uniform(0.1, 0.8)), float(rng.uniform(1.0, 6.0))
        given = {"motions": {first: lambda t: size * sin(rate * t)}}
    else:
        spec.add_actuator("motor", "rigid_velocity", first)
        commands = {"motor": float(rng.uniform(-2.0, 2.0))}
    model = spec.compile()
    v = rng.uniform(-1.0, 1.0, model.nv)
    return Machine(
        model, float(rng.uniform(0.5, 1.5)), _FIRST, None, np.zeros(model.nq), v, None, commands, given
    )


def wheels(rng: Rng) -> Machine:
    """A cart on four wheels, driven or rolling, on level ground, a slope or hills."""
    from treadle.terrain import Plane, Ramp, random_grid

    spec, mass, radius = ModelSpec("cart"), float(rng.uniform(20.0, 80.0)), float(rng.uniform(0.15, 0.3))
    spec.add_body("body", mass, center=(0, 0, 0.1), inertia=box_inertia(mass, 1.0, 0.5, 0.3))
    spec.add_joint("base", "free", None, "body")
    kind = str(rng.choice(["linear", "viscous", "pacejka"]))
    stiff = {"stiffness": float(rng.uniform(1e4, 4e4)), "damping": float(rng.uniform(5e2, 3e3))}
    speed, drive, rates = float(rng.uniform(0.0, 2.0)), rng.random() < 0.6, {}
    for name, x, y in (("fl", 0.5, 0.3), ("fr", 0.5, -0.3), ("rl", -0.5, 0.3), ("rr", -0.5, -0.3)):
        spec.add_body(name, 2.0, inertia=cylinder_inertia(2.0, radius, 0.08, axis="y"))
        spec.add_joint(f"{name}_axle", "continuous", "body", name, position=(x, y, 0), axis=(0, 1, 0))
        spec.add_wheel(name, f"{name}_axle", radius, width=0.08, model=kind, parameters=stiff)
        rates[f"{name}_axle"] = speed / radius
        if drive:
            spec.add_actuator(name, "velocity", f"{name}_axle", damping=float(rng.uniform(2.0, 20.0)))
    ground: Any = Plane(friction=float(rng.uniform(0.3, 0.9)))
    if rng.random() < 0.3:
        ground = Ramp(
            0.3, float(rng.uniform(0.1, 0.3)), 4.0, flat=2.0, center=(float(rng.uniform(1.5, 3.0)), 0.0)
        )
    elif rng.random() < 0.5:
        ground = random_grid((20, 20), 0.2, 0.05, 1.5, seed=int(rng.integers(1000)))
    height = radius + float(ground.height(0.0, 0.0)) + 0.02
    spec.add_keyframe(
        "initial",
        {"base": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, height)},
        velocities={"base": (0.0, 0.0, 0.0, speed, 0.0, 0.0), **rates},
    )
    commands = {name: float(rng.uniform(0.0, 8.0)) for name in ("fl", "fr", "rl", "rr")} if drive else {}
    given = {"terrain": ground}
    return Machine(spec.compile(), float(rng.uniform(0.5, 1.5)), _FIRST, None, commands=commands, given=given)


def contact(rng: Rng) -> Machine:
    """Balls and boxes that fall, bounce, slide and collide, rigid or compliant."""
    spec = ModelSpec("contact", gravity=(float(rng.uniform(-3.0, 3.0)), 0.0, -9.81))
    _surface(rng, spec)
    spec.add_shape("floor", None, "plane", role="collision", material="skin")
    for i in range(int(rng.integers(1, 3))):
        kind, mass = str(rng.choice(["sphere", "box"])), float(rng.uniform(0.3, 3.0))
        size = (0.1,) if kind == "sphere" else (0.2, 0.2, 0.2)
        spec.add_body(f"b{i}", mass, type=kind, size=size)
        height = 0.1 + 0.3 * i + (0.0 if kind == "box" else float(rng.uniform(0.0, 0.3)))
        spec.add_joint(f"j{i}", "free", None, f"b{i}", position=(float(rng.uniform(-0.05, 0.05)), 0, height))
        spec.add_shape(f"s{i}", f"b{i}", kind, size, role="collision", material="skin")
    model = spec.compile()
    v = np.zeros(model.nv)
    for joint in model.joints:
        v[joint.v][3:] = rng.uniform(-1.0, 1.0, 3) * (1.0, 1.0, 0.0)
    return Machine(model, float(rng.uniform(0.3, 0.6)), _FIRST, v=v, steps=_CONTACT_STEPS)


def arm_on_ground(rng: Rng) -> Machine:
    """A swinging chain whose end strikes a floor."""
    spec = ModelSpec("striker")
    _surface(rng, spec)
    count, reach = int(rng.integers(1, 3)), 0.0
    for i in range(count):
        length, mass = float(rng.uniform(0.3, 0.6)), float(rng.uniform(0.5, 2.0))
        turn = mass * length**2 / 12.0
        spec.add_body(f"rod{i}", mass, center=(0, 0, -0.5 * length), inertia=(turn, turn, 0.1 * turn))
        spec.add_joint(
            f"pin{i}", "revolute", f"rod{i - 1}" if i else None, f"rod{i}", axis=(0, 1, 0),
            position=(0.0, 0.0, -reach if i else 0.0), damping=_some(rng, 0.2),
        )  # fmt: skip
        reach = length if i == 0 else reach + length
    last = spec.bodies[-1]
    spec.add_shape("bob", last.name, "sphere", (0.05,), role="collision", material="skin",
                   position=(0, 0, 2.0 * last.center[2]))  # fmt: skip
    depth = float(rng.uniform(0.6, 1.2)) * reach
    spec.add_shape("floor", None, "plane", role="collision", material="skin", position=(0, 0, -depth))
    model = spec.compile()
    q = np.zeros(model.nv)
    q[0] = rng.choice([-1.0, 1.0]) * rng.uniform(1.3, 1.8)
    return Machine(
        model, float(rng.uniform(0.5, 1.5)), _FIRST, q=q, v=np.zeros(model.nv), steps=_CONTACT_STEPS
    )


def submerged(rng: Rng) -> Machine:
    """A chain of one or two ellipsoids in water, hung up or free, with drag, added mass and a current."""
    from treadle.model.hydrodynamics import Fluid

    spec, count = ModelSpec("submerged"), int(rng.integers(1, 3))
    x, y, z = rng.uniform(-0.3, 0.3, 3).tolist() if rng.random() < 0.5 else (0.0, 0.0, 0.0)
    Fluid(1000.0, current=(x, y, z)).surround(spec)
    for i in range(count):
        half = rng.uniform(0.1, 0.3, 3)
        mass = float(rng.uniform(0.5, 2.0) * 1000.0 * 4.0 / 3.0 * np.pi * half.prod())
        x, y, z = 0.2 * mass * half**2
        spec.add_body(f"b{i}", mass, inertia=(y + z, x + z, x + y))
        kind = "free" if i == 0 and rng.random() < 0.5 else str(rng.choice(["ball", "revolute", "universal"]))
        axes = {} if kind in ("free", "ball") else {"axis": (0.0, 1.0, 0.0)}
        if kind == "universal":
            axes["second_axis"] = (1.0, 0.0, 0.0)
        place = {"position": (0.0, 0.0, -0.5) if i else (0.0, 0.0, 0.0)}
        child = {} if kind == "free" else {"child_position": (0.0, 0.0, 0.5)}
        spec.add_joint(f"j{i}", kind, f"b{i - 1}" if i else None, f"b{i}", **place, **child, **axes)
        drag: dict[str, Any] = (
            {"drag_coefficient": float(rng.uniform(0.2, 1.2))} if rng.random() < 0.7 else {}
        )
        spec.add_hull(f"hull{i}", f"b{i}", size=tuple(half.tolist()), **drag)
    model = spec.compile()
    q, v = _state(model, rng)
    methods = tuple(m for m in _SMOOTH if m != "variational")
    return Machine(model, float(rng.uniform(0.5, 2.0)), methods, _EXACT, q, v)


def rolling(rng: Rng) -> Machine:
    """A disc that rolls without slipping, a trailer behind a sliding hitch, or a bicycle."""
    kind = str(rng.choice(["disc", "trailer", "bicycle"]))
    methods = ("symplectic_euler", "midpoint", "rk4", "dopri5")
    seconds = float(rng.uniform(0.5, 2.0))
    if kind == "bicycle":
        from treadle.scenes import scene

        model = scene("bicycle", speed=float(rng.uniform(3.0, 8.0)), lean=float(rng.uniform(-0.1, 0.1)))
        return Machine(model, seconds, methods, _EXACT)
    spec, mass = ModelSpec(kind), float(rng.uniform(0.5, 5.0))
    if kind == "disc":
        radius = float(rng.uniform(0.1, 0.5))
        across, along = 0.25 * mass * radius**2, 0.5 * mass * radius**2
        spec.add_body("disc", mass, inertia=(across, along, across))
        spec.add_joint("flight", "free", None, "disc", position=(0, 0, radius))
        spec.add_joint("ground", "rolling_disc", None, "disc", radius=radius)
        v = np.array(
            [*rng.uniform(-0.3, 0.3, 1), float(rng.uniform(8.0, 15.0)), *rng.uniform(-1.0, 1.0, 1), 0, 0, 0]
        )
        return Machine(spec.compile(), min(seconds, 1.0), methods, _EXACT, v=v)
    spec.add_body("hitch", mass, inertia=(0.1, 0.1, 0.1))
    spec.add_joint(
        "rail", "prismatic", None, "hitch", axis=(1, 0, 0), stiffness=float(rng.uniform(5.0, 50.0))
    )
    spec.add_body("trailer", **_solid(rng))
    spec.add_joint("swivel", "revolute", "hitch", "trailer", axis=(0, 0, 1))
    spec.add_joint(
        "axle", "knife_edge", None, "trailer", child_position=(-float(rng.uniform(0.5, 1.5)), 0, 0)
    )
    model = spec.compile()
    return Machine(model, seconds, methods, _EXACT, rng.uniform(-0.5, 0.5, 2), rng.uniform(-2.0, 2.0, 2))


#: Functions that draw a machine, by the name of the family.
FAMILIES: dict[str, Callable[[Rng], Machine]] = {
    "tree": tree,
    "swing": swing,
    "four-bar": four_bar,
    "closed tree": closed_tree,
    "flight": flight,
    "driven": driven,
    "controlled": controlled,
    "limited": limited,
    "hydraulic": hydraulic,
    "prescribed": prescribed,
    "wheels": wheels,
    "contact": contact,
    "striker": arm_on_ground,
    "fluid": submerged,
    "rolling": rolling,
}


def _tree_spec(
    rng: Rng,
    count: int,
    kinds: tuple[str, ...] = ("revolute", "prismatic", "cylindrical", "universal", "ball", "helical"),
    floating: bool = False,
) -> ModelSpec:
    """Bodies b0, b1, ... on joints j0, j1, ... of random kinds, mostly one behind the other."""
    spec = ModelSpec("tree", gravity=_gravity(rng))
    for i in range(count):
        kind = "free" if floating and i == 0 else str(rng.choice(kinds))
        options: dict[str, Any] = {"position": rng.uniform(-0.4, 0.4, 3), "rotation": _rotation(rng)}
        if kind not in ("ball", "free"):
            options["axis"] = rng.standard_normal(3)
        if kind == "universal":
            options["second_axis"] = np.cross(options["axis"], rng.standard_normal(3))
        if kind == "helical":
            options["pitch"] = float(rng.uniform(-0.3, 0.3))
        spec.add_body(f"b{i}", **_solid(rng))
        parent = None if i == 0 else f"b{i - 1 if rng.random() < 0.7 else int(rng.integers(i))}"
        spec.add_joint(f"j{i}", kind, parent, f"b{i}", **options)
    return spec


def _soften(rng: Rng, spec: ModelSpec) -> None:
    """Springs and dampers in some joints."""
    for joint in spec.joints:
        joint.damping = _some(rng, 1.0)
        if joint.type in ("revolute", "prismatic", "cylindrical", "universal"):
            joint.stiffness = _some(rng, 30.0)


def _close(spec: ModelSpec, rng: Rng, q: np.ndarray, kind: str, first: str | None, second: str) -> None:
    """Add a joint that is closed at the position q of the machine without loops."""
    from treadle.dynamics.compiled import frame_poses

    model = spec.compile().without_loops()
    names = [frame.name for frame in model.frames]
    poses = frame_poses(model, q)
    X_WP = np.eye(4) if first is None else poses[names.index(first)]
    F_P = np.eye(4)
    F_P[:3, :3], F_P[:3, 3] = _rotation(rng), rng.uniform(-0.3, 0.3, 3)
    F_S = np.linalg.inv(poses[names.index(second)]) @ X_WP @ F_P
    options: dict[str, Any] = {}
    child = F_S[:3, 3]
    if kind == "distance":
        length = float(rng.uniform(0.2, 0.6))
        options, child = {"length": length}, child + length * F_S[:3, 0]
    spec.add_joint(
        f"closing{len(spec.joints)}", kind, first, second, position=F_P[:3, 3], rotation=F_P[:3, :3],
        child_position=child, child_rotation=F_S[:3, :3], **options,
    )  # fmt: skip


def _surface(rng: Rng, spec: ModelSpec) -> None:
    """A material, rigid or compliant, with friction."""
    options: dict[str, float] = {"friction": float(rng.uniform(0.0, 0.8))}
    if rng.random() < 0.7:
        options["restitution"] = float(rng.uniform(0.0, 0.9))
    if rng.random() < 0.5:
        options["stiffness"] = float(10.0 ** rng.uniform(3.5, 6.0))
    spec.add_material("skin", **options)


def _solid(rng: Rng) -> dict[str, Any]:
    """Mass, centre and inertia of a body a few decimetres in size."""
    mass = float(rng.uniform(0.3, 3.0))
    x, y, z = mass * rng.uniform(0.05, 0.3, 3) ** 2
    R = _rotation(rng)
    inertia = R @ np.diag([y + z, x + z, x + y]) @ R.T
    return {"mass": mass, "center": rng.uniform(-0.3, 0.3, 3), "inertia": 0.5 * (inertia + inertia.T)}


def _rotation(rng: Rng) -> np.ndarray:
    Q, R = np.linalg.qr(rng.standard_normal((3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0.0 else Q[:, [1, 0, 2]]


def _gravity(rng: Rng) -> tuple[float, ...]:
    return (0.0, 0.0, -9.81) if rng.random() < 0.8 else tuple(rng.uniform(-10.0, 10.0, 3).tolist())


def _some(rng: Rng, most: float) -> float:
    """Nothing, or a random number below `most`."""
    return float(rng.uniform(0.05, 1.0) * most) if rng.random() < 0.5 else 0.0


def _state(model: Model, rng: Rng) -> tuple[np.ndarray, np.ndarray]:
    """Positions over the joints' range, velocities of order one."""
    q = [x for joint in model.joints for x in joint.type.sample(rng)]
    return np.array(q), rng.uniform(-2.0, 2.0, model.nv)
