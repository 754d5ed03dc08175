"""An MJCF file with everything that belongs to it, gathered before MuJoCo sees it.

MuJoCo opens any file that a model names. So that it opens none that is not allowed, includes are put in
place here and other files are read here. What MuJoCo gets is one text, and files in memory whose names are
made from their content.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import Any

from treadle.errors import ModelError
from treadle.formats.folder import Folder
from treadle.formats.mjcf_nodes import Node, Source, check_amounts, check_numbers, fault, written
from treadle.formats.xml import parse_xml

__all__ = ["gather"]

#: What has no part in the machine and is not given to MuJoCo, and the elements in which it stands.
_LEFT_OUT = {
    "visual": ("mujoco",),
    "statistic": ("mujoco",),
    "size": ("mujoco",),
    "custom": ("mujoco",),
    "texture": ("asset", "default"),
    "skin": ("asset", "deformable"),
    "layer": ("material",),
}
#: Elements that name a file, and the endings that its name may have (none: any).
_ENDINGS = {"mesh": (".stl", ".obj", ".msh"), "hfield": (), "flexcomp": (), "model": (".xml",)}

_LARGEST_FILE = 200_000_000
_MOST_ELEMENTS = 1_000_000


def gather(content: bytes, folder: Folder | None = None) -> Source:
    """The model in a file's content and all that it names; ModelError if that is missing or not allowed."""
    gatherer = _Gatherer(folder)
    try:
        root = gatherer.model(content, "")
    except RecursionError:
        raise ModelError("is nested too deep", hint="no model needs that") from None
    text, nodes = written(root)
    return Source(text, nodes, gatherer.files, gatherer.paths, gatherer.attached, gatherer.left_out)


