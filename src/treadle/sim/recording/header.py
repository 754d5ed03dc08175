"""What a recording says about itself, as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle._version import __version__
from treadle.errors import RecordingError
from treadle.sim.recording.signals.signal import Layout

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["Header"]


@dataclass(frozen=True)
class Header:
    """Where a recording comes from, what it holds, and the state that it starts from."""

    model: str
    treadle: str
    integrator: str
    #: of the integrator, such as its tolerance
    options: dict[str, float]
    dt: float
    rate: float
    #: joints in the order of q, each with the number of its positions
    joints: tuple[tuple[str, int], ...]
    signals: tuple[Layout, ...]
    #: the fields of the `State` at the first sample
    start: dict[str, Any]

    @classmethod
    def of(cls, sim: Simulation, rate: float, signals: Sequence[Layout]) -> Header:
        """The header of a recording that starts now."""
        joints = tuple((joint.name, joint.type.nq) for joint in sim.model.joints)
        start = {name: _plain(value) for name, value in vars(sim.save()).items()}
        return cls(
            model=sim.model.name,
            treadle=__version__,
            integrator=sim.integrator,
            options=sim.options,
            dt=sim.dt,
            rate=rate,
            joints=joints,
            signals=tuple(signals),
            start=start,
        )

    def to_json(self) -> dict[str, str]:
        """Every field as JSON text."""
        return {name: json.dumps(value) for name, value in asdict(self).items()}

    @classmethod
    def from_json(cls, texts: dict[str, str], source: str) -> Header:
        """The header back from its fields; RecordingError where they are not those of a recording."""
        try:
            # those that another version knew are of no use here
            known = [field.name for field in dataclasses.fields(cls)]
            fields = {name: json.loads(texts[name]) for name in known}
            fields["joints"] = tuple((name, size) for name, size in fields["joints"])
            fields["signals"] = tuple(
                Layout(s["name"], tuple(s["components"]), tuple(s["units"]), s["own"])
                for s in fields["signals"]
            )
            return cls(**fields)
        except (ValueError, KeyError, TypeError):
            raise RecordingError(
                f"{source} is not a recording that this version of Treadle can read"
            ) from None

    @property
    def columns(self) -> list[str]:
        """Names of all recorded numbers, in order, without the time."""
        return [column for signal in self.signals for column in signal.columns]

    @property
    def units(self) -> list[str]:
        """Units of all recorded numbers, in order."""
        return [unit for signal in self.signals for unit in signal.units]


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.item() if isinstance(value, np.generic) else value
