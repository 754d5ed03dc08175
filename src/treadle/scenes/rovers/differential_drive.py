"""A small robot on two driven wheels and a caster, which trails behind whichever way the robot goes."""

from __future__ import annotations

from treadle.model import ModelSpec, cylinder_inertia
from treadle.scenes.rovers.build import add_wheel, start_level
from treadle.scenes.rovers.looks import add_tube, add_wheel_looks

__all__ = ["differential_drive"]

#: Of the driven wheels and of the caster (m).
RADIUS, WIDTH, TRACK = 0.08, 0.03, 0.32
CASTER_RADIUS, CASTER_BACK, TRAIL = 0.03, 0.16, 0.03

#: How far the driven wheels are ahead of the middle (m), so that it does not tip over when it brakes.
AHEAD = 0.07

MASS = 12.0

#: Contact of rubber wheels on a hard floor: they stand 1 mm deep.
CONTACT = {"stiffness": 4e4, "damping": 1e3, "grip": 4e3, "side_grip": 4e3}


def differential_drive(speed: float = 0.0) -> ModelSpec:
    """The robot at a `speed` (m/s); the drives "left" and "right" hold their rates (rad/s) up to 2 N m."""
    spec = ModelSpec("differential-drive", settings={"dt": 0.01})
    spec.add_body("body", MASS, center=(0.0, 0.0, 0.05), inertia=cylinder_inertia(MASS, 0.2, 0.2, axis="z"))
    spec.add_joint("base", "free", None, "body")
    for name, y in (("left", 0.5 * TRACK), ("right", -0.5 * TRACK)):
        place = (AHEAD, y, 0.0)
        add_wheel(
            spec, name, "body", place, RADIUS, WIDTH, 0.4, "linear", CONTACT, "rigid_velocity", effort=2.0
        )
        add_wheel_looks(spec, f"{name}_wheel", RADIUS, WIDTH)
    spec.add_body("swivel", 0.15, center=(-0.5 * TRAIL, 0.0, 0.0), inertia=(2e-4, 2e-4, 2e-4))
    height = CASTER_RADIUS - RADIUS
    spec.add_joint(
        "swivel", "continuous", "body", "swivel", position=(-CASTER_BACK, 0.0, height), damping=1e-3
    )
    place = (-TRAIL, 0.0, 0.0)
    add_wheel(spec, "caster", "swivel", place, CASTER_RADIUS, 0.015, 0.05, "linear", CONTACT)
    add_wheel_looks(spec, "caster_wheel", CASTER_RADIUS, 0.015, cleats=0)
    _add_looks(spec)
    start_level(spec, RADIUS - 1e-3, speed)
    return spec


def _add_looks(spec: ModelSpec) -> None:
    """Two round decks on posts, a bumper, a mast with a camera, and the caster's fork."""
    dark, light, red = (0.16, 0.17, 0.19, 1.0), (0.85, 0.85, 0.83, 1.0), (0.75, 0.16, 0.12, 1.0)
    spec.add_shape("chassis", "body", "cylinder", (0.135, 0.06), position=(0.0, 0.0, 0.04), color=dark)
    for level, z in (("lower", 0.12), ("upper", 0.2)):
        spec.add_shape(f"{level}_deck", "body", "cylinder", (0.18, 0.008), position=(0, 0, z), color=light)
    for k, (x, y) in enumerate(((0.12, 0.09), (0.12, -0.09), (-0.12, 0.09), (-0.12, -0.09))):
        add_tube(spec, f"post_{k}", "body", (x, y, 0.07), (x, y, 0.2), 0.006, dark)
    spec.add_shape("bumper", "body", "box", (0.03, 0.22, 0.04), position=(0.16, 0.0, 0.04), color=red)
    add_tube(spec, "mast", "body", (-0.05, 0.0, 0.2), (-0.05, 0.0, 0.42), 0.008, dark)
    spec.add_shape("camera", "body", "box", (0.03, 0.09, 0.03), position=(-0.04, 0.0, 0.43), color=dark)
    for side, y in (("left", 0.012), ("right", -0.012)):
        add_tube(spec, f"fork_{side}", "swivel", (-TRAIL, y, 0.0), (0.0, y, 0.045), 0.004, light)
    spec.add_shape("plate", "swivel", "cylinder", (0.02, 0.006), position=(0, 0, 0.05), color=light)
