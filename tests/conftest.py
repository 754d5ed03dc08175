"""Settings of the whole suite: where compiled code is kept, and how far Hypothesis searches."""

import os

import pytest
from hypothesis import HealthCheck, settings

# the same examples on every run and computer; `--hypothesis-profile=search` looks for new ones
settings.register_profile(
    "suite",
    max_examples=25,
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "search", settings.get_profile("suite"), max_examples=500, derandomize=False, print_blob=True
)
settings.load_profile("suite")


def pytest_configure(config: pytest.Config) -> None:
    # compiled code is kept from one run to the next, and shared by the workers of one run; tests of the
    # cache itself set their own folder
    # what takes long to compile, and is then said, depends on the computer
    os.environ.setdefault("TREADLE_QUIET", "1")
    os.environ.setdefault("TREADLE_CACHE", str(config.rootpath / ".pytest_cache" / "treadle"))
