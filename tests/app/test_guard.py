import threading

import msgspec
import pytest
import viser
from websockets.exceptions import InvalidStatus
from websockets.http11 import Request
from websockets.sync.client import connect

import treadle as td
from tests.app.pages import PATIENCE
from treadle.app import open_server
from treadle.app.commands import PENDING, Commands
from treadle.app.guard import BURST, LARGEST, RATE, Bucket, Guard
from treadle.sim import Pace

PROTOCOL = [f"viser-v{viser.__version__}"]


def request(path="/", **headers) -> Request:
    from websockets import Headers

    return Request(path, Headers({"Host": "127.0.0.1:8080", **headers}))


@pytest.mark.parametrize(("token", "path", "headers", "reason"), [
    (None, "/", {}, None),
    (None, "/", {"Origin": "http://127.0.0.1:8080"}, None),
    (None, "/", {"Origin": "http://evil.example"}, "another page"),
    (None, "/", {"Host": "evil.example"}, "another name"),
    ("abc", "/", {}, "no token"),
    ("abc", "/?token=abd", {}, "no token"),
    ("abc", "/?token=", {}, "no token"),
    ("abc", "/?token=abc", {}, None),
    ("abc", "/", {"Cookie": "a=1; treadle-8080=abc"}, None),
    ("abc", "/", {"Cookie": "treadle-8080=abd"}, "no token"),
    ("abc", "/", {"Cookie": "treadle-8081=abc"}, "no token"),
    ("abc", "/?token=%C3%A4", {}, "no token"),
])  # fmt: skip
def test_who_is_refused(token, path, headers, reason):
    merged = request(path)
    for name, value in headers.items():
        if name in merged.headers:
            del merged.headers[name]
        merged.headers[name] = value
    assert Guard("127.0.0.1", token).refusal(merged) == reason


def test_a_page_beyond_this_computer_needs_its_token():
    server = open_server("0.0.0.0", port=0)
    try:
        token = server.url.partition("/?token=")[2]
        assert len(token) >= 20
        address = f"ws://127.0.0.1:{server.get_port()}"
        for wrong in (address, f"{address}/?token={token[:-1]}"):
            with pytest.raises(InvalidStatus) as refused:
                connect(wrong, subprotocols=PROTOCOL)
            assert refused.value.response.status_code == 403
            assert refused.value.response.body in (None, b"")
        with connect(f"{address}/?token={token}", subprotocols=PROTOCOL) as page:
            assert page.recv(timeout=PATIENCE)
        cookie = {"Cookie": f"treadle-{server.get_port()}={token}"}
        with connect(address, subprotocols=PROTOCOL, additional_headers=cookie) as page:
            assert page.recv(timeout=PATIENCE)
        assert server.guard.dropped["no token"] == 2
    finally:
        server.stop()


def test_floods_and_bad_messages_are_dropped_and_counted(until):
    server = open_server(port=0)
    try:
        field = server.gui.add_number("number", 1.0)
        changed = threading.Event()
        field.on_update(lambda _: changed.set())

        def update(**updates) -> bytes:
            message = {"type": "GuiUpdateMessage", "uuid": field._impl.uuid, "updates": updates}
            return msgspec.msgpack.encode(message)

        with connect(f"ws://127.0.0.1:{server.get_port()}", subprotocols=PROTOCOL) as page:
            for raw in (
                b"nonsense",
                b"",
                update(value=float("nan")),
                update(uuid="x"),
                update(value="x" * 9999),
            ):
                page.send(raw)
            page.send(b"x" * (LARGEST + 1))
            until(lambda: server.guard.dropped == {"malformed": 5, "too large": 1})
            page.send(update(value=2.0))
            until(lambda: field.value == 2.0)
            for number in range(3 * int(BURST)):
                page.send(update(value=float(number)))
            until(lambda: server.guard.dropped["too many"] > 0)
    finally:
        server.stop()


def test_pages_say_only_what_pages_say(until):
    server = open_server(port=0)
    try:
        field = server.gui.add_number("number", 1.0)
        upload = {
            "type": "FileTransferStartUpload", "source_component_uuid": field._impl.uuid, "filename": "a",
            "transfer_uuid": "a", "mime_type": "a", "part_count": 9, "size_bytes": 9,
        }  # fmt: skip
        away = {
            "type": "TransformControlsUpdateMessage", "name": "/x", "owner": "", "wxyz": (1.0, 0.0, 0.0, 0.0),
            "position": (0.0, float("nan"), 0.0),
        }  # fmt: skip
        script = {"type": "RunJavascriptMessage", "source": "alert(1)"}
        with connect(f"ws://127.0.0.1:{server.get_port()}", subprotocols=PROTOCOL) as page:
            for message in (upload, away, {**away, "position": (1e300, 0.0, 0.0)}, script):
                page.send(msgspec.msgpack.encode(message))
            until(lambda: server.guard.dropped == {"malformed": 3, "not asked for": 1})
            page.send(msgspec.msgpack.encode({**away, "position": (1.0, 0.0, 0.0)}))
            page.send(b"")
            until(lambda: server.guard.dropped == {"malformed": 4, "not asked for": 1})
        assert server.gui._current_file_upload_states == {}
    finally:
        server.stop()


def test_a_bucket_fills_again():
    now = [0.0]
    bucket = Bucket(lambda: now[0])
    assert sum(bucket.take() for _ in range(1000)) == BURST
    now[0] = 0.5
    assert sum(bucket.take() for _ in range(1000)) == RATE / 2


def test_a_queue_of_commands_has_an_end():
    pace = Pace(td.Simulation(td.scene("pendulum")))
    complaints = []
    commands = Commands(pace, complaints.append)
    sent = [commands.send(lambda sim: 1 / 0) for _ in range(PENDING + 3)]
    assert (commands.dropped, sent[-1]) == (3, None)
    pace.run(seconds=pace.sim.dt)
    assert len(complaints) == PENDING
    assert commands.send(lambda sim: None) is not None
