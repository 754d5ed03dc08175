"""Curves over time in panels, as SVG that takes its ink from the page around it."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treadle.extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Curve", "draw", "limited", "to_svg"]

#: Colours that can be read on white and on black (after Okabe and Ito, and Tol).
_COLOURS = ("#3b82c4", "#e07b39", "#2f9e77", "#c25b8f", "#8a7fd1", "#b5942b", "#4fb3bf", "#d1605e")

#: Stands for the colour of the page's text, which only the page knows.
_INK = "#010203"

#: Curves that one panel can show and still be read.
_MOST_CURVES = 8

_WIDTH, _HEIGHT = 9.0, 2.6


@dataclass(frozen=True)
class Curve:
    """Values over time; a label that begins with "and " is a remark in the legend."""

    label: str
    values: np.ndarray
    width: float = 1.4
    dashed: bool = False


def limited(curves: Sequence[Curve]) -> list[Curve]:
    """The curves that change most, in their own order, and a remark about the others."""
    order = sorted(range(len(curves)), key=lambda k: -float(np.ptp(curves[k].values)))[:_MOST_CURVES]
    shown = [curves[k] for k in sorted(order)]
    hidden = len(curves) - len(shown)
    return [*shown, Curve(f"and {hidden} that move less", np.empty(0))] if hidden else shown


def draw(
    time: np.ndarray, panels: Sequence[tuple[str, Sequence[Curve]]], log: bool = False, zero: bool = False
) -> Figure:
    """A figure with a panel per (title of the axis, curves); `zero` draws the line to compare with."""
    require("matplotlib", "a plot")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, _HEIGHT * len(panels) + 0.3), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, (title, curves) in zip(axes, panels, strict=True):
        _panel(axis, time, title, curves, log, zero)
    axes[-1].set_xlabel("time (s)")
    end = float(time[-1])
    axes[-1].set_xlim(float(time[0]), end if end > time[0] else end + 1.0)
    return figure


def _panel(axis: Axes, time: np.ndarray, title: str, curves: Sequence[Curve], log: bool, zero: bool) -> None:
    if zero:
        axis.axhline(0.0, color=_INK, linewidth=0.8, alpha=0.6)
    for number, curve in enumerate(curves):
        if not len(curve.values):
            axis.plot([], [], " ", label=curve.label)
            continue
        values = np.where(curve.values > 0.0, curve.values, np.nan) if log else curve.values
        axis.plot(
            time,
            values,
            label=curve.label,
            color=_COLOURS[number % len(_COLOURS)],
            linewidth=curve.width,
            linestyle="--" if curve.dashed else "-",
        )
    if log and any(np.any(curve.values > 0.0) for curve in curves):
        axis.set_yscale("log")
    axis.set_ylabel(title)
    axis.grid(color=_INK, alpha=0.15, linewidth=0.6)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    if len(curves) > 1:
        axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize="small")


def to_svg(figure: Figure, name: str) -> str:
    """The figure as an element of a page: no references to elsewhere, no fonts, no background."""
    import matplotlib

    file = io.StringIO()
    # text stays text; parts of several figures on one page must not share their names
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        _recolour(figure)
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r' xmlns(:xlink)?="[^"]*"', "", text)
    text = re.sub(r'<svg width="[^"]*" height="[^"]*"|<svg height="[^"]*"', "<svg", text, count=1)
    text = re.sub(r'( version="1.1")| width="[\d.]+pt"', "", text)
    text = text.replace("xlink:href", "href").replace(_INK, "currentColor")
    text = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1", text)
    return text.replace("<svg", f'<svg role="img" aria-label="{name}"', 1)


def _recolour(figure: Figure) -> None:
    """Texts, ticks and frames in the page's ink."""
    for axis in figure.axes:
        axis.tick_params(colors=_INK, which="both")
        axis.xaxis.label.set_color(_INK)
        axis.yaxis.label.set_color(_INK)
        axis.xaxis.get_offset_text().set_color(_INK)
        axis.yaxis.get_offset_text().set_color(_INK)
        for spine in axis.spines.values():
            spine.set_edgecolor(_INK)
        legend = axis.get_legend()
        for text in legend.get_texts() if legend else ():
            text.set_color(_INK)
