"""The height field of a compiled MuJoCo model as the terrain of the machine.

Heights are the field's data, from 0 to 1, times its third size, over the frame of its geom; columns lie
along x, rows along y. The terrain is a grid of the world, so that only one field is carried over, and only
where its geom belongs to the world and stands upright, turned by quarters at most.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.formats.mjcf_compiled import Compiled
from treadle.formats.mjcf_contact import HEIGHT_FIELD, Materials
from treadle.model import ModelSpec
from treadle.model.values import rotation_matrix

__all__ = ["add_field"]

#: Entries of a rotation that are zero but for rounding.
_LEVEL = 1e-9


def add_field(spec: ModelSpec, compiled: Compiled, materials: Materials) -> None:
    """Make the first height field that can be one the terrain of the settings."""
    model = compiled.model
    names = compiled.names("geom", model.ngeom)
    left: dict[str, list[str]] = {}
    for geom in np.flatnonzero(model.geom_type == HEIGHT_FIELD):
        problem = _problem(model, int(geom))
        if not problem and "terrain" in spec.settings:
            problem = "height fields beside another one, which is the terrain"
        if problem:
            left.setdefault(f"{problem}: left out", []).append(names[geom])
            continue
        spec.settings["terrain"], turned = _grid(model, int(geom))
        materials.give(int(geom), "terrain")
        parted = "; its cells are parted along the other diagonal" if turned else ""
        compiled.report.append(
            f"the height field {names[geom]!r} is the terrain, which all shapes touch, whatever contype and "
            f"conaffinity say{parted}"
        )
    for sentence, geoms in left.items():
        compiled.note(sentence, geoms, "warning")


def _problem(model: Any, geom: int) -> str | None:
    """What keeps a height field from being terrain."""
    if not (model.geom_contype[geom] or model.geom_conaffinity[geom]):
        return "height fields that touch nothing"
    R = rotation_matrix(model.geom_quat[geom])
    quarter = np.abs(np.abs(R) - np.round(np.abs(R))).max() <= _LEVEL
    if model.body_weldid[model.geom_bodyid[geom]] != 0 or not quarter or R[2, 2] < 0.5:
        return "height fields that move, or are turned by other angles than quarters about the vertical"
    if model.geom_bodyid[geom] != 0:
        return "height fields on other bodies than the world"
    return None


def _grid(model: Any, geom: int) -> tuple[dict[str, Any], bool]:
    """The table of a `td.Grid`, and whether it is turned by an odd number of quarters."""
    field, R, place = model.geom_dataid[geom], rotation_matrix(model.geom_quat[geom]), model.geom_pos[geom]
    rows, columns, start = (int(x[field]) for x in (model.hfield_nrow, model.hfield_ncol, model.hfield_adr))
    half_x, half_y, high, _ = model.hfield_size[field].tolist()
    heights = high * model.hfield_data[start : start + rows * columns].reshape(rows, columns).T.astype(float)
    # columns along x and rows along y are the first and the second index now; quarters turn them
    quarters = int(np.round(np.arctan2(R[1, 0], R[0, 0]) / (0.5 * np.pi)))
    heights = np.rot90(heights, quarters)
    turned = quarters % 2 == 1
    half = (half_y, half_x) if turned else (half_x, half_y)
    spacing = [2.0 * reach / (count - 1) for reach, count in zip(half, heights.shape, strict=True)]
    table = {
        "type": "grid",
        "heights": (heights + place[2]).tolist(),
        "spacing": spacing,
        "origin": [float(center) - reach for center, reach in zip(place, half)],
    }
    return table, turned
