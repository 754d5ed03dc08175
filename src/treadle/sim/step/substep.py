"""A substep: from one beginning or end of a contact to the next, stage by stage."""

from __future__ import annotations

from math import inf
from typing import Any

from treadle.native.c_types import CPointer, int64, void
from treadle.native.entries import entry
from treadle.native.kernels import part
from treadle.sim.step.account import account
from treadle.sim.step.contact_rows import contact_rows, retarget, stay_apart
from treadle.sim.step.context import read_context
from treadle.sim.step.detect import detect
from treadle.sim.step.flow import flows, glide, land, take_off
from treadle.sim.step.impact import impact
from treadle.sim.step.integrate import displacement, integrate
from treadle.sim.step.joint_rows import joint_rows, stays_idle
from treadle.sim.step.predict import (
    ALL_AGAIN,
    NOTHING_AGAIN,
    SHORTER,
    VELOCITY_AGAIN,
    correct_velocity,
    corrects,
    free_velocity,
    guess_middle,
    predict,
    starts_airborne,
)
from treadle.sim.step.shorten import shorten_at_impact, shorten_at_separation, shorten_before_tunnelling
from treadle.sim.step.solve import STILL, resolve, solve
from treadle.solvers.agreement import agreed, largest

__all__ = ["find_substep", "finish_substep", "substep_entry"]

#: Lengths that are tried until no contact begins or ends in one; the last one is taken as it is.
_ATTEMPTS = 40


def substep_entry() -> int:
    """Where the code begins; kernels call it by address, so that it is not compiled with each of them."""
    return find_substep.address


@entry(void(CPointer(int64)))
def find_substep(table: Any) -> None:
    """Find the substep to the next beginning or end of a contact, at most `now.h`, which is then its length.

    It is negative where collision detection or the integrator failed. `finish_substep` takes it, unless
    `now.taken` says that the integrator did.
    """
    context = read_context(table)
    now = context.now[0]
    now.taken = 0
    now.cut, now.rebound, now.work, now.apart, now.idle = 0, 0, 0.0, 0, 1
    now.airborne = int(starts_airborne(context))
    attempt, again = 0, NOTHING_AGAIN
    while attempt < _ATTEMPTS:
        if attempt == _ATTEMPTS - 1:
            # whatever still begins or ends does so without a rebound
            now.impact_speed, now.idle, now.uncut = inf, 0, 1
        if again == VELOCITY_AGAIN:
            if largest(context, max(correct_velocity(context), retarget(context))) <= STILL:
                break
            resolve(context)
        else:
            if again == NOTHING_AGAIN:
                attempt += 1
                guess_middle(context)
            if now.airborne == 1:
                glide(context)
            elif not agreed(context, predict(context)):
                now.h, again = 0.5 * now.h, NOTHING_AGAIN
                continue
            if not detect(context):
                now.h = -1.0
                return
            again = NOTHING_AGAIN
            if now.woke == 1:
                attempt -= 1
                continue
            if shorten_before_tunnelling(context):
                continue
            if flows(context):
                take_off(context)
                if shorten_at_impact(context):
                    continue
                now.taken = 1
                if not land(context):
                    now.h = -1.0
                return
            if now.airborne == 1:
                now.airborne, again = 0, ALL_AGAIN
                continue
            free_velocity(context)
            joint_rows(context)
            if not agreed(context, contact_rows(context)):
                h, now.h = now.h, 0.0
                guess_middle(context)
                predict(context)
                if not detect(context):
                    now.h = -1.0
                    return
                if now.woke == 0:
                    impact(context)
                now.h = h
                continue
            solve(context)
        again = NOTHING_AGAIN
        if shorten_at_separation(context):
            continue
        if now.idle == 1 and not agreed(context, stays_idle(context) and stay_apart(context)):
            now.idle, again = 0, ALL_AGAIN
            continue
        if shorten_at_impact(context):
            continue
        again = corrects(context)
        if again == NOTHING_AGAIN:
            break
        if again == SHORTER:
            # inertial forces change too much in it
            now.h, again = 0.5 * now.h, NOTHING_AGAIN


@part()
def finish_substep(context):
    """Take the substep that was found."""
    displacement(context)
    account(context)
    integrate(context)
