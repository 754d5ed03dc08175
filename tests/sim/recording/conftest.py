"""No test depends on the clock on the wall: here it stands still, so that simulated seconds decide."""

from collections.abc import Iterator

import pytest

from treadle.sim.recording import recorder


@pytest.fixture(scope="package", autouse=True)
def clock() -> Iterator[list[float]]:
    """The time that recorders see on the wall, in seconds; a test may move it."""
    now = [0.0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recorder, "monotonic", lambda: now[0])
        yield now
