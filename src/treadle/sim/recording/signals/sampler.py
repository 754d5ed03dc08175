"""All signals of a recording at once, as one row of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from treadle.errors import InputError
from treadle.forces.actuator import actuator_state_size
from treadle.forces.input import reading
from treadle.forces.load import LOAD_SIZE
from treadle.graph import Scalar
from treadle.native.program import Program, compile_program
from treadle.sim.contacts import sensors
from treadle.sim.lock import locked_model
from treadle.sim.recording.signals import available
from treadle.sim.recording.signals.moment import Moment
from treadle.sim.recording.signals.select import UserSignal
from treadle.sim.recording.signals.signal import Layout, Signal

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["Sampler"]


class Sampler:
    """Rows of time, signals and the user's own signals of a simulation.

    Signals are compiled together into one function of the state; readings of sensors and what the user's
    functions give are put in between and behind.
    """

    def __init__(self, sim: Simulation, signals: Sequence[Signal], own: Sequence[UserSignal] = ()) -> None:
        self._sim = sim
        self._own, self._signals = own, list(signals)
        self._compiled: Callable[..., np.ndarray] | None = None
        self._compile()
        self._width = 1 + sum(len(signal.layout.columns) for signal in signals)
        found = [_numbers(signal, sim) for signal in own]
        #: how long each of the user's signals was at first, and is to stay
        self._sizes = [len(numbers) for numbers in found]
        #: names, components and units of what a row holds behind the time
        self.layouts = [signal.layout for signal in signals]
        for signal, numbers in zip(own, found, strict=True):
            parts = tuple(str(k) for k in range(len(numbers))) if len(numbers) > 1 else ()
            self.layouts.append(Layout(signal.name, parts, (signal.unit,) * len(numbers), own=True))
        _check_columns([column for layout in self.layouts for column in layout.columns])
        #: numbers in a row
        self.width = self._width + sum(self._sizes)

    def sample(self, row: np.ndarray) -> None:
        """Fill a row with the present values."""
        sim = self._sim
        row[0] = time = sim.time
        if self._kind != self._present_kind() or self._controllers != sim.controllers.traced:
            self._compile()
        if self._compiled is not None:
            # what controllers that are called back would say now only they know
            held = sim.tau + sim.controllers.commanded
            state = sim.q, sim.v, held, sim.loads[:, 0], (time, sim.dt, float(sim.stepper.acted))
            others = [
                sim.arrays[name][:, 0] for name in ("commands", "drives", "parameters", "inputs", "rows")
            ]
            # contact is felt in the mean over the last step
            felt = sensors.felt(sim).ravel() if self._feels else np.zeros(_felt_size(sim))
            pressed = sensors.body_wrenches(sim).ravel() if sim.contact else np.zeros(0)
            row[self._computed] = self._compiled(*state, *others, felt, pressed)
        for sensor, place in self._sensed:
            assert sim.sampling is not None
            row[place] = sim.sampling.value(sensor)[:, 0]
        start = self._width
        for signal, size in zip(self._own, self._sizes, strict=True):
            numbers = _numbers(signal, sim)
            if len(numbers) != size:
                raise InputError(f"signal {signal.name!r} gave {len(numbers)} numbers, but {size} at first")
            row[start : start + size] = numbers
            start += size

    def rebuild(self) -> None:
        """Look the signals up in a changed machine; those that are gone there are nan."""
        known = available(self._sim.model)
        for k, signal in enumerate(self._signals):
            new = known.get(signal.layout.name)
            same = new is not None and new.layout == signal.layout
            self._signals[k] = new if same else _absent(signal)  # type: ignore[assignment]
        self._compile()

    def _compile(self) -> None:
        self._kind, self._controllers = self._present_kind(), self._sim.controllers.traced
        self._feels = any(signal.felt for signal in self._signals)
        computed, places = [], []
        #: sensors and the places of their readings in a row
        self._sensed: list[tuple[str, slice]] = []
        start = 1
        for signal in self._signals:
            end = start + len(signal.layout.columns)
            if signal.sensor is None:
                computed.append(signal)
                places += range(start, end)
            else:
                self._sensed.append((signal.sensor, slice(start, end)))
            start = end
        #: places in a row of what is compiled
        self._computed = np.array(places, dtype=int)
        self._compiled = _compiled(self._sim, computed, *self._kind) if computed else None

    def _present_kind(self) -> tuple[bool, bool]:
        """Whether stops and friction hold, and whether a dof is locked, where that makes a difference."""
        if not any(signal.dynamic for signal in self._signals):
            return False, False
        stepper = self._sim.stepper
        bounded = stepper.limits_act() if self._sim.contact else stepper.bounded
        return bounded, bool(self._sim.arrays["locked"].any())


def _absent(signal: Signal) -> Signal:
    """A signal in place of another that cannot be computed."""
    count = len(signal.layout.columns)
    return Signal(signal.layout, lambda at: [float("nan")] * count)


def _check_columns(columns: Sequence[str]) -> None:
    """That no component of a signal has the name of another signal."""
    seen = {"time"}
    for column in columns:
        if column in seen:
            raise InputError(f"two signals give numbers called {column!r}; give yours another name")
        seen.add(column)


def _compiled(
    sim: Simulation, signals: Sequence[Signal], bounded: bool, locked: bool
) -> Callable[..., np.ndarray]:
    """The signals as one function of q, v, held joint forces, loads, time and step, compiled."""
    model, laws, controllers = sim.model, sim.laws, sim.controllers.traced
    # the code that holds stops is long: it is there where it runs
    options, contact = sim.step_options, sim.contact
    driven, arrests = options.driven, options.method.arrests
    kept = bounded and not (contact and options.method.flows)
    motions = sim.motions if bounded or driven else {}
    terrain = sim.terrain if model.wheels else None

    def row(
        q: Sequence[Scalar],
        v: Sequence[Scalar],
        held: Sequence[Scalar],
        loads: Sequence[Scalar],
        clock: Sequence[Scalar],
        commands: Sequence[Scalar],
        drives: Sequence[Scalar],
        rotors: Sequence[Scalar],
        inputs: Sequence[Scalar],
        rows: Sequence[Scalar],
        felt: Sequence[Scalar],
        pressed: Sequence[Scalar],
    ) -> dict[str, list[Scalar]]:
        time, dt, taken = clock
        machine = locked_model(model, rotors) if locked else model
        moment = Moment(
            machine, laws, controllers, q, v, held, loads, time, commands, drives, dt, bounded, motions,
            terrain, driven=driven, arrests=arrests, taken=taken, rows=rows if kept else (), contact=contact,
            felt=felt, pressed=pressed,
        )  # fmt: skip
        with reading(sim.world.inputs.inputs, inputs):
            return {"row": [x for signal in signals for x in signal.values(moment)]}

    sizes = {
        "q": model.nq,
        "v": model.nv,
        "held": model.nv,
        "loads": LOAD_SIZE * len(model.bodies),
        "clock": 3,
        "commands": len(model.actuators),
        "drives": actuator_state_size(model),
        "rotors": model.nv,
        "inputs": sim.world.inputs.size,
        "rows": len(sim.arrays["rows"]),
        "felt": _felt_size(sim),
        "pressed": 6 * len(model.bodies) if sim.contact else 0,
    }
    names = [[part.name for part in parts] for parts in (model.joints, model.frames, model.loops)]
    names += [[part.name for part in model.couplings], sensors.sensor_names(model)]
    # what a force law or controller, or a joint or signal from elsewhere, computes only its graph can tell
    parts = [*[type(joint.type) for joint in model.joints], *[signal.values for signal in signals]]
    known = not (laws or controllers or motions or terrain) and all(
        part.__module__.startswith("treadle.") for part in parts
    )
    wanted = [signal.layout.name for signal in signals]
    digest = f"signals {bounded, locked, sim.contact, arrests} {model.digest} {names} {wanted}"
    return compile_program(Program(digest if known else None, sizes, row, hot=False)).function()


def _felt_size(sim: Simulation) -> int:
    """Numbers of all contact sensors."""
    return sensors.FELT * len(sensors.sensor_names(sim.model))


def _numbers(signal: UserSignal, sim: Simulation) -> np.ndarray:
    """What a user's function gives now, as a vector."""
    try:
        numbers = np.atleast_1d(np.asarray(signal.function(sim), dtype=float)).ravel()
    except Exception as error:
        raise InputError(f"signal {signal.name!r} failed: {type(error).__name__}: {error}") from error
    return numbers
