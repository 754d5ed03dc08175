"""XML from files that nobody vouches for: no entities, no network, no endless nesting."""

from __future__ import annotations

from typing import Any

from treadle.errors import ModelError
from treadle.extras import require

__all__ = ["parse_xml"]


def parse_xml(content: bytes) -> Any:
    """The root element (lxml), without comments; ModelError with the line if it is not sound XML."""
    require("lxml", "reading XML (URDF, SDF, MJCF)")
    from lxml import etree  # type: ignore[reportAttributeAccessIssue]

    # recovery is on only to see past undeclared name spaces, which robot files are full of
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        recover=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        message = f"is not XML: {getattr(error, 'msg', None) or error}"
        line = getattr(error, "lineno", None)
        raise ModelError(message, line=line, hint="check that it is the right file") from None
    for entry in parser.error_log:
        if entry.level_name in ("ERROR", "FATAL") and entry.domain_name != "NAMESPACE":
            message = f"is not well-formed XML: {entry.message.strip()}"
            raise ModelError(message, line=entry.line, hint="correct it there or in the lines before")
    if root is None:
        raise ModelError("is not XML: the file is empty", hint="check the path")
    document_type = root.getroottree().docinfo.internalDTD
    if document_type is not None and next(document_type.iterentities(), None) is not None:
        hint = "replace the entities by their text"
        raise ModelError("defines XML entities, which are not read from robot files", hint=hint)
    return root
