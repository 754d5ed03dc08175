"""`td.view`: a page for a simulation in a script or notebook."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from treadle.batch import Batch
from treadle.errors import InputError
from treadle.extras import require
from treadle.model.model import Model
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.live import Live
    from treadle.app.worlds import Worlds

__all__ = ["view"]


@overload
def view(
    what: Simulation | Model, *, run: bool = ..., port: int = ..., host: str = ..., open_browser: bool = ...
) -> Live: ...


@overload
def view(
    what: Batch,
    *,
    worlds: Sequence[int] | None = ...,
    port: int = ...,
    host: str = ...,
    open_browser: bool = ...,
) -> Worlds: ...


def view(
    what: Simulation | Model | Batch,
    *,
    run: bool = True,
    worlds: Sequence[int] | None = None,
    port: int = 0,
    host: str = "127.0.0.1",
    open_browser: bool = False,
) -> Live | Worlds:
    """Show a simulation on a page of the browser, at `page.url`, while the script continues.

    The page runs it in real time in a thread of its own, to be touched by `page.send(...)` alone. With
    run=False the script steps it, and calls `page.show()` as often as it likes: what people do at the page
    is done then, and a pause at the page pauses the script there. Of a batch chosen worlds are shown, and
    the script steps it. In a notebook the page is shown in place.
    """
    if isinstance(what, Model):
        what = Simulation(what)
    if not isinstance(what, (Simulation, Batch)):
        raise InputError(f"view shows a Simulation, a Model or a Batch, not {type(what).__name__}")
    require("viser", "the page")
    # the page's libraries take their time
    from treadle.app import Live, Worlds, open_server

    server = open_server(host, port, what.model.name)
    try:
        if isinstance(what, Batch):
            page: Live | Worlds = Worlds(server, what, worlds)
        else:
            page = Live(server, what)
            if run:
                page.start()
    except BaseException:
        server.stop()
        raise
    if open_browser:
        webbrowser.open(server.url)
    return page
