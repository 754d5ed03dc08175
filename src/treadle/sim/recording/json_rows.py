"""Rows of numbers as JSON objects and back, without a Python loop over the numbers."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Tree", "decode", "encode", "template"]

#: Form of a JSON object: a number stands for a column of the rows, a text for itself.
Tree = dict[str, Any] | list[Any] | str | int


def template(tree: Tree) -> list[str | int]:
    """The JSON text of a form: literals and columns in turn, a literal first and last."""
    parts: list[str | int] = [""]
    for piece in _pieces(tree):
        if isinstance(piece, str):
            parts[-1] += piece  # type: ignore[operator]
        else:
            parts += [piece, ""]
    return parts


def encode(templates: Sequence[Sequence[str | int]], rows: np.ndarray) -> list[list[bytes]]:
    """For every template one JSON object per row.

    Numbers are written at their shortest exact length, those that are not finite as null.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    count = len(rows)
    values = np.ascontiguousarray(rows.T).ravel()
    texts = pc.cast(pa.array(values), pa.string())
    finite = np.isfinite(values)
    if not finite.all():
        texts = pc.call_function("if_else", [pa.array(finite), texts, pa.scalar("null")])
    columns = [texts.slice(start, count) for start in range(0, len(texts), count)]
    messages = []
    for parts in templates:
        filled = [pa.scalar(part) if isinstance(part, str) else columns[part] for part in parts]
        joined = pc.call_function("binary_join_element_wise", [*filled, pa.scalar("")])
        messages.append(joined.cast(pa.binary()).to_pylist())
    return messages


def decode(tree: Tree, messages: Sequence[bytes], rows: np.ndarray) -> None:
    """Put the numbers of JSON objects of this form into their columns; null becomes NaN."""
    import pyarrow as pa
    from pyarrow import json as reader

    text = b"\n".join(messages)
    schema = pa.schema([pa.field(name, _type(branch)) for name, branch in tree.items()])  # type: ignore[union-attr]
    table = reader.read_json(
        io.BytesIO(text),
        read_options=reader.ReadOptions(block_size=max(len(text), 1) + 1, use_threads=False),
        parse_options=reader.ParseOptions(explicit_schema=schema),
    )
    for name, branch in tree.items():  # type: ignore[union-attr]
        _collect(branch, table[name].combine_chunks(), rows)


def _pieces(tree: Tree) -> Iterator[str | int]:
    """The JSON text as literals and columns in turn."""
    if isinstance(tree, dict):
        for k, (name, branch) in enumerate(tree.items()):
            yield f"{',' if k else '{'}{json.dumps(name)}:"
            yield from _pieces(branch)
        yield "}"
    elif isinstance(tree, list):
        for k, branch in enumerate(tree):
            yield "," if k else "["
            yield from _pieces(branch)
        yield "]"
    else:
        yield json.dumps(tree) if isinstance(tree, str) else tree


def _type(tree: Tree) -> pa.DataType:
    import pyarrow as pa

    if isinstance(tree, dict):
        return pa.struct([pa.field(name, _type(branch)) for name, branch in tree.items()])
    if isinstance(tree, list):
        return pa.list_(_type(tree[0]))
    return pa.string() if isinstance(tree, str) else pa.float64()


def _collect(tree: Tree, values: Any, rows: np.ndarray) -> None:
    """Put the numbers of a branch into their columns; those beyond the last are not wanted."""
    if isinstance(tree, dict):
        for k, branch in enumerate(tree.values()):
            _collect(branch, values.field(k), rows)
    elif isinstance(tree, list):
        elements = values.flatten()
        for k, branch in enumerate(tree):
            _collect(branch, elements.take(np.arange(k, len(elements), len(tree))), rows)
    elif isinstance(tree, int) and tree < rows.shape[1]:
        rows[:, tree] = values.to_numpy(zero_copy_only=False)
