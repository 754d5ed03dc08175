"""A page without a browser that keeps what a browser would show, by the rules of viser's client."""

from typing import Any

import msgspec
import zstandard

from tests.app.pages import Page

#: What a node is like that nothing was said of.
_NEW = {"position": (0.0, 0.0, 0.0), "wxyz": (1.0, 0.0, 0.0, 0.0), "visible": True}


class Mirror(Page):
    """Reads nothing until `read`; then it has the nodes, the controls and the title of the page."""

    def __init__(self, server) -> None:
        self.nodes: dict[str, dict[str, Any]] = {}
        self.controls: dict[str, dict[str, Any]] = {}
        self.label = ""
        #: what a browser would print to its console
        self.errors: list[str] = []
        super().__init__(server)

    def read(self, seconds: float = 1.0) -> None:
        """Take everything that comes, until nothing more has come for so long."""
        while True:
            try:
                self.take(self.line.recv(timeout=seconds))
            except TimeoutError:
                return

    def take(self, raw: str | bytes) -> None:
        """Show the messages of a piece of viser's stream."""
        assert isinstance(raw, bytes)
        for message in _messages(raw):
            self._show(message)

    def _show(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "SetGuiPanelLabelMessage":
            self.label = message["label"]
        elif kind.startswith(("Gui", "RemoveGui")) and "uuid" in message:
            self._control(kind, message)
        elif "name" in message:
            self._node(kind, message)

    def _control(self, kind: str, message: dict[str, Any]) -> None:
        uuid = message["uuid"]
        if "props" in message:
            self.controls[uuid] = dict(message["props"])
        elif kind == "GuiRemoveMessage":
            self.controls.pop(uuid, None)
        elif kind == "GuiUpdateMessage":
            if uuid in self.controls:
                self.controls[uuid] |= message["updates"]
            else:
                self.errors.append(f"Tried to update non-existent component {uuid}")

    def _node(self, kind: str, message: dict[str, Any]) -> None:
        name = message["name"]
        if "props" in message:
            # one of the same name keeps all but its properties
            self.nodes.setdefault(name, dict(_NEW))
            self.nodes[name]["type"] = kind
        elif kind == "RemoveSceneNodeMessage":
            below = [other for other in self.nodes if other == name or other.startswith(f"{name}/")]
            for other in below:
                del self.nodes[other]
        elif name in self.nodes:
            for key in ("position", "wxyz", "visible"):
                if key in message:
                    value = message[key]
                    self.nodes[name][key] = tuple(value) if isinstance(value, list) else value


def _messages(raw: bytes) -> list[dict[str, Any]]:
    """The messages of a piece of viser's stream."""
    size, packed = (int.from_bytes(raw[k : k + 8], "little") for k in (0, 8))
    plain = zstandard.ZstdDecompressor().decompress(raw[16 : 16 + packed], max_output_size=size)
    return msgspec.msgpack.decode(plain)["messages"]
