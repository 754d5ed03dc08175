"""A page without a browser: what it would send, over a real connection."""

from contextlib import suppress
from time import monotonic

import msgspec
import viser
from websockets.sync.client import connect

#: Seconds to wait for what is to come about: long, for a computer that does other things, too.
PATIENCE = 120.0


class Page:
    """A client of viser's that says where it looks from, and then what a test wants."""

    def __init__(self, server) -> None:
        address = f"ws://127.0.0.1:{server.get_port()}"
        before = set(server.get_clients())
        self.line = connect(
            address,
            subprotocols=[f"viser-v{viser.__version__}"],
            compression=None,
            max_size=None,
            ping_interval=None,
        )
        self.send(
            "ViewerCameraMessage",
            wxyz=(1.0, 0.0, 0.0, 0.0),
            position=(3.0, 0.0, 1.0),
            fov=0.8,
            near=0.01,
            far=1000.0,
            image_height=400,
            image_width=600,
            look_at=(0.0, 0.0, 0.0),
            up_direction=(0.0, 0.0, 1.0),
        )
        end = monotonic() + PATIENCE
        while not (new := set(server.get_clients()) - before):
            assert monotonic() < end, "the server did not take notice"
            # a server at rest has nothing more to say
            with suppress(TimeoutError):
                self.take(self.line.recv(timeout=0.05))
        (self.number,) = new
        self.handle = server.get_clients()[self.number]

    def take(self, raw: str | bytes) -> None:
        """What becomes of what the server sends: nothing."""

    def send(self, type_: str, **fields) -> None:
        self.line.send(msgspec.msgpack.encode({"type": type_, **fields}))

    def set(self, field, value) -> None:
        self.send("GuiUpdateMessage", uuid=field._impl.uuid, updates={"value": value})

    def hold(self, button) -> None:
        self.send("GuiButtonHoldMessage", uuid=button._impl.uuid, frequency=10.0)

    def drag(self, node, phase: str, start, end) -> None:
        self.send(
            "SceneNodeDragMessage",
            name=node.name,
            owner="",
            phase=phase,
            instance_index=None,
            start_position=start,
            start_screen_pos=(0.5, 0.5),
            end_position=end,
            end_screen_pos=(0.5, 0.5),
            button="left",
            modifier="cmd/ctrl",
        )

    def close(self) -> None:
        self.line.close()

    def vanish(self) -> None:
        """Go without a word, as a page does that is killed."""
        self.line.socket.close()
