"""Every number of the roadheader that its motion, its masses and its outline depend on.

A longitudinal boom roadheader of the EBZ230 class (230 kW at the cutter). No maker's data sheet of that
machine is public, so the numbers marked [F] are those of a public 60 t model of its sister, the EBZ260
(rounded to mm), and the others are this model's own choice [O], made to fit them and to look right.

Axes of every body: x forward to the rock face, y left, z up; m, kg, rad, Pa. The main body's frame is on
the floor. Points are given in the frame of the body that is named.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, radians

__all__ = ["CYLINDERS", "DRIVES", "MASSES", "RANGES", "Cylinder", "Drive", "body_masses"]

Point = tuple[float, float, float]

# ----------------------------------------------------------------------------------------------------------
# where the moving bodies hang
# ----------------------------------------------------------------------------------------------------------

#: slewing axis on the main body [F]
SLEW_AXIS: Point = (0.610, 0.0, 1.507)
#: lifting axis on the arm base [F]
LIFT_AXIS: Point = (0.744, 0.0, 0.033)
#: elevation of the boom at lift = 0, so that the travel of 85 deg [F] runs from -22.5 to 62.5 deg [O]
LIFT_ZERO = radians(17.5)
#: telescopic arm on the boom's axis at extend = 0 [F]
TELESCOPE_MOUNT: Point = (2.198, 0.0, 0.0)
#: cutting head on the telescopic arm [F]
HEAD_MOUNT: Point = (0.941, 0.0, 0.0)
#: hinge of the shovel plate on the main body [O]
SHOVEL_HINGE: Point = (1.200, 0.0, 0.660)
#: slope of the apron's deck, and the edge of its lip on the shovel plate [O]
DECK_SLOPE = radians(12.0)
DECK_LIP: Point = (2.450, 0.0, -0.635)
#: star wheels on the deck: distance from the hinge, from the middle [O]
STAR_X, STAR_Y = 1.450, 0.880
#: frames fixed to the main body [O]
CRAWLER_MOUNT: Point = (-1.270, 0.920, 0.0)
CONVEYOR_MOUNT: Point = (1.200, 0.0, 0.520)
REAR_MOUNT: Point = (-3.300, 0.0, 0.750)
#: hinge of the left support leg on the rear frame [O]
LEG_HINGE: Point = (-0.350, 0.950, -0.030)

#: joint ranges: slew, lift, extend and shovel [F], legs [O]
RANGES = {
    "slew": (radians(-38.0), radians(36.0)),
    "lift": (radians(-40.0), radians(45.0)),
    "extend": (-0.340, 0.300),
    "shovel": (radians(-15.0), radians(15.0)),
    "rear_leg_left": (radians(-30.0), radians(12.0)),
    "rear_leg_right": (radians(-30.0), radians(12.0)),
}

# ----------------------------------------------------------------------------------------------------------
# outline
# ----------------------------------------------------------------------------------------------------------

#: cutting head: length and largest radius of its body without the picks [O]
HEAD_LENGTH, HEAD_RADIUS = 0.960, 0.385
#: three spirals of sixteen picks, wound once round the head [O]
SPIRALS, PICKS_PER_SPIRAL, SPIRAL_TURN = 3, 16, radians(330.0)
#: boom: radius of the motor housing, of the outer telescopic tube and where that ends [O]
MOTOR_RADIUS, SLEEVE_RADIUS, SLEEVE_END = 0.450, 0.400, 2.340
#: crawlers: sprocket to idler, radius to the shoes' grip, width and number of shoes [O]
CRAWLER_BASE, CRAWLER_RADIUS, SHOE_WIDTH, SHOE_COUNT = 3.300, 0.420, 0.580, 48
#: shovel plate: full width at the lip, width at its root [O]
SHOVEL_WIDTH, SHOVEL_ROOT = 3.200, 2.300
#: conveyor: clear width, rise of the tail boom [O]
CONVEYOR_WIDTH, TAIL_RISE = 0.620, radians(13.0)

# ----------------------------------------------------------------------------------------------------------
# masses (kg)
# ----------------------------------------------------------------------------------------------------------

#: The assemblies weigh what they do in the model that the facts come from (59 980 kg in all): base 40 000
#: with slewing and rear cylinders, swing table 2220, boom 8000 with lifting and telescope cylinders,
#: telescope 800, head 2410, shovel cylinders 350, shovel plate 6000, star wheels 100 each [F]. How the base
#: and the boom are divided is [O]; slewing and lifting cylinders weigh 215 + 107 and 270 + 260 [F].
MASSES = {
    "main_body": 18_996.0,
    "crawler_left": 6_800.0,
    "crawler_right": 6_800.0,
    "conveyor": 3_400.0,
    "rear_frame": 2_600.0,
    "rear_leg_left": 220.0,
    "rear_leg_right": 220.0,
    "arm_base": 2_220.0,
    "supporting_arm": 6_810.0,
    "telescopic_arm": 800.0,
    "cutting_head": 2_410.0,
    "shovel_plate": 6_000.0,
    "gathering_arm_left": 100.0,
    "gathering_arm_right": 100.0,
}

# ----------------------------------------------------------------------------------------------------------
# hydraulics
# ----------------------------------------------------------------------------------------------------------

#: pressure of the pump and of the relief valves (Pa) [O]
SUPPLY, RELIEF = 25.0e6, 28.0e6
#: oil: bulk modulus with air and hoses (Pa), leakage past the piston (m3/(s Pa)) [O]
BULK_MODULUS, LEAKAGE = 1.4e9, 2.0e-13


@dataclass(frozen=True)
class Cylinder:
    """A hydraulic cylinder between points of two bodies, and the joint that it moves."""

    name: str
    joint: str
    barrel_body: str
    barrel_pin: Point
    rod_body: str
    rod_pin: Point
    #: direction of the pins, "y" or "z": the cylinder swings in the plane across it
    pin_axis: str
    #: diameters of piston and rod
    bore: float
    rod: float
    #: pin to pin with the piston at the bottom, and how far it comes out
    closed: float
    stroke: float
    #: of barrel and rod (kg)
    masses: tuple[float, float]
    #: rated speed of the extending rod (m/s), which sets the rated flow
    speed: float

    @property
    def areas(self) -> tuple[float, float]:
        """Of the piston's cap side and rod side (m2)."""
        return pi / 4 * self.bore**2, pi / 4 * (self.bore**2 - self.rod**2)

    @property
    def outside(self) -> float:
        """Outer diameter of the barrel: its wall is an eighth of the bore."""
        return 1.25 * self.bore

    def mirrored(self) -> Cylinder:
        """The right-hand twin of a left-hand cylinder."""
        values = {**vars(self)}
        for field in ("barrel_pin", "rod_pin"):
            x, y, z = values[field]
            values[field] = (x, -y, z)
        for field in ("name", "joint", "barrel_body", "rod_body"):
            values[field] = values[field].replace("_left", "_right")
        return Cylinder(**values)


