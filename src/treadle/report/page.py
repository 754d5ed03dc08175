"""The page: verdict, measures, machine, settings and plots, in one HTML file without references."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from pathlib import Path

from treadle._version import __version__
from treadle.integrators import INTEGRATORS
from treadle.report.curves import to_svg
from treadle.report.history import History
from treadle.report.plots import PLOTS
from treadle.sim.quality import Measure, Quality

__all__ = ["write_report"]

_BASIS = (
    "Energy and momentum balances, the error of single steps and of the run, and what solvers left over are "
    "each rated good, fair or poor relative to the machine and to what moves in it. The "
    "verdict is the worst of them."
)


def write_report(path: Path, history: History, quality: Quality) -> None:
    """Write the report of a run that `history` saw and `quality` judged."""
    path.write_text(_page(history, quality), encoding="utf-8")


def _page(history: History, quality: Quality) -> str:
    name = escape(history.sim.model.name)
    style = files("treadle.report").joinpath("style.css").read_text(encoding="utf-8")
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    # each part begins on a line of its own
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8"/>',
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
            f"<title>{name}: quality of a run</title>",
            f"<style>\n{style}</style>",
            "</head>",
            "<body>",
            "<main>",
            f"<h1>{name}</h1>",
            f'<p class="faint">Quality of a run of {_seconds(history)} s, {when}</p>',
            *_verdict(quality),
            "<h2>Measures</h2>",
            *_measures(quality.measures),
            *_facts(history),
            "<h2>Plots</h2>",
            *_plots(history, quality),
            "<footer>",
            f"<p><strong>How the verdict is made.</strong> {_BASIS}</p>",
            f"<p>Made by Treadle {escape(__version__)}.</p>",
            "</footer>",
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _verdict(quality: Quality) -> Iterable[str]:
    word, _, rest = quality.verdict.partition(": ") if quality.rating else ("Too early to judge", "", "")
    yield f'<div class="verdict {quality.rating or "none"}">'
    yield f'<div class="word">{escape(word)}</div>'
    text = rest if quality.rating else quality.verdict
    yield f"<p>{escape(text[:1].upper() + text[1:])}</p>"
    yield "</div>"


def _measures(measures: Iterable[Measure]) -> Iterable[str]:
    yield '<div class="wide"><table>'
    head = ("measure", "value", "unit", "rating", "good up to", "what it means")
    yield "<thead><tr>" + "".join(f"<th>{x}</th>" for x in head) + "</tr></thead>"
    yield "<tbody>"
    for m in measures:
        yield (
            f"<tr><th>{escape(m.name)}</th>"
            f'<td class="number">{_number(m.value)}</td><td class="unit">{escape(m.unit)}</td>'
            f'<td class="rating {m.rating or "none"}">{m.rating or ""}</td>'
            f'<td class="number">{"" if m.limit is None else _number(m.limit)}</td>'
            f"<td>{escape(m.meaning)}</td></tr>"
        )
    yield "</tbody></table></div>"


def _facts(history: History) -> Iterable[str]:
    """The machine and how it was run, side by side."""
    sim = history.sim
    lines = [line.split("  ", 1) for line in str(sim.model.summary()).splitlines()]
    method = INTEGRATORS[sim.integrator]
    settings = [
        ("integrator", f"{sim.integrator}, of order {method.order}: {method.about}"),
        ("step", f"{sim.dt:g} s"),
        *[(name, f"{value:g}") for name, value in sim.options.items()],
        ("simulated", f"{_seconds(history)} s"),
        ("force laws, controllers", f"{len(sim.laws)}, {len(sim.controllers)}"),
        ("gravity", ", ".join(f"{g:g}" for g in sim.model.gravity) + " m/s²"),
    ]
    yield '<div class="facts">'
    for title, rows in (("Machine", lines), ("Settings", settings)):
        yield f"<section><h2>{title}</h2><table><tbody>"
        yield from (f"<tr><th>{escape(k.strip())}</th><td>{escape(v.strip())}</td></tr>" for k, v in rows)
        yield "</tbody></table></section>"
    yield "</div>"
    if sim.model.report:
        yield "<h2>Import</h2>\n<ul>"
        yield from (f"<li>{escape(str(line))}</li>" for line in sim.model.report)
        yield "</ul>"


def _plots(history: History, quality: Quality) -> Iterable[str]:
    for title, plot, caption in PLOTS:
        figure = plot(history, quality)
        if figure is not None:
            yield f"<h3>{title}</h3>\n<figure>"
            yield to_svg(figure, title)
            if caption:
                yield f"<figcaption>{escape(caption)}</figcaption>"
            yield "</figure>"


def _seconds(history: History) -> str:
    times = history.columns["time"]
    return f"{times[-1] - times[0]:.6g}"


def _number(value: float) -> str:
    """Four digits, with powers of ten as people write them."""
    if not math.isfinite(value):
        return "unknown"
    mantissa, _, exponent = f"{value:.4g}".replace("-", "\u2212").partition("e")
    if not exponent:
        return mantissa
    power = exponent.replace("\u2212", "-")
    return f"{mantissa} \u00d7 10<sup>{str(int(power)).replace('-', chr(0x2212))}</sup>"
