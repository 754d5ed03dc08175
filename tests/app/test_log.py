"""What changes often: those who are there are told, those who come later find it, and the log stays short."""

import asyncio
from types import SimpleNamespace

import pytest
import viser
from websockets.asyncio.server import ServerConnection
from websockets.sync.client import connect

from tests.app.pages import PATIENCE, Page
from tests.app.test_motion import received
from treadle.app import open_server


@pytest.fixture(scope="module")
def server():
    server = open_server(port=0)
    yield server
    server.stop()


def told(page, handle, name, last) -> list:
    """Values of a property that a page was told, up to the one that is waited for."""
    values = []
    while not values or values[-1] != last:
        for message in received(page):
            if message["type"] == "GuiUpdateMessage" and message["uuid"] == handle._impl.uuid:
                values += [value for key, value in message["updates"].items() if key == name]
    return values


def test_numbers_do_not_make_the_log_longer(server):
    text = server.gui.add_html("0")
    log = server._websock_server._broadcast_buffer
    early = Page(server)
    text.content = "1"
    assert told(early, text, "content", "1") == ["1"]
    count = log.message_counter
    for number in range(2, 500):
        text.content = str(number)
    assert log.message_counter == count
    told(early, text, "content", "499")
    early.close()
    address = f"ws://127.0.0.1:{server.get_port()}"
    with connect(address, subprotocols=[f"viser-v{viser.__version__}"], max_size=None) as line:
        assert told(SimpleNamespace(line=line), text, "content", "499") == ["499"]


def test_what_is_drawn_does_not_make_it_longer_either(server):
    ball = server.scene.add_icosphere("/ball")
    ball.color = ball.position = (1, 2, 3)
    log = server._websock_server._broadcast_buffer
    count = log.message_counter
    for number in range(4, 100):
        ball.color, ball.position, ball.visible = (1, 2, number), (1, 2, number), True
    # "visible" is said for the first time
    assert log.message_counter <= count + 1
    kept = [message for message in log.message_from_id.values() if getattr(message, "name", "") == "/ball"]
    assert [tuple(m.position) for m in kept if type(m).__name__ == "SetPositionMessage"] == [(1, 2, 99)]
    ball.remove()
    assert {type(m).__name__ for m in log.message_from_id.values() if getattr(m, "name", "") == "/ball"} == {
        "RemoveSceneNodeMessage"
    }


def test_a_page_is_not_told_what_it_said_itself(server):
    slider = server.gui.add_slider("x", 0.0, 100.0, 0.5, 0.0)
    one, other = Page(server), Page(server)
    slider.value = 1.0
    for page in (one, other):
        assert told(page, slider, "value", 1.0) == [1.0]
    one.set(slider, 2.0)
    assert told(other, slider, "value", 2.0) == [2.0]
    slider.value = 3.0
    slider.value = 4.0
    assert 2.0 not in told(one, slider, "value", 4.0)
    assert told(other, slider, "value", 4.0)[-1] == 4.0
    for page in (one, other):
        page.close()


def test_frames_of_others_go_between_the_pieces_of_a_scene(monkeypatch):
    turns, pieces = [0], []
    deliver = ServerConnection.send

    async def send(self, *args, **options):
        pieces.append(turns[0])
        await deliver(self, *args, **options)

    async def turn() -> None:
        while len(pieces) < 10:
            turns[0] += 1
            await asyncio.sleep(0)

    monkeypatch.setattr(ServerConnection, "send", send)
    server = open_server(port=0)
    try:
        for number in range(4 * 128):
            server.scene.add_frame(f"/{number}", show_axes=False)
        done = asyncio.run_coroutine_threadsafe(turn(), server._event_loop)
        with connect(
            f"ws://127.0.0.1:{server.get_port()}", subprotocols=[f"viser-v{viser.__version__}"], max_size=None
        ):
            done.result(timeout=PATIENCE)
    finally:
        server.stop()
    assert len(set(pieces[:10])) == 10
