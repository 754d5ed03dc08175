"""The server of the page."""

from __future__ import annotations

import contextlib
import io
import socket

import viser

from treadle.errors import InputError

__all__ = ["open_server"]


def open_server(host: str = "127.0.0.1", port: int = 8080, title: str = "Treadle") -> viser.ViserServer:
    """A server of the page at that address (port 0: any free one); InputError if it is taken."""
    _check_free(host, port)
    # what viser says about itself is said by the command
    with contextlib.redirect_stdout(io.StringIO()):
        server = _Server(host=host, port=port, label=title, verbose=False)
    if port not in (0, server.get_port()):
        server.stop()
        raise _taken(port)
    server.gui.configure_theme(control_width="large", show_share_button=False, show_logo=False)
    return server


class _Server(viser.ViserServer):
    def request_share_url(self, verbose: bool = True) -> str | None:
        """Nothing: no page can ask for a tunnel from the outside into this computer."""
        return None

    def stop(self) -> None:
        """Close all connections and free the port."""
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
