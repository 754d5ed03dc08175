import socket
from urllib.request import urlopen

import pytest

from treadle.app import open_server
from treadle.errors import InputError


def test_serves_a_page_and_frees_its_port():
    server = open_server(port=0)
    port = server.get_port()
    with urlopen(f"http://127.0.0.1:{port}") as answer:
        page = answer.read().decode()
    assert (answer.status, "<html" in page) == (200, True)
    server.stop()
    with socket.create_server(("127.0.0.1", port)):
        pass


def test_listens_on_this_computer_alone():
    server = open_server(port=0)
    try:
        assert server.get_host() == "127.0.0.1"
    finally:
        server.stop()


def test_no_page_can_open_a_tunnel():
    server = open_server(port=0)
    try:
        assert server.request_share_url() is None
    finally:
        server.stop()


def test_a_port_in_use_is_one_sentence():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"^port {port} is in use by another program; choose another"):
            open_server(port=port)


@pytest.mark.parametrize(("host", "port", "message"), [
    ("127.0.0.1", 70000, "between 0 and 65535"),
    ("no such host", 0, "is no address of this computer"),
    ("192.0.2.1", 0, "is no address of this computer"),
])  # fmt: skip
def test_addresses_that_do_not_exist(host, port, message):
    with pytest.raises(InputError, match=message):
        open_server(host, port)


@pytest.mark.parametrize("path", ["/../index.py", "/../../_viser.py", "/..%2f..%2f_viser.py", "//etc/passwd"])
def test_only_the_page_itself_is_served(path):
    server = open_server(port=0)
    try:
        with socket.create_connection(("127.0.0.1", server.get_port())) as line:
            line.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            answer = b"".join(iter(lambda: line.recv(65536), b""))
    finally:
        server.stop()
    assert answer.split()[1] != b"200", answer[:200]
