"""The page about sensors lists every type, parameter, imperfection and preset."""

from pathlib import Path

from treadle.sensors import SENSOR_TYPES, sensor_type
from treadle.sensors.noise import COLUMNS, PRESETS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "sensors.md"


def test_types_and_parameters():
    rows = PAGE.read_text(encoding="utf-8").splitlines()
    for name in SENSOR_TYPES:
        kind = sensor_type(name)
        assert kind.meaning
        assert any(row.startswith(f"| `{name}` |") and row.endswith(f"| {kind.meaning} |") for row in rows)
        for parameter, option in kind.options.items():
            start = f"| `{name}` | `{parameter}` |"
            assert any(row.startswith(start) and option.meaning in row for row in rows), start


def test_noise():
    page = PAGE.read_text(encoding="utf-8")
    for name in (*COLUMNS, *PRESETS, "misalignment", "saturation", "preset"):
        assert f"`{name}`" in page
