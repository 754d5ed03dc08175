"""A JSON schema of robot.toml, from which editors complete keys and show what they mean.

python -m treadle.formats.schema > docs/formats/robot.schema.json
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import MISSING
from typing import Any

from treadle.formats.toml_keys import LIMITS, POSE, TABLES, TOP, Key, Table
from treadle.formats.toml_values import SCHEMAS
from treadle.model.values import plain_json

__all__ = ["toml_schema", "toml_schema_text"]


def toml_schema() -> dict[str, Any]:
    """The schema (JSON Schema draft 7), made from the tables of keys and the defaults of the description."""
    definitions = {kind: _table(kind, table) for kind, table in TABLES.items()}
    inside = {name: value for name, value in definitions["shape"]["properties"].items() if name != "body"}
    definitions["body"]["properties"]["shape"] = {
        "type": "array",
        "description": "shapes of the body, as [[body.shape]]",
        "items": {**definitions["shape"], "properties": inside, "required": ["type"]},
    }
    definitions["shape"]["required"] = ["body", "type"]
    arrays = {
        kind: {
            "type": "array",
            "description": table.meaning,
            "items": {"$ref": f"#/definitions/{kind}"},
        }
        for kind, table in TABLES.items()
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "robot.toml",
        "description": "A machine for Treadle. SI units, radians, z up.",
        **_object(TOP, None),
        "definitions": definitions,
    } | {"properties": {**_object(TOP, None)["properties"], **arrays}}


def toml_schema_text() -> str:
    """The same as the text of a file."""
    return json.dumps(toml_schema(), indent=2) + "\n"


def _table(kind: str, table: Table) -> dict[str, Any]:
    keys = (*table.keys, *POSE) if kind == "body" else table.keys
    return {"description": table.meaning, **_object(keys, table)}


def _object(keys: Iterable[Key], table: Table | None) -> dict[str, Any]:
    required = [key.name for key in keys if key.required]
    return {
        "type": "object",
        **({"required": required} if required else {}),
        "additionalProperties": False,
        "properties": {key.name: _property(key, table) for key in keys},
    }


def _property(key: Key, table: Table | None) -> dict[str, Any]:
    schema = _object(LIMITS, None) if key.kind == "limits" else SCHEMAS[key.kind]
    schema = {"description": key.meaning, **schema}
    if key.choices:
        schema["enum"] = list(key.choices)
    default = MISSING if table is None else table.default(key.target)
    if default is not MISSING and default is not None and key.kind not in ("rpy", "quaternion", "states"):
        schema["default"] = plain_json(default)
    return schema


if __name__ == "__main__":
    print(toml_schema_text(), end="")
