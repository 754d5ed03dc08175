"""A line between a browser and a server that can be cut."""

import contextlib
import socket
import threading


class Line:
    """Passes on what comes to its own port, until `cut()`; `mend()` lets new connections through again."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = self._door.getsockname()[1]
        self._open, self._ends = True, set()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._open = False
        for end in list(self._ends):
            self._drop(end)

    def mend(self) -> None:
        self._open = True

    def close(self) -> None:
        self.cut()
        self._door.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._door.accept()
            except OSError:
                return
            if not self._open:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self._port))
            self._ends |= {near, far}
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(source, sink), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                sink.sendall(data)
        for end in (source, sink):
            self._drop(end)

    def _drop(self, end: socket.socket) -> None:
        self._ends.discard(end)
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
