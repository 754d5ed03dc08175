import numpy as np
import pytest

import treadle as td
from treadle.app.edits import KINDS, Field, change, fields, item_names, parsed, shown
from treadle.app.stage import parts_of
from treadle.errors import InputError, TreadleError
from treadle.formats.save import WRITERS, save_files
from treadle.model.describe import describe
from treadle.scenes import scene_names
from treadle.sim.edit import edited


def still(app) -> None:
    app.pace.pause()
    app.pace.send(lambda sim: None).result()


def test_a_mass_changes_the_dynamics_and_nothing_else(live, until):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.5])
    app = live(sim)
    edit = app.stage.edit
    still(app)
    before, model = sim.save(), sim.model
    edit.choose("body", "lower")
    assert edit.fields["mass"].value == "1"
    edit.fields["mass"].value = "2.5"
    edit.apply.value = True
    until(lambda: sim.model is not model)
    app.pace.send(lambda sim: None).result()
    after = sim.save()
    assert (before.time, before.q.tolist(), before.v.tolist()) == (
        after.time,
        after.q.tolist(),
        after.v.tolist(),
    )
    old, new = (next(b for b in describe(m).bodies if b.name == "lower") for m in (model, sim.model))
    np.testing.assert_allclose(np.array(new.inertia), 2.5 * np.array(old.inertia))
    assert old.center == new.center
    expected = td.forward_dynamics(sim.model, sim.q, sim.v, sim.tau)
    assert not np.allclose(expected, td.forward_dynamics(model, sim.q, sim.v, sim.tau))
    velocity = sim.v.copy()
    app.stage.run.step()
    until(lambda: sim.time > after.time)
    np.testing.assert_allclose((sim.v - velocity) / sim.dt, expected, rtol=1e-6)


def test_a_spring_is_foreseen(live, until, monkeypatch, tmp_path):
    """Where there was none the code is another one, which is made as soon as the joint is chosen."""
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path))
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.5])
    app = live(sim)
    until(lambda: sim.time > 0.0)
    app.stage.edit.choose("joint", "elbow")
    assert app.stage.edit.fields["stiffness"].value == "0"
    app.stage.precompiler.wait()

    def compiled(*arguments: object) -> bytes:
        raise AssertionError("code was compiled")

    model = sim.model
    with monkeypatch.context() as patched:
        patched.setattr("treadle.native.compiler.object_code", compiled)
        app.stage.edit.change("joint", "elbow", {"stiffness": "12.5"})
        until(lambda: sim.model is not model)
        when = sim.time
        until(lambda: sim.time > when)
        app.pace.pause()
    assert sim.model.joint("elbow").stiffness == (12.5,)


def sprung() -> td.ModelSpec:
    spec = td.ModelSpec("sprung")
    spec.add_body("ball", 1.0, inertia=(0.1, 0.1, 0.1))
    spec.add_joint("slide", "prismatic", None, "ball", axis=(1, 0, 0))
    spec.add_spring("tie", None, "ball", (-1, 0, 0), stiffness=50.0, length=1.0)
    spec.add_element("push", "load", ("ball",), force=(1, 0, 0))
    spec.add_element("bed", "bushing", (None, "ball"), stiffness=(1, 1, 1, 4, 4, 4))
    spec.add_tendon("cable", damping=2.0).through(None, (0, 0, 1)).through("ball")
    return spec


