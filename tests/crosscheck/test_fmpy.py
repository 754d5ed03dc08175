"""FMUs in FMPy: they pass its validation and simulate to Treadle's digits, alone and together."""

import shutil

import numpy as np
import pytest

import treadle as td

fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed (the extra 'fmu')")

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on this computer"),
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(scope="module", params=["fmu", "fmu2"])
def linkage(request, tmp_path_factory):
    """A slider-crank, which has a loop, as an FMU."""
    folder = tmp_path_factory.mktemp(request.param)
    (file,) = td.export(td.scene("slider-crank"), folder, request.param, name="linkage")
    return str(file)


def torque_name(model):
    return f"{model.joints[0].name}.torque"


def driven(model, torque, seconds):
    sim = td.Simulation(model)
    sim.tau[0] = torque
    sim.run(seconds)
    return sim


def test_it_is_valid(linkage):
    from fmpy.validation import validate_fmu

    assert validate_fmu(linkage) == []


def test_it_simulates_to_treadles_digits(linkage):
    model = td.scene("slider-crank")
    names = [f"{joint.name}.position" for joint in model.joints]
    result = fmpy.simulate_fmu(
        linkage, stop_time=0.2, output_interval=1e-2, start_values={torque_name(model): 0.3}, output=names
    )
    sim = driven(model, 0.3, 0.2)
    np.testing.assert_allclose([result[name][-1] for name in names], sim.q, rtol=0.0, atol=1e-9)
    assert abs(sim.q[0] - td.Simulation(model).q[0]) > 1e-4


def test_a_step_that_is_no_multiple(linkage):
    """What is left over of a communication step is taken as a shorter step."""
    model = td.scene("slider-crank")
    name = f"{model.joints[0].name}.position"
    result = fmpy.simulate_fmu(
        linkage, stop_time=0.1, output_interval=2.5e-3, start_values={torque_name(model): 0.3}, output=[name]
    )
    assert result["time"][-1] == pytest.approx(0.1)
    assert result[name][-1] == pytest.approx(driven(model, 0.3, 0.1).q[0], abs=1e-5)


def test_the_state_can_be_saved_and_restored(linkage):
    description = fmpy.read_model_description(linkage)
    reference = {variable.name: variable.valueReference for variable in description.modelVariables}
    name = f"{td.scene('slider-crank').joints[0].name}.position"
    unit = fmpy.instantiate_fmu(fmpy.extract(linkage), description, "CoSimulation")
    newer = description.fmiVersion.startswith("3")
    read = unit.getFloat64 if newer else unit.getReal
    save = unit.getFMUState if newer else unit.getFMUstate
    back = unit.setFMUState if newer else unit.setFMUstate
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    unit.doStep(0.0, 0.01)
    state, there = save(), read([reference[name]])
    unit.doStep(0.01, 0.01)
    first = read([reference[name]])
    assert first != there
    back(state)
    assert read([reference[name]]) == there
    unit.doStep(0.01, 0.01)
    assert read([reference[name]]) == first
    unit.terminate()
    unit.freeInstance()
