"""The compiled functions: what they say about wrong arguments, whose memory they use, and threads.

What they compute is tested against each other in identities/ and against others in crosscheck/.
"""

import sys
import threading

import numpy as np
import pytest

import treadle as td
from tests.machines import random_spec, random_state
from tests.native.direct import identical
from treadle.dynamics import compiled

GOOD = ([0.1, 0.2], [0.3, 0.4], [0.5, 0.6])


@pytest.fixture(scope="module")
def model() -> td.Model:
    return td.scene("pendulum")


@pytest.fixture(scope="module")
def mixed() -> td.Model:
    """A ball joint on a slider, beside a link that is fixed to the world."""
    spec = td.ModelSpec("mixed")
    solid = {"center": (0.1, 0.0, -0.2), "inertia": (0.1, 0.2, 0.15)}
    spec.add_body("ground", 1.0)
    spec.add_body("cart", 2.0, **solid)
    spec.add_body("head", 1.0, **solid)
    spec.add_joint("bolt", "fixed", None, "ground")
    spec.add_joint("rail", "prismatic", "ground", "cart", axis=(1, 0, 0))
    spec.add_joint("neck", "ball", "cart", "head", position=(0, 0, 0.5))
    spec.add_frame("eye", "head", position=(0.1, 0, 0))
    return spec.compile()


FUNCTIONS = {
    "forward_dynamics": (td.forward_dynamics, "qvt"),
    "inverse_dynamics": (td.inverse_dynamics, "qva"),
    "mass_matrix": (td.mass_matrix, "q"),
    "derivatives": (td.derivatives, "qvt"),
    "inverse_dynamics_jacobians": (td.inverse_dynamics_jacobians, "qva"),
    "frame_poses": (td.frame_poses, "q"),
    "center_of_mass": (td.center_of_mass, "q"),
    "kinetic_energy": (td.kinetic_energy, "qv"),
    "potential_energy": (td.potential_energy, "q"),
    "momentum": (td.momentum, "qv"),
}
LABELS = {"q": "q", "v": "v", "t": "tau", "a": "a"}


def replaced(arguments: str, place: int, value) -> list:
    given = [GOOD["qvta".index(letter) % 3] for letter in arguments]
    given[place] = value
    return given


PLACES = [(name, place) for name, (_, letters) in FUNCTIONS.items() for place in range(len(letters))]


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_wrong_length(model, name, place):
    function, letters = FUNCTIONS[name]
    label = LABELS[letters[place]]
    for value, shape in (([0.1], "(1,)"), ([0.1] * 3, "(3,)"), ([], "(0,)")):
        with pytest.raises(td.InputError) as caught:
            function(model, *replaced(letters, place, value))
        assert str(caught.value) == f"{name}: {label} of 'pendulum' must have shape (2,), not {shape}"


@pytest.mark.parametrize(("name", "place"), PLACES)
@pytest.mark.parametrize("value", ["ab", [0.1, "x"], {"a": 1, "b": 2}, [[0.1], 0.2]])
def test_wrong_type(model, name, place, value):
    function, letters = FUNCTIONS[name]
    with pytest.raises(
        td.InputError, match=f"^{name}: {LABELS[letters[place]]} must be a vector of 2 numbers"
    ):
        function(model, *replaced(letters, place, value))


@pytest.mark.parametrize("value", [None, 3.0, object()])
def test_no_vector_at_all(model, value):
    with pytest.raises(td.InputError, match=r"^mass_matrix: q "):
        td.mass_matrix(model, value)