def test_elements_and_tendons_are_edited():
    spec = sprung()
    assert shown(spec, "element", "tie")["stiffness"] == "50"
    assert shown(spec, "element", "bed")["stiffness"] == "1, 1, 1, 4, 4, 4"
    change(spec, "element", "tie", {"stiffness": "80", "law": "2*x + max(v, 0)", "length": ""})
    change(spec, "element", "push", {"force": "max(sin(t), 0), 0, 3"})
    change(spec, "element", "bed", {"damping": "0, 0, 0, 1, 1, 1"})
    change(spec, "tendon", "cable", {"stiffness": "7", "length": "0.9, 1", "upper": "1.5"})
    tie, push, bed = spec.compile().elements
    assert (tie.parameters["stiffness"], tie.parameters["law"]) == (80.0, "2*x + max(v, 0)")
    assert tie.parameters["length"] == pytest.approx(1.0)
    assert push.parameters["force"] == ("max(sin(t), 0)", 0.0, 3.0)
    assert bed.parameters["damping"][3][3] == 1.0
    cable = spec.compile().tendons[0]
    assert (cable.stiffness, cable.damping, cable.upper) == ((7.0,), (2.0,), (1.5,))
    assert shown(spec, "tendon", "cable")["length"] == "0.9, 1"
    assert shown(spec, "element", "push")["force"] == "max(sin(t), 0), 0, 3"
    with pytest.raises(InputError, match="has no field"):
        change(spec, "element", "tie", {"mass": "1"})
    with pytest.raises(InputError, match="must be a number in N/m"):
        change(spec, "element", "tie", {"stiffness": "hard"})


def test_a_spring_is_edited_while_it_runs(live, until):
    sim = td.Simulation(sprung().compile(), q=[0.3])
    app = live(sim)
    edit, model = app.stage.edit, sim.model
    edit.choose("element", "tie")
    edit.fields["stiffness"].value = "200"
    edit.apply.value = True
    until(lambda: sim.model is not model)
    assert sim.model.elements[0].parameters["stiffness"] == 200.0
    edit.go("Undo")
    until(lambda: sim.model is model)


def test_a_joint_is_locked_and_freed(live, until):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.5])
    app = live(sim)
    edit = app.stage.edit
    until(lambda: sim.time > 0.05)
    edit.choose("joint", "elbow")
    assert edit.lock.visible
    edit.lock.value = True
    until(lambda: sim.joint("elbow").locked)
    until(lambda: edit.lock.label == "Free")
    place, time = sim.joint("elbow").position, sim.time
    until(lambda: sim.time > time + 0.2)
    assert sim.joint("elbow").position == pytest.approx(place, abs=1e-9)
    edit.lock.value = True
    until(lambda: sim.joint("elbow").velocity != 0.0)
    for which, locked in (("Undo", True), ("Undo", False), ("Redo", True), ("Original", False)):
        edit.go(which)
        until(lambda locked=locked: sim.joint("elbow").locked == locked)
    until(lambda: "joint elbow is locked" in edit.changes.content)


def test_mistakes_leave_the_machine_as_it_was(live):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.5])
    app = live(sim)
    model = sim.model
    app.stage.edit.choose("body", "lower")
    for text in ("-1", "heavy", "", "nan", "1, 2"):
        app.stage.edit.fields["mass"].value = text
        app.stage.edit.apply.value = True
        assert "mass" in app.stage.edit.outcome.content
        app.stage.forgive()
    assert sim.model is model


def test_a_change_is_confirmed_where_it_was_made(live, until):
    app = live(td.Simulation(td.scene("pendulum"), q=[1.0, 0.5]))
    edit = app.stage.edit
    edit.choose("body", "lower")
    before = edit.fields["mass"].value
    edit.fields["mass"].value = "3.5"
    edit.apply.value = True
    until(lambda: edit.outcome.visible)
    assert f"body lower: mass is now 3.5 (was {before})" in edit.outcome.content


def test_another_type_of_joint_builds_the_page_anew(live, until):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.5])
    app = live(sim)
    stage = app.stage
    stage.edit.choose("joint", "elbow")
    stage.edit.fields["type"].value = "fixed" if "fixed" in KINDS["joint"][1][0].choices else "ball"
    stage.edit.apply.value = True
    until(lambda: app.stage is not stage)
    assert app.sim is sim
    assert len(app.sim.q) != 2
    time = sim.time
    until(lambda: sim.time > time)


