"""The documentation, where a test can tell: code runs, links lead somewhere, tables are complete."""

import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import treadle as td
from treadle.integrators import INTEGRATORS
from treadle.joints import JOINT_TYPES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
ROBOT = ROOT / "examples" / "data" / "two_link.urdf"

BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<code>.*?)^(?P=indent)```", re.DOTALL | re.MULTILINE
)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def blocks(path: Path, language: str) -> list[tuple[int, str]]:
    """Code blocks of a language, each with the number of lines before it."""
    text = text_of(path)
    return [
        (text.count("\n", 0, match.start("code")), textwrap.dedent(match["code"]))
        for match in BLOCK.finditer(text)
        if match["language"] == language
    ]


WITH_CODE = [path for path in PAGES if blocks(path, "python")]


def test_the_pages_that_teach_have_code():
    taught = {name(path) for path in WITH_CODE}
    assert {"README.md", "docs/tutorial.md"} <= taught
    assert {name(path) for path in (DOCS / "howto").glob("*.md")} <= taught


@pytest.mark.parametrize("path", WITH_CODE, ids=name)
def test_code_runs(path, tmp_path):
    """All blocks of a page, one after the other; in a process of its own, for some extend registries."""
    source = ""
    for line, code in blocks(path, "python"):
        # at its place in the page, so that a traceback's line is the page's
        source += "\n" * (line - source.count("\n")) + code
    script = tmp_path / f"{path.stem}.py"
    script.write_text(source, encoding="utf-8")
    shutil.copy(ROBOT, tmp_path)
    shutil.copytree(DOCS / "formats" / "example", tmp_path, dirs_exist_ok=True)
    # with the cache of the suite: kernels of contact take minutes to compile
    result = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr


def slug(heading: str) -> str:
    """The anchor that a heading gets: lower case, without punctuation, hyphens for spaces."""
    plain = re.sub(r"[^\w\- ]", "", LINK.sub("", heading).lower())
    return plain.replace(" ", "-")


def links(path: Path) -> list[str]:
    """Targets of the links in a page's text, those in code left out."""
    text = re.sub(r"`[^`\n]*`(?!\])", "", BLOCK.sub("", text_of(path)))
    return [target for target in LINK.findall(text) if "://" not in target]


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_links_lead_somewhere(path):
    for link in links(path):
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), f"{name(path)} links to {link}, which is not there"
        if anchor:
            found = [slug(heading) for heading in HEADING.findall(BLOCK.sub("", text_of(target)))]
            assert anchor in found, f"{name(path)} links to {link}, which has no such heading"


def test_every_page_can_be_found_from_the_index():
    reached, waiting = set(), [DOCS / "index.md"]
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting += [
                target
                for link in links(path)
                if (target := (path.parent / link.partition("#")[0]).resolve()).suffix == ".md"
            ]
    assert set(DOCS.rglob("*.md")) <= reached


def test_the_urdf_page_shows_a_file_that_loads(tmp_path):
    page = DOCS / "formats" / "urdf.md"
    ((_, shown),) = blocks(page, "xml")
    assert shown == text_of(ROBOT)
    path = tmp_path / "two_link.urdf"
    path.write_text(shown, encoding="utf-8")
    model = td.load(path)
    assert ([body.name for body in model.bodies], model.nv) == (["upper_arm", "forearm"], 2)
    assert "\n".join(model.report) + "\n" in [code for _, code in blocks(page, "")]


def test_the_table_of_joints_is_complete():
    text = text_of(DOCS / "reference" / "joints.md")
    rows = {match[1]: match[0] for match in re.finditer(r"^\| `(\w+)` \|.*$", text, re.MULTILINE)}
    assert set(JOINT_TYPES) | {"continuous", "fixed"} <= set(rows)
    for kind, joint in JOINT_TYPES.items():
        assert rows[kind].endswith(f"| {len(joint.positions)} | {len(joint.velocities)} |")


def test_the_table_of_signals_is_complete():
    from treadle.sim.recording import SIGNAL_KINDS

    text = text_of(DOCS / "howto" / "record-and-replay.md")
    for pattern in SIGNAL_KINDS:
        assert f"`{pattern.replace('*', 'NAME')}`" in text


def test_every_integrator_is_explained():
    text = text_of(DOCS / "theory" / "integration.md")
    for integrator in INTEGRATORS:
        assert f"| `{integrator}`" in text


def test_the_page_of_constraints_says_which_integrators_hold_loops():
    """Methods on the level of positions hold loops as others do, and refuse what has velocities alone."""
    page = " ".join((DOCS / "theory" / "constraints.md").read_text().split())
    levels = {name: method.loops for name, method in INTEGRATORS.items()}
    assert ("All methods satisfy loops" in page) == all(levels.values())
    assert "refuse loops" not in page
    assert ("Methods that solve for positions have no equation for them, and refuse" in page) == (
        "positions" in levels.values()
    )


def test_elementary_functions_have_the_bounds_that_are_tested():
    from tests.native.test_elementary import ACCURACY

    tested: dict[str, set[float]] = {}
    for function, bound, _ in ACCURACY.values():
        tested.setdefault(function, set()).add(bound)
    text = text_of(DOCS / "theory" / "compilation.md")
    for function, shown in {"sincos": "sin, cos"}.items() | {(x, x) for x in tested if x != "sincos"}:
        (row,) = re.findall(rf"^\| {shown} \| ([\d.]+) \|(.*)\|$", text, re.MULTILINE)
        assert {float(row[0]), *map(float, re.findall(r"\b\d\.\d\b", row[1]))} == tested[function]
