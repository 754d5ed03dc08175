"""A model as MuJoCo's own compiler sees it, with a name for everything in it."""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from treadle.errors import ModelError
from treadle.formats.mjcf_nodes import Node, Source, fault
from treadle.model.finding import Finding

__all__ = ["Compiled", "compile_source", "library", "unique"]

#: The end of MuJoCo's messages, where they say where.
_PLACE = re.compile(r"\s*Element (?:name )?'(?P<name>[^']*)'(?:, id \d+)?(?:, line (?P<line>\d+))?\s*$")
_LOCK = threading.Lock()


@dataclass
class Compiled:
    """A compiled model (`mujoco.MjModel`), what it was compiled from, and names in place of numbers.

    Names are those of the file, and where it gives none "body3", "joint5" and so on, by MuJoCo's numbers.
    The body 0 is the world, whose name is None.
    """

    model: Any
    #: `mujoco.MjSpec`
    spec: Any
    source: Source
    #: what was ignored, repaired or guessed, one sentence each
    report: list[str] = field(default_factory=list)
    bodies: list[Any] = field(init=False)
    joints: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.bodies = [None, *self.names("body", self.model.nbody)[1:]]
        self.joints = self.names("joint", self.model.njnt)

    def name(self, kind: str, index: int) -> str:
        """What the file calls an object; empty if it does not."""
        mujoco = library()
        return mujoco.mj_id2name(self.model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), index) or ""

    def switched(self, flag: str) -> bool:
        """Whether a feature is switched off (mjDSBL_...) or on (mjENBL_...) by its flag."""
        mujoco, options = library(), self.model.opt
        if flag.startswith("mjDSBL"):
            return bool(options.disableflags & getattr(mujoco.mjtDisableBit, flag))
        return bool(options.enableflags & getattr(mujoco.mjtEnableBit, flag))

    def names(self, kind: str, count: int, taken: Sequence[str | None] = (), suffix: str = "") -> list[str]:
        """A name for each object of a kind, all different and not among those taken.

        A name of the file that is taken gets the suffix, and the report says so.
        """
        given = [self.name(kind, index) for index in range(count)]
        used = {name for name in taken if name}
        clashes = [name for name in given if name in used]
        if clashes:
            self.note(f'{kind}s whose name is taken, called "..{suffix}" instead', clashes)
        # a made-up name must not be that of another object
        used |= set(given)
        names = []
        for index, name in enumerate(given):
            if not name:
                name = unique(f"{kind}{index}", used)
            elif name in clashes:
                name = unique(name + suffix, used)
            names.append(name)
        return names

    def line(self, tag: str, name: str) -> int | None:
        """Line of the model's file."""
        return self.source.lines.get((tag, name))

    def note(self, sentence: str, names: Sequence[str], severity: str = "note") -> None:
        """Report a sentence about objects, if there are any."""
        if names:
            self.report.append(Finding(sentence, names, severity))


def unique(name: str, used: set[Any]) -> str:
    """The name, longer if it is used already; from now on it is."""
    while name in used:
        name += "_"
    used.add(name)
    return name


def library() -> Any:
    """The package mujoco; ModelError if it is not installed."""
    try:
        import mujoco
    except ImportError:
        hint = "install it: pip install treadle[mjcf]"
        raise ModelError("MJCF files are read by MuJoCo, which is not installed", hint=hint) from None
    return mujoco


def compile_source(source: Source) -> Compiled:
    """The model that MuJoCo makes of the text; ModelError, with the place, where it refuses to."""
    mujoco = library()
    vfs = mujoco.MjVfs()
    with _quiet() as messages:
        try:
            for name, content in source.files.items():
                vfs[name] = content
            spec = mujoco.MjSpec.from_string(source.text, vfs=vfs)
            model = spec.compile(vfs=vfs)
        # what a damaged file makes MuJoCo raise is not documented
        except Exception as error:
            raise _refused(str(error), source) from None
        finally:
            vfs.close()
    said = [f"MuJoCo says: {' '.join(message.split())}" for message in dict.fromkeys(messages)]
    return Compiled(model, spec, source, said)


@contextmanager
def _quiet() -> Iterator[list[str]]:
    """Collect what MuJoCo would print, or write into a file MUJOCO_LOG.TXT where the user happens to be."""
    mujoco = library()
    messages: list[str] = []
    with _LOCK:
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(messages.append)
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                yield messages
            messages += [str(warning.message) for warning in caught]
        finally:
            mujoco.set_mju_user_warning(before)


def _refused(message: str, source: Source) -> ModelError:
    """MuJoCo's error, at the place in the user's file."""
    for name, path in source.paths.items():
        message = message.replace(name, path)
    message, node = _placed(message, source.nodes)
    if node is not None and node.tag == "model":
        # the mistake may be inside the model that is attached
        message, inner = _placed(message, source.attached[node.attributes["file"]])
        node = inner or node
    hint = "MuJoCo refuses it; see its XML reference"
    message = " ".join(re.sub(r"(XML )?Error: ", "", message).split())
    if node is None:
        return ModelError(message, hint=hint)
    error = fault(node, message, hint)
    if node.attributes.get("name"):
        error.element = f'{node.tag} "{node.attributes["name"]}"'
    return error


def _placed(message: str, nodes: list[Node]) -> tuple[str, Node | None]:
    """The message without its place, and the element there."""
    place = _PLACE.search(message)
    if place is None:
        return message, None
    line = int(place["line"] or 0)
    node = nodes[line - 1] if 0 < line <= len(nodes) else None
    # the line may be one of another file
    if node is not None and place["name"] not in (node.tag, node.attributes.get("name", "")):
        node = None
    return message[: place.start()], node