def test_fields_and_texts():
    spec = describe(td.scene("roadheader"))
    texts = shown(spec, "actuator", "lift_left")
    assert (texts["pressure"], texts["effort"]) == ("25000000", "")
    change(spec, "actuator", "lift_left", {"pressure": "2e7", "effort": "1e5"})
    change(spec, "joint", "lift", {"lower": "", "friction": " 12 "})
    change(spec, "machine", spec.name, {"gravity": "0, 0, -1.62"})
    lift = next(joint for joint in spec.joints if joint.name == "lift")
    pump = next(item for item in spec.actuators if item.name == "lift_left")
    assert (pump.pressure, pump.effort, lift.lower, lift.friction) == (2e7, 1e5, None, 12.0)
    assert tuple(spec.gravity) == (0.0, 0.0, -1.62)
    with pytest.raises(InputError, match="no field 'colour'"):
        change(spec, "joint", "lift", {"colour": "1"})
    with pytest.raises(InputError, match="must be a number in kg"):
        parsed(Field("mass", "kg", ""), "1," * 99)


def suits(app) -> bool:
    """Whether the page is that of the machine as it is now."""
    return not app.stage.closed and app.stage.parts == parts_of(app.sim.model)


@pytest.mark.parametrize(
    ("kind", "part", "texts"),
    [
        ("body", "lower", {"mass": "3.5"}),
        ("body", "lower", {"center": "0, 0, -0.4"}),
        ("joint", "elbow", {"damping": "0.3", "upper": "2"}),
        ("machine", "pendulum", {"gravity": "0, 0, -1.6"}),
        ("joint", "elbow", {"type": "ball"}),
    ],
)
def test_undo_and_redo(live, until, kind, part, texts):
    app = live(td.Simulation(td.scene("pendulum"), q=[1.0, 0.5]))
    sim, original = app.sim, app.sim.model
    app.stage.edit.change(kind, part, texts)
    until(lambda: sim.model is not original and suits(app))
    edited = sim.model
    for which, model in (("Undo", original), ("Redo", edited), ("Original", original), ("Undo", edited)):
        app.stage.edit.go(which)
        until(lambda model=model: sim.model is model and suits(app))
    until(lambda: app.stage.changes.target("Undo").model is original)


def test_nothing_to_undo(live, until):
    app = live(td.Simulation(td.scene("pendulum"), q=[1.0, 0.5]))
    app.stage.edit.go("Undo")
    until(lambda: "nothing to undo" in app.stage.edit.outcome.content)


def crane() -> td.Simulation:
    """A machine with a part of every kind that can be edited."""
    spec = td.ModelSpec("crane")
    spec.add_material("steel", friction=0.4)
    spec.add_body("arm", 20.0, center=(0.5, 0, 0), inertia=td.box_inertia(20.0, 1.0, 0.2, 0.2))
    spec.add_joint("lift", "revolute", None, "arm", axis=(0, -1, 0), damping=5.0)
    spec.add_shape("look", "arm", "box", size=(1.0, 0.3, 0.3), position=(0.5, 0, 0), material="steel")
    spec.add_actuator("hoist", "position", "lift", stiffness=900.0, damping=90.0, lower=-1.0, upper=1.0)
    spec.add_spring("strut", None, "arm", (0, 0, 1), (1, 0, 0), stiffness=100.0)
    spec.add_tendon("cable", stiffness=5.0, length=1.0).through(None, (0, 1, 1)).through("arm", (1, 0, 0))
    return td.Simulation(spec.compile(), contact=False)


#: Another value of every field; those of the drives of other types than the crane's are refused.
OTHERS = {
    "body": {"mass": "3.5", "center": "0.4, 0, 0.1"},
    "joint": {
        "type": "ball", "lower": "-2", "upper": "2", "damping": "0.3", "friction": "1", "stiffness": "4",
        "reference": "0.2", "armature": "0.5",
    },
    "actuator": {
        "gain": "2", "stiffness": "700", "damping": "50", "lower": "-2", "upper": "2", "effort": "80",
        "pressure": "1e7", "relief": "2e7", "flow": "1e-3",
    },
    "material": {"stiffness": "1e6", "damping": "1e3", "restitution": "0.5", "friction": "0.7"},
    "element": {
        "stiffness": "300", "damping": "3", "length": "0.8", "pretension": "5", "acts": "tension",
        "law": "x + v",
    },
    "tendon": {
        "stiffness": "9", "damping": "2", "length": "0.5", "lower": "0.1", "upper": "5", "friction": "0.3",
    },
    "machine": {"gravity": "0, 0, -1.6"},
}  # fmt: skip
REFUSED = {"gain", "pressure", "relief", "flow", "type", "restitution"}


