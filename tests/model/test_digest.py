"""The digest of a model: it changes with every number that code depends on, and with nothing else."""

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treadle as td
from tests.furnished import furnished_machines
from treadle.joints import Joint
from treadle.model.digest import model_digest
from treadle.spatial import Inertia, Mat3, Transform, Vec3

#: What code depends on.
PARTS = ("bodies", "loops", "actuators", "couplings", "wheels", "frames", "links")

#: Fields that no code reads: names, and what follows from others.
IGNORED = {"name", "joint", "source", "holder", "predecessor_link", "successor_link", "q", "v", "freedom"}

#: An object or list, and the name or place in it of a number.
Place = tuple[Any, str]


def places(item: Any) -> Iterator[Place]:
    """Where the numbers of a part are."""
    for field in _names(item):
        value = getattr(item, field)
        if field == "armature" and hasattr(item, "predecessor"):
            # that of a joint that closes a loop moves nothing
            continue
        if isinstance(value, float) or (isinstance(value, tuple) and value and isinstance(value[0], float)):
            yield item, field
        elif isinstance(value, Mat3):
            for row in value.rows:
                yield from places(row)
        elif is_dataclass(value) or isinstance(value, (Vec3, Transform, Inertia, Joint)):
            yield from places(value)


def _names(item: Any) -> list[str]:
    if is_dataclass(item):
        names = [field.name for field in fields(item)]
        # a joint of the tree is a part of its body, but the name of an actuator's
        return [name for name in names if name not in IGNORED or not isinstance(getattr(item, name), str)]
    return list(vars(item)) if hasattr(item, "__dict__") else list(item.__slots__)


def changed(value: Any, change: Callable[[float], Any]) -> Any:
    return (change(value[0]), *value[1:]) if isinstance(value, tuple) else change(value)


CHANGES = {
    "next": lambda x: math.nextafter(x, math.inf) if math.isfinite(x) else 0.0,
    "opposite": lambda x: -x,
    "of another type": lambda x: int(x) if math.isfinite(x) else str(x),
}


@settings(max_examples=20)
@given(furnished_machines(), st.sampled_from(sorted(CHANGES)))
def test_every_number_counts(spec, change):
    model = copy.deepcopy(spec.compile())
    before = model_digest(model)
    found = [place for part in PARTS for item in getattr(model, part) for place in places(item)]
    for item, name in [(model, "gravity"), *found]:
        value = getattr(item, name)
        object.__setattr__(item, name, changed(value, CHANGES[change]))
        assert model_digest(model) != before
        object.__setattr__(item, name, value)
    assert model_digest(model) == before


@given(furnished_machines())
def test_the_same_machine_has_the_same_digest(spec):
    model = spec.compile()
    assert model_digest(copy.deepcopy(model)) == spec.compile().digest == model.digest


def test_numbers_of_all_parts_are_found():
    """The property above is about something."""
    model = machine().compile()
    kinds = {type(item).__name__ for part in PARTS for x in getattr(model, part) for item, _ in places(x)}
    assert kinds >= {"Vec3", "ModelJoint", "Inertia", "Link", "Actuator", "Coupling", "Loop", "Wheel"}


def machine() -> td.ModelSpec:
    spec = td.ModelSpec("machine")
    for name in ("left", "right", "shared"):
        spec.add_body(name, 1.0, center=(0.0, 0.0, -0.2), inertia=(0.1, 0.2, 0.25))
    spec.add_joint("a", "revolute", None, "left", axis=(0, 1, 0), damping=0.5, stiffness=2.0)
    spec.add_joint("b", "revolute", None, "right", axis=(0, 1, 0), position=(0.5, 0, 0))
    spec.add_joint("c", "universal", "left", "shared", axis=(0, 1, 0), second_axis=(1, 0, 0), damping=0.1)
    spec.add_joint("d", "ball", "right", "shared", damping=0.2)
    spec.add_actuator("motor", "motor", "a", gain=3.0)
    spec.add_coupling("gear", "b", "a", (0.0, 2.0))
    spec.add_wheel("wheel", "b", radius=0.3, width=0.1)
    return spec


@pytest.mark.parametrize("part", ["bodies", "joints", "actuators", "couplings", "wheels"])
def test_names_do_not_count(part):
    spec, before = machine(), machine().compile().digest
    for k, item in enumerate(getattr(spec, part)):
        old, item.name = item.name, f"{part} {k}"
        for other in (*spec.joints, *spec.actuators, *spec.couplings, *spec.wheels):
            for field in ("parent", "child", "joint", "source"):
                if getattr(other, field, None) == old:
                    setattr(other, field, item.name)
    assert spec.compile().digest == before


def test_numbers_are_told_apart_by_where_they_are():
    model = machine().compile()
    body = next(body for body in model.bodies if body.joint.name == "c")

    def digest(**options: tuple[float, ...]) -> str:
        other = replace(body, joint=replace(body.joint, **options))
        return model_digest(replace(model, bodies=tuple(other if b is body else b for b in model.bodies)))

    ones = [
        digest(damping=(1.0, 2.0), stiffness=(3.0, 4.0)),
        digest(damping=(3.0, 4.0), stiffness=(1.0, 2.0)),
        digest(damping=(1.0,), stiffness=(2.0, 3.0, 4.0)),
        digest(damping=(1.0, 2.0, 3.0), stiffness=(4.0,)),
        digest(damping=(1.0, 2.0, 3.0, 4.0), stiffness=()),
        digest(damping=(1, 2.0), stiffness=(3.0, 4.0)),
    ]
    assert len(set(ones)) == len(ones)
    assert digest() == model.digest


def test_the_order_of_parts_counts():
    model = machine().compile()
    for part in ("frames", "links"):
        items = getattr(model, part)
        assert model_digest(replace(model, **{part: items[::-1]})) != model.digest
        assert model_digest(replace(model, **{part: items[:-1]})) != model.digest
