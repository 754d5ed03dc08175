"""The report of a run: complete, readable, and in one file."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import treadle as td
from tests.native.walkers import LEG, walker
from treadle.report import History, write_report

SECTIONS = ["Measures", "Machine", "Settings", "Plots"]
ALWAYS = ["Energy", "Energy drift", "Error of single steps", "Joint positions", "Joint velocities"]


def pendulum(name: str = "double_pendulum", **options) -> td.Simulation:
    spec = td.ModelSpec(name)
    spec.add_body("rod", 1.0, center=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    spec.add_joint("pin", "revolute", None, "rod", axis=(0, 1, 0), damping=0.1)
    return td.Simulation(spec.compile(), q=[1.0], **options)


def reported(sim: td.Simulation, path: Path, steps: int = 300, thorough: bool = True) -> str:
    with History(sim, steps) as history:
        sim.step(steps)
    write_report(path, history, sim.quality(thorough=thorough))
    return path.read_text(encoding="utf-8")


def tree(page: str) -> ElementTree.Element:
    """The page as a tree; it is well-formed, which HTML needs not be."""
    assert page.startswith("<!DOCTYPE html>\n")
    return ElementTree.fromstring(page.partition("\n")[2])


def texts(page: str, tag: str) -> list[str]:
    return ["".join(x.itertext()) for x in tree(page).iter(tag)]


def test_sections_and_plots(tmp_path):
    page = reported(pendulum(), tmp_path / "run.html")
    assert texts(page, "h1") == ["double_pendulum"]
    assert texts(page, "h2") == SECTIONS
    titles = texts(page, "h3")
    assert [x for x in titles if x in ALWAYS] == ALWAYS
    assert "Error of the run" in titles
    assert len(texts(page, "svg")) == len(titles)


def test_nothing_comes_from_elsewhere(tmp_path):
    page = reported(pendulum(), tmp_path / "run.html")
    assert "http" not in page
    assert not re.findall(r"<(?:script|link|img|iframe|object)\b", page)
    assert not re.findall(r"@import|url\((?!#)", page)
    for element in tree(page).iter():
        for name in ("src", "href"):
            assert element.get(name, "#").startswith("#")


def test_what_is_referred_to_is_there_once(tmp_path):
    """Figures on one page do not get their parts mixed up."""
    page = tree(reported(pendulum(), tmp_path / "run.html"))
    known = [element.get("id") for element in page.iter("clipPath")]
    assert len(known) == len(set(known))
    ids = {element.get("id") for element in page.iter()}
    used = {e.get("href")[1:] for e in page.iter() if e.get("href")}
    used |= set(re.findall(r"url\(#([^)]+)\)", ElementTree.tostring(page, encoding="unicode")))
    assert used
    assert used <= ids


def test_the_verdict_is_on_top_and_coloured(tmp_path):
    for dt, word in ((1e-4, "Good"), (0.05, "Poor")):
        sim = pendulum(dt=dt)
        page = reported(sim, tmp_path / "run.html")
        verdict = next(x for x in tree(page).iter("div") if x.get("class", "").startswith("verdict"))
        assert verdict.get("class") == f"verdict {word.lower()}"
        assert "".join(verdict[0].itertext()) == word
        assert page.index(word) < page.index("<h2>")


def test_every_measure_has_a_row(tmp_path):
    sim = pendulum()
    page = reported(sim, tmp_path / "run.html")
    table = next(tree(page).iter("table"))
    names = [row[0].text for row in table.iter("tr")][1:]
    assert names == [m.name for m in sim.quality(thorough=True).measures]


def test_few_steps(tmp_path):
    page = reported(pendulum(), tmp_path / "run.html", steps=0)
    assert "Too early to judge" in page
    assert "Error of the run" not in page


def test_names_cannot_break_the_page(tmp_path):
    page = reported(pendulum("<script>alert('&')</script>"), tmp_path / "run.html")
    assert "<script>" not in page
    assert texts(page, "h1") == ["<script>alert('&')</script>"]


def test_a_machine_that_floats_has_its_momentum_plotted(tmp_path):
    sim = td.Simulation(walker([LEG] * 2), integrator="rk4")
    sim.v[:] = np.linspace(-1.0, 1.0, sim.model.nv)
    page = reported(sim, tmp_path / "run.html", thorough=False)
    assert "Momentum drift" in texts(page, "h3")
    labels = texts(page, "text")
    assert "linear (N s)" in labels
    assert "angular (N m s)" in labels


@pytest.mark.parametrize(
    ("integrator", "label"), [("implicit_euler", "rounds per step"), ("dopri5", "substeps per step")]
)
def test_solvers_have_their_effort_plotted(tmp_path, integrator, label):
    page = reported(pendulum(integrator=integrator), tmp_path / "run.html", thorough=False)
    assert "Solver" in texts(page, "h3")
    assert label in texts(page, "text")


def test_axes_have_units_and_curves_names(tmp_path):
    labels = texts(reported(pendulum(), tmp_path / "run.html"), "text")
    for label in (
        "time (s)",
        "energy (J)",
        "energy drift (J)",
        "angle (rad)",
        "rate (rad/s)",
        "kinetic",
        "work done",
    ):
        assert label in labels


def test_looking_does_not_change_the_run(tmp_path):
    sim, other = pendulum(), pendulum()
    reported(sim, tmp_path / "run.html")
    other.step(300)
    assert sim.save() == other.save()
    assert sim.observers == []


def test_long_runs_are_sampled():
    sim = pendulum(dt=1e-4)
    with History(sim, 20_000) as history:
        sim.step(20_000)
    assert 700 < len(history.columns["time"]) <= 802
    assert len(history.errors) <= 82
    assert history.columns["time"][-1] == sim.time
