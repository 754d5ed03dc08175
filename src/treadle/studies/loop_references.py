"""Machines with loops against their published solutions.

The four-bar chain with two cells is problem A02 of the IFToMM library; its one freedom follows
I theta'' = c g sin(theta), from which the numbers are computed. The squeezer's angles are those of the
Test Set for Initial Value Problem Solvers (Bari), good to about nine digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.scenes import scene
from treadle.sim import Simulation

__all__ = ["FOUR_BAR_TABLE", "SQUEEZER_ANGLES", "four_bar_row", "squeezer_row"]

#: Place (m) and velocity (m/s) of the first rod's top seen from its pin, x, z, vx, vz, at 1, 2, ... 10 s.
FOUR_BAR_TABLE = (
    (-0.1950203019, -0.9807992057, -6.6766780369, 1.3275783252),
    (0.0578157958, 0.9983272679, 1.0172601366, -0.0589122487),
    (-0.5493397393, -0.8355990970, -5.4804640313, 3.6029678504),
    (0.1176161024, 0.9930591385, 1.0690392650, -0.1266150492),
    (-0.8113104610, -0.5846155454, -3.5691173972, 4.9531051713),
    (0.1813811262, 0.9834128772, 1.1551142877, -0.2130498138),
    (-0.9582707549, -0.2858621352, -1.5770002352, 5.2864406298),
    (0.2510559146, 0.9679725862, 1.2743121057, -0.3305089377),
    (-0.9999622725, 0.0086863962, 0.0422797953, 4.8671738010),
    (0.3284581115, 0.9445185382, 1.4230514702, -0.4948688455),
)

#: Angles (rad) of the squeezer at 0.03 s.
SQUEEZER_ANGLES = {
    "beta": 15.81077119629904,
    "theta": -15.75637105984298,
    "gamma": 0.04082224013073101,
    "phi": -0.5347301163226948,
    "delta": 0.5244099658805304,
    "omega": 0.5347301163226948,
    "epsilon": 1.048080741042263,
}


def four_bar_row() -> dict[str, Any]:
    """Ten seconds through the singular position, every second against the table."""
    sim = Simulation(scene("four-bar-chain"), 1e-3, "rk4")
    (x, _, z), worst = sim.body("rod0").position, 0.0
    for expected in FOUR_BAR_TABLE:
        sim.run(1.0)
        top = sim.body("top0")
        place, speed = np.array(top.position) - (x, 0.0, z), np.array(top.velocity)[-3:]
        worst = max(worst, np.abs(np.array([place[0], place[2], speed[0], speed[2]]) - expected).max())
    return _row(sim, "Treadle, rk4", float(worst))


def squeezer_row() -> dict[str, Any]:
    """Thirty milliseconds of the squeezer, in which its crank turns two and a half times."""
    sim = Simulation(scene("squeezer"), 1e-6)
    sim.run(0.03)
    found = np.array([sim.joint(name).position for name in SQUEEZER_ANGLES])
    worst = float(np.abs(found - list(SQUEEZER_ANGLES.values())).max())
    return _row(sim, "Treadle, rk4", worst)


def _row(sim: Simulation, engine: str, error: float) -> dict[str, Any]:
    return {
        "machine": sim.model.name, "engine": engine, "dt": sim.dt * 1e3,
        "gap": sim.quality()["loop residual"], "error": error,
    }  # fmt: skip