class _Gatherer:
    """What is read on the way from the main file to all that it names."""

    def __init__(self, folder: Folder | None) -> None:
        self.folder = folder
        self.files: dict[str, bytes] = {}
        self.paths: dict[str, str] = {}
        self.attached: dict[str, list[Node]] = {}
        self.left_out: Counter[str] = Counter()
        self.count = 0
        # models that are being read, each of which names the next
        self.open: list[Path] = []

    def model(self, content: bytes, base: str, file: str | None = None) -> Node:
        """A complete model, its includes in place; `base` is its folder, seen from that of the main file."""
        element = _parsed(content, file)
        if element.tag != "mujoco":
            kind = "URDF, whose files end in .urdf" if element.tag == "robot" else "not MJCF"
            place = Node("", {}, file, element.sourceline)
            message = f"is {kind}: the outermost element is <{element.tag}>"
            raise fault(place, message, "an MJCF model starts with <mujoco>")
        root = self._with_includes(element, base, file, set())
        self._leave_out(root)
        check_numbers(root)
        check_amounts(root)
        self._take_files(root, base)
        return root

    def _with_includes(self, element: Any, base: str, file: str | None, seen: set[Path]) -> Node:
        self.count += 1
        if self.count > _MOST_ELEMENTS:
            raise ModelError(f"has more than {_MOST_ELEMENTS} elements", hint="no model needs that")
        node = Node(str(element.tag).rpartition("}")[2], dict(element.attrib), file, element.sourceline)
        for child in element:
            if not isinstance(child.tag, str):
                raise fault(node, "holds an XML entity, which is not read", "replace it by its text")
            if child.tag == "include":
                place = Node("include", dict(child.attrib), file, child.sourceline)
                node.children += self._include(place, base, seen)
            else:
                node.children.append(self._with_includes(child, base, file, seen))
        return node

    def _include(self, place: Node, base: str, seen: set[Path]) -> list[Node]:
        """The elements of the file that stand for an <include>."""
        path = self._locate(place, base)
        if path in seen:
            raise fault(place, f"{place.attributes['file']!r} is included twice", "include it once")
        seen.add(path)
        name = self._seen_from_folder(path)
        root = self._with_includes(_parsed(self._read(place, path), name), base, name, seen)
        if not root.children:
            raise fault(place, f"{place.attributes['file']!r} holds nothing", "remove the <include>")
        return root.children

    def _leave_out(self, root: Node) -> None:
        for node in root:
            out = [child for child in node.children if node.tag in _LEFT_OUT.get(child.tag, ())]
            self.left_out.update(child.tag for child in out)
            node.children = [child for child in node.children if child not in out]
            if node.tag in ("material", "light"):
                node.attributes.pop("texture", None)

    def _take_files(self, root: Node, base: str) -> None:
        """Read the files that elements name, and name them by their content instead."""
        folder, strip = "", "false"
        for node in root:
            # of several <compiler> elements the last one counts
            if node.tag == "compiler":
                node.attributes.pop("texturedir", None)
                folder = node.attributes.pop("assetdir", folder)
                folder = node.attributes.pop("meshdir", folder)
                strip = node.attributes.pop("strippath", strip)
        for node in root:
            named = [key for key in node.attributes if key.startswith("file")]
            if not named:
                continue
            if node.tag not in _ENDINGS or named != ["file"]:
                raise fault(node, f"{named[0]!r} names a file, which it cannot have", "remove it")
            path = self._locate(node, base, "" if node.tag == "model" else folder, strip == "true")
            self._take(node, path, self._read(node, path))

    def _take(self, node: Node, path: Path, content: bytes) -> None:
        suffix, endings = path.suffix.lower(), _ENDINGS[node.tag]
        if endings and suffix not in endings:
            hint = f"files that can be read end in {', '.join(endings)}"
            raise fault(node, f"unknown kind of {node.tag} {path.suffix!r}", hint)
        nodes: list[Node] = []
        if node.tag == "model":
            content, nodes = self._attach(node, path, content)
        elif node.tag != "flexcomp" and not node.attributes.get("name"):
            # what has no name is called after its file
            node.attributes["name"] = path.stem
        name = hashlib.sha256(content).hexdigest()[:32] + (suffix if suffix[1:].isalnum() else "")
        self.files[name] = content
        self.attached[name] = nodes
        self.paths.setdefault(name, self._seen_from_folder(path))
        node.attributes["file"] = name

    def _attach(self, node: Node, path: Path, content: bytes) -> tuple[bytes, list[Node]]:
        """The text and the elements of a model of which this one attaches parts."""
        if path in self.open:
            raise fault(node, f"{path.name!r} attaches itself", "remove one of the <model>s")
        self.open.append(path)
        name = self._seen_from_folder(path)
        root = self.model(content, str(PurePosixPath(name).parent), name)
        self.open.pop()
        text, nodes = written(root)
        return text.encode(), nodes

    def _locate(self, node: Node, base: str, folder: str = "", strip: bool = False) -> Path:
        """The file that an element names, in a folder of the model or beside the file with the element."""
        name = node.attributes.get("file", "").strip()
        if not name:
            raise fault(node, "names no file", "give the file's path")
        if "://" in name:
            raise fault(node, f"{name!r} is not a path", "give a path from the folder of the model")
        if self.folder is None:
            raise fault(node, f"names the file {name!r}, but has no folder", "load it from its own file")
        name = name.replace("\\", "/")
        if strip:
            name = PurePosixPath(name).name
        places = [PurePosixPath(base, folder.replace("\\", "/"), name)]
        if node.file is not None:
            places.append(PurePosixPath(node.file).parent / name)
        refused = None
        for place in places:
            try:
                path = self.folder.locate(str(place))
                if path.is_file():
                    return path
            except ModelError as error:
                refused = refused or error
            except OSError:
                # in a folder that must not be looked into
                continue
        if refused is not None:
            raise fault(node, refused.message, refused.hint)
        raise fault(node, f"there is no file {str(places[0])!r}", "check its path")

    def _read(self, node: Node, path: Path) -> bytes:
        try:
            if path.stat().st_size > _LARGEST_FILE:
                message = f"{path.name!r} is larger than {_LARGEST_FILE / 1e6:.0f} MB, the most that is read"
                raise fault(node, message, "reduce it")
            return path.read_bytes()
        except OSError as error:
            message = f"{path.name!r} cannot be read ({error.strerror or error})"
            raise fault(node, message, "check the file and its permissions") from None

    def _seen_from_folder(self, path: Path) -> str:
        folder = Path() if self.folder is None else self.folder.path
        return os.path.relpath(path, folder.resolve()).replace(os.sep, "/")


def _parsed(content: bytes, file: str | None) -> Any:
    """The root of a file's XML; a mistake in a file other than the main one is said to be there."""
    try:
        return parse_xml(content)
    except ModelError as error:
        if file is None:
            raise
        raise fault(Node("", {}, file, error.line), error.message, error.hint) from None
