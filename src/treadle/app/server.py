"""The server of the page."""

from __future__ import annotations

import contextlib
import io
import itertools
import secrets
import socket

import viser

from treadle.app.guard import LOOPBACK, Guard
from treadle.app.log import keep_short
from treadle.app.uploads import Uploads
from treadle.app.viser_private import line_of
from treadle.errors import InputError

__all__ = ["Server", "configure_theme", "open_server"]

#: The colour of buttons and sliders.
_BRAND = (38, 92, 140)


def open_server(
    host: str = "127.0.0.1", port: int = 8080, title: str = "Treadle", token: str | None = None
) -> Server:
    """A server of the page at that address (port 0: any free one); InputError if it is taken.

    Beyond this computer it answers only those who have the token, one that is made up unless it is given.
    """
    _check_free(host, port)
    if token is None and host not in LOOPBACK:
        token = secrets.token_urlsafe(16)
    guard = Guard(host, token)
    # what viser says about itself is said by the command
    with guard.installed(), contextlib.redirect_stdout(io.StringIO()):
        server = Server(guard, host, port, title, token)
    if port not in (0, server.get_port()):
        server.stop()
        raise _taken(port)
    configure_theme(server.gui)
    return server


def configure_theme(gui: viser.GuiApi, dark: bool = False) -> None:
    """Give a page, or all of them, our colours."""
    gui.configure_theme(
        control_width="large", show_share_button=False, show_logo=False, brand_color=_BRAND, dark_mode=dark
    )


class Server(viser.ViserServer):
    """viser's server behind a door."""

    def __init__(self, guard: Guard, host: str, port: int, title: str, token: str | None) -> None:
        #: what keeps requests and messages out
        self.guard = guard
        #: machines that people brought along
        self.uploads = Uploads()
        #: numbers of the machines that are put on the page one after the other
        self.numbers = itertools.count(1)
        self._token = token
        super().__init__(host=host, port=port, label=title, verbose=False)
        keep_short(line_of(self))

    @property
    def url(self) -> str:
        """The address to open, with the token if there is one."""
        host = self.get_host()
        name = socket.gethostname() if host in ("0.0.0.0", "::") else host
        name = f"[{name}]" if ":" in name else name
        return f"http://{name}:{self.get_port()}" + (f"/?token={self._token}" if self._token else "")

    def request_share_url(self, verbose: bool = True) -> str | None:
        """Nothing: no page can ask for a tunnel from the outside into this computer."""
        return None

    def stop(self) -> None:
        """Close all connections and free the port."""
        self.uploads.close()
        with contextlib.redirect_stdout(io.StringIO()):
            super().stop()


def _check_free(host: str, port: int) -> None:
    if not 0 <= port <= 65535:
        raise InputError(f"--port must be between 0 and 65535, not {port}")
    try:
        with socket.create_server((host, port)):
            pass
    except PermissionError:
        raise InputError(f"port {port} may not be used by you; choose one from 1024 on with --port") from None
    except socket.gaierror:
        raise InputError(f"--host {host!r} is no address of this computer; try 127.0.0.1") from None
    except OSError as error:
        if error.errno in (98, 48):
            raise _taken(port) from None
        raise InputError(f"--host {host!r} is no address of this computer; try 127.0.0.1") from None


def _taken(port: int) -> InputError:
    return InputError(f"port {port} is in use by another program; choose another one with --port")