_SLEW = Cylinder(
    "slew_left", "slew", "main_body", (-1.290, 0.720, 1.220), "arm_base", (0.0, 0.720, -0.287), "z",
    bore=0.180, rod=0.125, closed=1.445, stroke=0.925, masses=(215.0, 107.0), speed=0.060,
)  # fmt: skip
_LIFT = Cylinder(
    "lift_left", "lift", "arm_base", (0.694, 0.560, -0.567), "supporting_arm", (1.550, 0.560, -0.420), "y",
    bore=0.220, rod=0.150, closed=1.355, stroke=0.780, masses=(270.0, 260.0), speed=0.045,
)  # fmt: skip
_EXTEND = Cylinder(
    "extend", "extend", "supporting_arm", (1.200, 0.0, 0.560), "telescopic_arm", (0.620, 0.0, 0.560), "y",
    bore=0.125, rod=0.080, closed=1.260, stroke=0.675, masses=(85.0, 45.0), speed=0.040,
)  # fmt: skip
_SHOVEL = Cylinder(
    "shovel_left", "shovel", "main_body", (0.200, 0.400, 0.300), "shovel_plate", (-0.030, 0.400, -0.435), "y",
    bore=0.140, rod=0.090, closed=0.840, stroke=0.260, masses=(105.0, 70.0), speed=0.030,
)  # fmt: skip
_REAR_SUPPORT = Cylinder(
    "rear_support_left", "rear_leg_left", "rear_frame", (-0.250, 0.950, 0.750), "rear_leg_left",
    (-0.650, 0.0, -0.100), "y",
    bore=0.160, rod=0.110, closed=0.880, stroke=0.380, masses=(95.0, 65.0), speed=0.040,
)  # fmt: skip

#: The nine cylinders [O]; slewing, lifting and telescope use the strokes 0.9, 0.73 and 0.64 m of [F].
CYLINDERS = (
    _SLEW, _SLEW.mirrored(), _LIFT, _LIFT.mirrored(), _EXTEND, _SHOVEL, _SHOVEL.mirrored(),
    _REAR_SUPPORT, _REAR_SUPPORT.mirrored(),
)  # fmt: skip


def body_masses() -> dict[str, float]:
    """Mass of every body (kg), barrels and rods included."""
    masses = dict(MASSES)
    for cylinder in CYLINDERS:
        masses[f"{cylinder.name}_barrel"], masses[f"{cylinder.name}_rod"] = cylinder.masses
    return masses


@dataclass(frozen=True)
class Drive:
    """A motor with its gears, on the joint that it turns."""

    name: str
    joint: str
    #: (W)
    power: float
    #: slow and fast gear (rad/s)
    speeds: tuple[float, float]

    @property
    def torque(self) -> float:
        """Rated torque at full speed (N m); a pole-changing motor keeps it in the slow gear."""
        return self.power / self.speeds[1]


_RPM = 2 * pi / 60

#: cutter 230 kW at 28 and 55 r/min; star wheels about 30 r/min [O]
DRIVES = (
    Drive("cutter", "cutter", 230.0e3, (28 * _RPM, 55 * _RPM)),
    Drive("gather_left", "gather_left", 22.0e3, (15 * _RPM, 30 * _RPM)),
    Drive("gather_right", "gather_right", 22.0e3, (15 * _RPM, 30 * _RPM)),
)
