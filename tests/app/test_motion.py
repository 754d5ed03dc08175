"""Poses on their way to pages: those who are there get them, those who come later find them."""

import msgspec
import numpy as np
import zstandard

from tests.app.pages import PATIENCE, Page
from treadle.app import open_server
from treadle.app.motion import Motion


def received(page) -> list[dict]:
    """The messages of the next window."""
    window = page.line.recv(timeout=PATIENCE)
    size = int.from_bytes(window[8:16], "little")
    return msgspec.msgpack.decode(zstandard.ZstdDecompressor().decompress(window[16 : 16 + size]))["messages"]


def places(page, until_x: float) -> dict:
    """The last position of the node that a page was told, read until it is the one that is waited for."""
    found = {}
    while not found or found["position"][0] != until_x:
        for message in received(page):
            if message["type"] == "SetPositionMessage" and message["name"] == "/body":
                found = message
    return found


def test_poses_reach_those_who_are_there_and_those_who_come():
    server = open_server(port=0)
    try:
        motion = Motion(server, [server.scene.add_frame("/body")], size=2.0)
        log = server._websock_server._broadcast_buffer
        early = Page(server)
        count = log.message_counter
        for k in range(1, 501):
            motion.show(np.array([[0.5 * k, 1.0, 2.0, 1.0, 0.0, 0.0, 0.0]]))
        # nothing is added to what every page that comes has to read
        assert log.message_counter == count
        assert list(places(early, 250.0)["position"]) == [250.0, 1.0, 2.0]
        kept = [m for m in log.message_from_id.values() if type(m).__name__ == "SetPositionMessage"]
        assert [m.position for m in kept if m.name == "/body"] == [(250.0, 1.0, 2.0)]
        late = Page(server)
        for state in server._websock_server._client_state_from_id.values():
            # frames do not wait for one another
            state.message_buffer.window_duration_sec = 1e6
        motion.show(np.array([[250.0 + 1e-7, 1.0, 2.0, 1.0, 0.0, 0.0, 0.0]]))
        motion.show(np.array([[251.0, 1.0, 2.0, 1.0, 0.0, 0.0, 0.0]]))
        for page in (early, late):
            assert list(places(page, 251.0)["position"]) == [251.0, 1.0, 2.0]
            page.close()
    finally:
        server.stop()
