"""Linkages in MuJoCo, from the built-in scenes: tree joints, and `connect` constraints that close the loops.

MuJoCo gets every loop as one point that two bodies share, which in a planar linkage is all it takes: the
hinges of the tree keep it in its plane.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treadle.bench.peers import peer
from treadle.dynamics.compiled import frame_pose
from treadle.formats.mjcf_write import mjcf_text
from treadle.model import ModelSpec
from treadle.scenes import SCENES

__all__ = ["MujocoLinkage", "pinned"]

#: A gap (m) at which a linkage has come apart.
_APART = 0.1
#: MuJoCo's stiffest impedance; its softest time constant that it does not correct is two steps.
_STIFF_IMPEDANCE, _STIFF_STEPS = (0.9999, 0.9999, 0.001, 0.5, 2.0), 2.0


class MujocoLinkage:
    """A linkage in MuJoCo with the Euler method; `setting` is "defaults", "stiffened" or "CG solver"."""

    def __init__(self, spec: ModelSpec, dt: float, setting: str) -> None:
        self.mujoco = mujoco = peer("mujoco")
        self.model: Any = mujoco.MjModel.from_xml_string(mjcf_text(spec.compile())[0])
        self.model.opt.timestep = dt
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
        self.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
        if setting == "CG solver":
            self.model.opt.solver = mujoco.mjtSolver.mjSOL_CG
        if setting == "stiffened":
            self.model.eq_solref[:] = (_STIFF_STEPS * dt, 1.0)
            self.model.eq_solimp[:] = _STIFF_IMPEDANCE
        self.data: Any = mujoco.MjData(self.model)
        self.restart()

    def restart(self) -> None:
        """Return to the keyframe "initial"."""
        self.mujoco.mj_resetDataKeyframe(self.model, self.data, 0)

    def step(self, count: int) -> None:
        """Advance in MuJoCo's own loop."""
        self.mujoco.mj_step(self.model, self.data, count)

    def gap(self) -> float:
        """The widest gap of a loop (m), where the last step began."""
        first, second = self.data.site_xpos[self.model.eq_obj1id], self.data.site_xpos[self.model.eq_obj2id]
        return float(np.linalg.norm(first - second, axis=1).max())

    def follow(self, seconds: float, control: Callable[[float], float] | None, frame: str) -> dict[str, Any]:
        """Run, the actuator commanded by the time: the widest gap, places of a frame, when it came apart."""
        site, gap = self.data.site(frame), 0.0
        places = []
        before = self.mujoco.get_mju_user_warning()
        # it would be written to a file where the user happens to be
        self.mujoco.set_mju_user_warning(lambda message: None)
        try:
            for _ in range(round(seconds / self.model.opt.timestep)):
                if control is not None:
                    self.data.ctrl[0] = control(self.data.time)
                self.step(1)
                now = self.gap()
                if not now < _APART:
                    return {"apart": float(self.data.time)}
                gap = max(gap, now)
                places.append(site.xpos.copy())
        finally:
            self.mujoco.set_mju_user_warning(before)
        return {"gap": gap, "places": np.array(places)}


def pinned(name: str, **options: Any) -> ModelSpec:
    """A scene without looks whose loops are closed by pins that MJCF can say."""
    spec = SCENES[name](**options)
    if name == "slider-crank":
        _cut_at_the_pin(spec)
    closing = {loop.name for loop in spec.compile().loops}
    for joint in spec.joints:
        if joint.name in closing:
            joint.type = "ball"
    spec.shapes.clear()
    return spec


def _cut_at_the_pin(spec: ModelSpec) -> None:
    """The slider-crank with its slider in the tree: MJCF has no slider that closes a loop."""
    model = spec.compile()
    q, v = model.initial()
    slider = next(joint for joint in spec.joints if joint.name == "slider")
    height = frame_pose(model, q, "piston")[2, 3] - slider.position[2]
    # the piston's speed, from two places a moment apart
    moment = 1e-6
    ahead = frame_pose(model, np.add(q, np.multiply(moment, v)), "piston")[2, 3] - slider.position[2]
    (start,) = spec.keyframes
    for values, value in ((start.positions, height), (start.velocities, (ahead - height) / moment)):
        del values["piston_pin"]
        values["slider"] = float(value)
    spec.joints.remove(slider)
    spec.joints.insert(0, slider)