def test_undo_of_every_field_gives_the_same_machine(live, until):
    app = live(crane())
    sim, before, digest = app.sim, describe(app.sim.model), app.sim.model.digest
    assert {kind: set(texts) for kind, texts in OTHERS.items()} == {
        kind: {field.name for field in fields(before, kind, item_names(before, kind)[0])} for kind in KINDS
    }
    still(app)
    refused = set()
    for kind, texts in OTHERS.items():
        part = item_names(before, kind)[0]
        for name, text in texts.items():
            try:
                app.stage.edit.change(kind, part, {name: text})
            except TreadleError:
                refused.add(name)
                continue
            app.send(lambda sim: None).result()
            assert shown(describe(sim.model), kind, part)[name] != shown(before, kind, part)[name], name
            app.stage.edit.go("Undo")
            app.send(lambda sim: None).result()
            assert sim.model.digest == digest, name
            assert describe(sim.model) == before, name
    assert refused <= REFUSED
    assert app.stage.changes.count == 0


@pytest.mark.parametrize("suffix", WRITERS)
def test_an_edited_machine_is_saved_and_loaded_again(live, until, tmp_path, suffix):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.5])
    app = live(sim)
    still(app)
    for kind, part, texts in (
        ("body", "lower", {"mass": "3.5", "center": "0.1, 0, -0.4"}),
        ("joint", "elbow", {"damping": "0.3", "upper": "2"}),
    ):
        app.stage.edit.change(kind, part, texts)
        app.send(lambda sim: None).result()
    name, content, _ = app.stage.edit.saved(suffix)
    assert name == f"pendulum{suffix}"
    (tmp_path / name).write_bytes(content)
    again = td.load(tmp_path / name)
    q, v = np.array([0.7, -0.4]), np.array([1.0, 2.0])
    expected = td.forward_dynamics(sim.model, q, v, [0.3, -0.2])
    assert td.forward_dynamics(again, q, v, [0.3, -0.2]) == pytest.approx(expected, rel=1e-9)
    assert td.forward_dynamics(td.scene("pendulum"), q, v, [0.3, -0.2]) != pytest.approx(expected, rel=1e-2)


def edited_scene(name: str) -> td.Model:
    """A scene whose heaviest body is heavier, and of which a joint is damped."""
    spec = describe(td.scene(name))
    heavy = max(spec.bodies, key=lambda body: body.mass)
    change(spec, "body", heavy.name, {"mass": f"{1.3 * heavy.mass:.9g}"})
    if joints := [joint.name for joint in spec.joints if joint.type in ("revolute", "prismatic")]:
        change(spec, "joint", joints[-1], {"damping": "0.7"})
    return edited(spec)


@pytest.mark.slow
@pytest.mark.parametrize("name", scene_names())
def test_every_scene_is_edited_saved_and_loaded_again(tmp_path, name):
    model = edited_scene(name)
    save_files(model, tmp_path / "again.toml", gather=True)
    again = td.load(tmp_path / "again.toml")
    assert again.digest == model.digest
    assert model.digest != td.scene(name).digest


def test_what_a_file_cannot_say_is_told(live, until):
    app = live(td.Simulation(td.scene("slider-crank")))
    lost = app.stage.edit.saved(".urdf")[2]
    assert lost
    app.stage.edit.format.value = ".urdf"
    app.stage.edit.save.value = True
    until(lambda: "cannot say" in app.stage.edit.outcome.content)