@pytest.mark.parametrize(("name", "place"), PLACES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(model, name, place, bad):
    function, letters = FUNCTIONS[name]
    label = LABELS[letters[place]]
    with pytest.raises(td.InputError) as caught:
        function(model, *replaced(letters, place, [0.1, bad]))
    assert str(caught.value) == f"{name}: {label}[1] is {bad} (joint 'elbow')"


def test_the_joint_of_a_position_is_found_among_longer_ones(mixed):
    q, v = [0.0, 1.0, 0.0, 0.0, 0.0], [0.0] * 4
    with pytest.raises(td.InputError, match=r"q\[4\] is nan \(joint 'neck'\)"):
        td.mass_matrix(mixed, [*q[:4], np.nan])
    with pytest.raises(td.InputError, match=r"v\[1\] is nan \(joint 'neck'\)"):
        td.kinetic_energy(mixed, q, [0.0, np.nan, 0.0, 0.0])
    with pytest.raises(td.InputError, match=r"tau\[0\] is inf \(joint 'rail'\)"):
        td.forward_dynamics(mixed, q, v, [np.inf, 0.0, 0.0, 0.0])


def test_forces_on_bodies(mixed):
    q, v, tau = mixed.neutral(), [0.0] * 4, [0.0] * 4
    for function in (td.forward_dynamics, td.inverse_dynamics):
        for force in ([1.0, 2.0], [[0.0] * 5], "abc", None, [1, 2, 3, 4, 5, "x"]):
            with pytest.raises(
                td.InputError, match=r"the force on 'head' must be six numbers \(moment, force\)"
            ):
                function(mixed, q, v, tau, {"head": force})
        with pytest.raises(
            td.InputError, match="'ground' is fixed to the world: a force on it moves nothing"
        ):
            function(mixed, q, v, tau, {"ground": [0.0] * 6})
        with pytest.raises(td.InputError, match="no link or frame named 'hed'; did you mean 'head'"):
            function(mixed, q, v, tau, {"hed": [0.0] * 6})
        with pytest.raises(td.InputError, match=r"external\[8\] is nan \(body 'head'\)"):
            function(mixed, q, v, tau, {"head": [0.0, 0.0, np.nan, 0.0, 0.0, 0.0]})
    with pytest.raises(td.InputError, match="'ground' is fixed to the world"):
        td.impulse_response(mixed, q, None, {"ground": [0.0] * 6})


def test_forces_on_links_of_one_body_add_up(mixed):
    q, v, tau = [0.1, 1.0, 0.0, 0.0, 0.0], [0.1] * 4, [0.2] * 4
    both = td.forward_dynamics(
        mixed, q, v, tau, {"head": [1.0, 0, 0, 0, 2.0, 0], "eye": [0, 3.0, 0, 0, 0, 1.0]}
    )
    one = td.forward_dynamics(mixed, q, v, tau, {"head": [1.0, 3.0, 0, 0, 2.0, 1.0]})
    assert identical(both, one)
    assert not identical(one, td.forward_dynamics(mixed, q, v, tau))


def test_unknown_names(model):
    for function in (td.frame_pose, td.frame_jacobian):
        with pytest.raises(td.InputError, match="has no link or frame named 'uper'; did you mean 'upper'"):
            function(model, GOOD[0], "uper")


def test_machines_that_forces_cannot_move():
    spec = td.ModelSpec("loose")
    spec.add_body("ghost")
    spec.add_joint("hinge", "revolute", None, "ghost")
    loose = spec.compile(strict=False)
    for function in (td.forward_dynamics, td.derivatives):
        with pytest.raises(td.ModelError, match="no inertia along the motion of this joint"):
            function(loose, [0.0], [0.0], [0.0])
    # what needs no inverse is still answered
    assert td.mass_matrix(loose, [0.0]).tolist() == [[0.0]]
    assert td.inverse_dynamics(loose, [0.0], [0.0], [1.0]).tolist() == [0.0]


# memory and threads


def results(function, letters, model, arguments) -> list[np.ndarray]:
    result = function(model, *[arguments["qvta".index(letter) % 3] for letter in letters])
    return [np.asarray(x) for x in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_new_arrays(model, name):
    function, letters = FUNCTIONS[name]
    other = ([0.7, -0.8], [0.9, 1.0], [-1.1, 1.2])
    first = results(function, letters, model, GOOD)
    kept = [x.copy() for x in first]
    second = results(function, letters, model, other)
    assert all(identical(a, b) for a, b in zip(first, kept, strict=True))
    for x in second:
        x[...] = np.nan
    assert all(identical(a, b) for a, b in zip(results(function, letters, model, GOOD), kept, strict=True))


def test_arguments_of_any_kind(model):
    expected = td.forward_dynamics(model, *GOOD)
    for kind in (
        tuple,
        np.array,
        lambda x: np.array(x, dtype=np.float64)[::1],
        lambda x: np.array([x, x]).T[:, 0],
    ):
        assert identical(td.forward_dynamics(model, *[kind(x) for x in GOOD]), expected)
    whole = td.forward_dynamics(model, [1, 0], [0, 1], [2, 2])
    assert identical(
        td.forward_dynamics(model, np.array([1, 0]), [0.0, 1.0], np.array([2, 2], dtype=np.int8)), whole
    )


def test_results_that_are_numbers(model):
    assert type(td.kinetic_energy(model, *GOOD[:2])) is float
    assert type(td.potential_energy(model, GOOD[0])) is float


def test_shapes(mixed):
    q, v, tau = [0.1, 1.0, 0.0, 0.0, 0.0], [0.1] * 4, [0.2] * 4
    assert td.mass_matrix(mixed, q).shape == (4, 4)
    assert td.frame_jacobian(mixed, q, "eye").shape == (6, 4)
    assert td.frame_poses(mixed, q).shape == (len(mixed.frames), 4, 4)
    assert [x.shape for x in td.derivatives(mixed, q, v, tau)] == [(4,), (4, 4), (4, 4), (4, 4)]
    assert [x.shape for x in td.inverse_dynamics_jacobians(mixed, q, v, tau)] == [(4, 4), (4, 4)]
    assert td.impulse_response(mixed, q).tolist() == [0.0] * 4
    assert td.momentum(mixed, q, v).shape == (6,)
    assert td.center_of_mass(mixed, q).shape == (3,)


def test_a_machine_that_cannot_move():
    spec = td.ModelSpec("stone")
    spec.add_body("stone", 1.0)
    spec.add_joint("bolt", "fixed", None, "stone", position=(1, 2, 3))
    stone = spec.compile()
    assert td.forward_dynamics(stone, [], [], []).shape == (0,)
    assert td.mass_matrix(stone, []).shape == (0, 0)
    assert td.frame_pose(stone, [], "stone")[:3, 3].tolist() == [1.0, 2.0, 3.0]


@pytest.fixture
def restless():
    """Threads that take turns as often as the interpreter can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("restless")
def test_calls_from_several_threads():
    """The first of them compiles; all get their own results."""
    model = random_spec(np.random.default_rng(5), 4, ("revolute", "prismatic")).compile()
    rng = np.random.default_rng(0)
    states = [[random_state(model, rng) for _ in range(50)] for _ in range(6)]
    results: list = [None] * 6
    barrier = threading.Barrier(6)

    def work(k):
        barrier.wait()
        results[k] = [(td.forward_dynamics(model, *s), td.mass_matrix(model, s[0])) for s in states[k]]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for given, found in zip(states, results, strict=True):
        for state, (a, M) in zip(given, found, strict=True):
            assert identical(a, td.forward_dynamics(model, *state))
            assert identical(M, td.mass_matrix(model, state[0]))


def test_functions_are_compiled_once_per_model(monkeypatch):
    counted = []
    compile_program = compiled.compile_program

    def counting(program):
        counted.append(program.digest)
        return compile_program(program)

    monkeypatch.setattr(compiled, "compile_program", counting)
    model = td.scene("pendulum")
    for k in range(5):
        td.mass_matrix(model, [0.1 * k, 0.2])
    td.forward_dynamics(model, *GOOD)
    assert len(counted) == 2
