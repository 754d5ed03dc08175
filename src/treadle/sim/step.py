"""What a step does, as a program to compile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.forces.law import ForceLaw
from treadle.forces.load import LOAD_SIZE
from treadle.graph import Scalar
from treadle.integrators import INTEGRATORS, System
from treadle.model import lift
from treadle.model.limbs import limb_inputs
from treadle.model.model import Model
from treadle.native.program import Program

__all__ = ["step_program"]


def step_program(
    model: Model,
    integrator: str,
    loaded: bool = False,
    parameters: Sequence[str] = (),
    laws: Sequence[ForceLaw] = (),
) -> Program:
    """One step of the machine: q, v -> q, v under tau (and loads) over dt.

    The clock (start, steps so far) is there where laws ask for the time, which is start + steps dt.
    `parameters` names constants of the model that become inputs; `laws` are traced into the step.
    """
    inputs = {"q": model.nq, "v": model.nv, "tau": model.nv, "dt": 1}
    if laws:
        inputs["clock"] = 2
    if loaded:
        inputs["loads"] = LOAD_SIZE * len(model.bodies)
    if parameters:
        inputs["parameters"] = len(parameters)
    method = INTEGRATORS[integrator]

    def advance(**values: Sequence[Scalar]) -> Mapping[str, Sequence[Scalar]]:
        machine = model
        if parameters:
            machine = lift(model, dict(zip(parameters, values["parameters"], strict=True)))
        system = System(machine, values["tau"], values.get("loads", ()), laws)
        start, steps = values.get("clock", [0.0, 0.0])
        dt = values["dt"][0]
        q, v = method(system, values["q"], values["v"], start + steps * dt, dt)
        return {"next_q": q, "next_v": v} | ({"next_clock": [start, steps + 1.0]} if laws else {})

    digest = f"step {integrator} loaded={loaded} {model.digest}"
    if parameters:
        # the model's digest knows no names, but parameters are found by them
        digest += f" {list(parameters)} {[x.name for x in (*model.links, *model.joints)]}"
    carry = {"next_q": "q", "next_v": "v"} | ({"next_clock": "clock"} if laws else {})
    # what a law, or a method or joint from elsewhere, computes only its graph can tell
    known = not laws and all(
        part.__module__.startswith("treadle.") for part in (method, *[type(j.type) for j in model.joints])
    )
    return Program(digest if known else None, inputs, advance, carry, twins=limb_inputs(model, inputs))
