"""FMUs in FMPy: they pass its validation and simulate to Treadle's digits, alone and together."""

import shutil

import numpy as np
import pytest

import treadle as td
from tests.exports.machines import MACHINES, four_bar

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


@pytest.mark.parametrize("kind", ["fmu", "fmu2"])
def test_model_exchange(kind, tmp_path):
    """An importing tool's own integrator gets where Treadle's does, with a loop, a spring and a motor."""
    start = four_bar()
    (file,) = td.export(start, tmp_path, kind, name="linkage")
    names = [f"{joint.name}.position" for joint in start.model.joints]
    result = fmpy.simulate_fmu(
        str(file),
        fmi_type="ModelExchange",
        solver="CVode",
        relative_tolerance=1e-10,
        stop_time=0.2,
        output=names,
    )
    exact = td.Simulation(start.model, dt=1e-3, integrator="dopri5", q=start.q, v=start.v, tolerance=1e-12)
    exact.actuator("motor").command = start.actuator("motor").command
    exact.run(0.2)
    np.testing.assert_allclose([result[name][-1] for name in names], exact.q, rtol=0.0, atol=1e-6)
    assert np.abs(exact.q - start.q).max() > 1e-2


@pytest.mark.parametrize("kind", ["fmu", "fmu2"])
@pytest.mark.parametrize("name", ["sprung arm", "four-bar", "slide"])
def test_rates_and_directional_derivatives(name, kind, tmp_path):
    from fmpy.validation import validate_fmu

    sim = MACHINES[name]()
    (file,) = td.export(sim, tmp_path, kind, name="machine")
    assert validate_fmu(str(file)) == []
    description = fmpy.read_model_description(str(file))
    listed = {variable.name: variable for variable in description.modelVariables}
    states = [v.derivative.valueReference for v in description.modelVariables if v.derivative is not None]
    rates = [v.valueReference for v in description.modelVariables if v.derivative is not None]
    unit = fmpy.instantiate_fmu(fmpy.extract(str(file)), description, "ModelExchange")
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    read, write = (unit.getFloat64, unit.setFloat64) if kind == "fmu" else (unit.getReal, unit.setReal)
    rng = np.random.default_rng(0)
    inputs = [v.valueReference for v in description.modelVariables if v.causality == "input"]
    known = [*states, *inputs]
    at = np.array(read(known))
    seed = rng.normal(size=len(known)) * np.maximum(np.abs(at), 1.0)
    found = np.array(unit.getDirectionalDerivative(rates, known, list(seed)))
    ends = []
    for sign in (1.0, -1.0):
        write(known, list(at + sign * 1e-6 * seed))
        ends.append(np.array(read(rates)))
    expected = (ends[0] - ends[1]) / 2e-6
    scale = np.maximum(np.abs(expected), 1e-3 * np.abs(expected).max())
    np.testing.assert_allclose(found / scale, expected / scale, atol=1e-5)
    write(known, list(at))
    velocities = [f"der({joint.name}.velocity)" for joint in sim.model.joints]
    if not sim.model.closed:
        accelerations = np.array(read([listed[key].valueReference for key in velocities]))
        np.testing.assert_allclose(accelerations, td.derivatives(sim).acceleration, rtol=1e-9, atol=1e-9)
    unit.terminate()
    unit.freeInstance()


def test_a_machine_with_dry_friction_is_for_co_simulation_alone(tmp_path):
    (file,) = td.export(td.scene("friction-chain"), tmp_path, "fmu", name="chain")
    description = fmpy.read_model_description(str(file))
    assert description.modelExchange is None
    assert description.coSimulation is not None
