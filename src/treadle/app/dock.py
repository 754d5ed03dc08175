"""The plots below the picture (`dock.js`): pages are told which there are, and sent the rows they lack."""

from __future__ import annotations

from typing import Any

from treadle.app.page_line import PageLine
from treadle.app.plot import Plot
from treadle.app.server import Server

__all__ = ["Dock"]


class Dock:
    """Plots by title; `announce` after a change of them, `send` a few times per second."""

    def __init__(self, server: Server, line: PageLine) -> None:
        self._server, self._line = server, line
        #: the plots by title
        self.plots: dict[str, Plot] = {}
        # epoch and rows that a page has of a plot, by number of client and title
        self._sent: dict[tuple[int, str], tuple[int, int]] = {}

    def announce(self, clients: list[int] | None = None) -> None:
        """Tell pages which plots there are."""
        open_ = self._line.clients
        for client, title in tuple(self._sent):
            if clients is None or client in clients or client not in open_ or title not in self.plots:
                self._sent.pop((client, title), None)
        table = [
            {"title": title, "curves": [{"name": c.name, "unit": c.unit} for c in plot.curves]}
            for title, plot in self.plots.items()
        ]
        self._line.send({"plots": table}, clients)

    def send(self, once: bool = False) -> None:
        """Send pages the samples that they lack; one that has not taken the last ones gets more next time.

        With `once` there is no next time: all get theirs.
        """
        for client in self._line.clients:
            if not once and not self._line.idle(client):
                continue
            for plot in tuple(self.plots.values()):
                # a plot that is new to a page is sent whole
                before, count = self._sent.get((client, plot.title), (-1, 0))
                epoch, reset, rows = plot.news(before, count)
                if reset or len(rows):
                    self._sent[client, plot.title] = epoch, len(rows) + (0 if reset else count)
                    self._line.send({"rows": {"title": plot.title, "reset": reset}}, [client], rows)

    def pressed(self, client: int, message: Any) -> str | None:
        """What someone does to a plot: {"csv": title}, {"parquet": title} or {"remove": title}.

        Files are sent; the title of a plot that is to be removed is returned.
        """
        if not (isinstance(message, dict) and len(message) == 1):
            raise ValueError(message)
        ((what, title),) = message.items()
        plot = self.plots.get(title) if isinstance(title, str) else None
        if plot is None or what not in ("csv", "parquet", "remove"):
            raise ValueError(message)
        if what == "remove":
            return plot.title
        page = self._server.get_clients().get(client)
        if page is not None:
            stem = "".join(c if c.isalnum() else "-" for c in plot.title)
            content = plot.csv() if what == "csv" else plot.parquet()
            page.send_file_download(f"{stem}.{what}", content, save_immediately=True)
        return None
