"""Build the documentation site: `make docs`, or python tools/docs_site.py [--serve].

Pages are gathered under build/docs-pages with the folders that they have in the repository, so that their
links hold: the README, docs/, the examples, and what is generated here: a page per public name from its
docstring and its example, the gallery of scenes, and the notebooks as pages. MkDocs then checks all links and
builds build/site/VERSION; the theme's list of versions has every version that is there.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, get_origin

ROOT = Path(__file__).parents[1]
PAGES, SITE = ROOT / "build" / "docs-pages", ROOT / "build" / "site"
sys.path.insert(0, str(ROOT / "src"))

import treadle as td  # noqa: E402

#: Titles of the groups of names, by the package that they are from.
GROUPS = {
    "sim": "Simulation",
    "batch": "Many worlds",
    "model": "Machines",
    "scenes": "Machines",
    "formats": "Files",
    "exports": "Exports",
    "dynamics": "Dynamics",
    "solvers": "Dynamics",
    "planning": "Planning",
    "process": "Work on material",
    "forces": "Forces",
    "contact": "Contact and collision",
    "collision": "Contact and collision",
    "geometry": "Contact and collision",
    "terrain": "Ground and wheels",
    "wheels": "Ground and wheels",
    "graph": "Functions in laws",
    "app": "The page",
    "errors": "Errors",
}
#: The one type that is public: of functions, which have no docstring.
LAW = (
    "Type of a force law: a function of positions and velocities by joint name and of the time, which "
    "returns joint forces by joint name ([how to write one](../../howto/write-a-force-law.md))."
)
SECTION = re.compile(r"^# --- ([\w, ]+?)(?: \((\w+)\))?$", re.MULTILINE)


def main() -> int:
    """Gather, generate, build."""
    gather()
    api_pages()
    gallery()
    notebooks()
    config = ROOT / "build" / "mkdocs.yml"
    # JSON is YAML; paths are relative to this file
    own = {
        "INHERIT": "../mkdocs.yml",
        "docs_dir": "docs-pages",
        "hooks": ["../tools/docs_hooks.py"],
        "nav": navigation(),
    }
    config.write_text(json.dumps(own, indent=1), encoding="utf-8")
    short = ".".join(td.__version__.split(".")[:2])
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "serve" if "--serve" in sys.argv else "build",
        "-f",
        str(config),
    ]
    if "--serve" not in sys.argv:
        command += ["--strict", "--site-dir", str(SITE / short)]
    # the theme would otherwise print what its successor is
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    if code == 0 and SITE.exists():
        versions = sorted((x.name for x in SITE.iterdir() if x.is_dir()), reverse=True)
        entries = [{"version": name, "title": name, "aliases": []} for name in versions]
        (SITE / "versions.json").write_text(json.dumps(entries))
        refresh = f'<meta http-equiv="refresh" content="0; url={short}/">'
        (SITE / "index.html").write_text(f"<!doctype html><title>Treadle</title>{refresh}")
    return code


def gather() -> None:
    """Copy everything that pages link to."""
    shutil.rmtree(PAGES, ignore_errors=True)
    PAGES.mkdir(parents=True)
    shutil.copytree(ROOT / "docs", PAGES / "docs")
    shutil.copytree(ROOT / "examples", PAGES / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    for name in (
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "LICENSE",
        "CITATION.cff",
        "SECURITY.md",
        "CODE_OF_CONDUCT.md",
    ):
        shutil.copy(ROOT / name, PAGES / name)
    (PAGES / "benchmarks").mkdir()
    shutil.copy(ROOT / "benchmarks" / "README.md", PAGES / "benchmarks" / "README.md")
    shutil.copy(ROOT / "README.md", PAGES / "index.md")
    # links to the README are links to the first page
    for path in PAGES.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        up = "../" * (len(path.relative_to(PAGES).parts) - 1)
        path.write_text(text.replace(f"]({up}README.md", f"]({up}index.md"), encoding="utf-8")


#: Tabs of the site, by the sections of the index whose pages they have.
TABS = {"Learn": "Learn", "Do": "How-to", "Look up": "Reference", "Understand": "Theory"}


def navigation() -> list[dict[str, Any]]:
    """Tabs and pages, in the order of docs/index.md."""
    text = (PAGES / "docs" / "index.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    tabs: list[dict[str, Any]] = [{"Home": "index.md"}]
    for section, title in TABS.items():
        links = re.findall(r"\[([^\]]+)\]\(([^)#]+\.md)\)", sections[section])
        pages: list[Any] = [{name: _place(link)} for name, link in links]
        if section == "Learn":
            notes = sorted((PAGES / "docs" / "tutorials").glob("*.ipynb"))
            pages += [f"docs/tutorials/{path.stem}.md" for path in notes] + [{"Gallery": "docs/gallery.md"}]
        if section == "Look up":
            names = [name for name in td.__all__ if name != "__version__"]
            api = [{f"td.{name}": f"docs/reference/api/{file_name(name)}"} for name in names]
            pages.append({"Public names": ["docs/reference/api/index.md", *api]})
            peers = sorted((PAGES / "docs" / "peers").glob("[a-z]*.md"))
            pages.append({"Peers": ["docs/peers/README.md", *[f"docs/peers/{path.name}" for path in peers]]})
        if section == "Understand":
            studies = sorted((PAGES / "docs" / "studies").glob("[a-z]*.md"))
            pages.append({"Studies": [f"docs/studies/{path.name}" for path in studies]})
        tabs.append({title: _once(pages)})
    records = sorted((PAGES / "docs" / "decisions").glob("*.md"), reverse=True)
    own = ["docs/index.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md"]
    decisions = {"Decisions": [f"docs/decisions/{path.name}" for path in records]}
    return [*tabs, {"Project": [*own, decisions]}]


def _place(link: str) -> str:
    return (Path("docs") / link).as_posix() if not link.startswith("../") else link.removeprefix("../")


def _once(pages: list[Any]) -> list[Any]:
    """Pages without those that are part of a group further down."""
    named = [value for item in pages if isinstance(item, dict) for value in item.values()]
    grouped = {page for value in named if isinstance(value, list) for page in value if isinstance(page, str)}
    single = [next(iter(item.values())) if isinstance(item, dict) else item for item in pages]
    return [
        item
        for item, page in zip(pages, single, strict=True)
        if isinstance(page, list) or page not in grouped
    ]


def api_pages() -> None:
    """A page per public name, and their list."""
    folder = PAGES / "docs" / "reference" / "api"
    folder.mkdir()
    examples = _examples()
    groups: dict[str, list[tuple[str, str, str]]] = {}
    for name in td.__all__:
        if name == "__version__":
            continue
        item = getattr(td, name)
        file = file_name(name)
        (folder / file).write_text(_page(name, item, examples[name]), encoding="utf-8")
        summary = (
            (inspect.getdoc(item) or "").partition("\n")[0] if not _is_alias(item) else LAW.partition(" (")[0]
        )
        groups.setdefault(_group(name), []).append((name, file, summary))
    lines = ["# Public names", "", "Everything that `import treadle as td` has, from its docstrings.", ""]
    for title in dict.fromkeys(GROUPS.values()):
        if title in groups:
            lines += [f"## {title}", "", "| name | |", "|---|---|"]
            lines += [f"| [`{name}`]({file}) | {_cell(text)} |" for name, file, text in groups[title]] + [""]
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")


def file_name(name: str) -> str:
    """The page of a name: `Trajectory` and `trajectory` must differ where capitals do not count."""
    same = [other for other in td.__all__ if other.lower() == name.lower()]
    return f"{name.lower()}{'-function' if len(same) > 1 and name[0].islower() else ''}.md"


def _group(name: str) -> str:
    home = next(module for module, names in td._HOMES.items() if name in names)
    return GROUPS[home.split(".")[1]]


def _examples() -> dict[str, str]:
    text = (ROOT / "docs" / "reference" / "examples.py").read_text(encoding="utf-8")
    found = list(SECTION.finditer(text))
    sections: dict[str, str] = {}
    for start, end in zip(found, [*found[1:], None], strict=True):
        code = text[start.end() : end.start() if end else None].strip()
        sections |= dict.fromkeys(start[1].split(", "), code)
    return sections


def _page(name: str, item: Any, example: str) -> str:
    lines = [f"# td.{name}", ""]
    if not _is_alias(item):
        lines += [*_signature(f"td.{name}", item), *_text(item)]
    else:
        lines += ["```python", str(item), "```", "", LAW, ""]
    if inspect.isclass(item):
        lines += _members(item)
    head = "import numpy as np\nimport treadle as td\n\n" if "np." in example else "import treadle as td\n\n"
    lines += ["## Example", "", "```python", head + example, "```", ""]
    return "\n".join(lines)


def _members(cls: type) -> list[str]:
    lines: list[str] = []
    for name, member in inspect.getmembers(cls):
        if name.startswith("_") or not any(name in vars(base) for base in cls.__mro__ if _is_own(base)):
            continue
        if inspect.isfunction(member) or inspect.ismethod(member):
            lines += [f"### {name}", "", *_signature(name, member), *_text(member)]
        elif isinstance(member, property) or type(member).__name__ == "cached_property":
            lines += [f"### {name}", "", *_text(member)]
    return ["## Members", "", *lines] if lines else []


def _is_own(base: type) -> bool:
    return base.__module__.startswith("treadle")


def _is_alias(item: Any) -> bool:
    return get_origin(item) is not None


def _signature(name: str, item: Any) -> list[str]:
    try:
        signature = inspect.signature(item)
    except (TypeError, ValueError):
        return []
    parameters = [p for p in signature.parameters.values() if p.name != "self"]
    given = [_parameter(p) for p in parameters]
    named = [p.kind is p.KEYWORD_ONLY for p in parameters]
    if any(named) and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        given.insert(named.index(True), "*")
    back = signature.return_annotation
    none = back in (inspect.Signature.empty, None, "None") or inspect.isclass(item)
    arrow = "" if none else f" -> {_annotation(back)}"
    text = f"{name}({', '.join(given)}){arrow}"
    if len(text) > 90:
        text = f"{name}(\n    " + ",\n    ".join(given) + f",\n){arrow}"
    return ["```python", text, "```", ""]


def _parameter(parameter: inspect.Parameter) -> str:
    """One argument as it is written in a signature."""
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    typed = parameter.annotation is not parameter.empty
    text = stars + parameter.name + (f": {_annotation(parameter.annotation)}" if typed else "")
    if parameter.default is parameter.empty:
        return text
    return text + (" = " if typed else "=") + repr(parameter.default)


def _annotation(annotation: Any) -> str:
    return annotation.strip("'\"") if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _text(item: Any) -> list[str]:
    """The docstring; angle brackets are no tags, and lines that are indented are code."""
    text = inspect.getdoc(item) or ""
    return [line if line.startswith("    ") else line.replace("<", "&lt;") for line in text.split("\n")] + [
        ""
    ]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def gallery() -> None:
    """All scenes with their films or pictures, as cards."""
    lines = [
        "# Gallery",
        "",
        "The machines that come with Treadle: `td.scene(NAME)`, `treadle view NAME`.",
        "",
    ]
    lines += ['<div class="grid cards" markdown>', ""]
    images = PAGES / "docs" / "images"
    for name in td.scene_names():
        files = [f"scene-{name}.webp", f"scene-{name}.gif", f"scene-{name}.png", "roadheader-tunnel.png"]
        picture = next(file for file in files if (images / file).exists())
        lines += [
            f"-   ![{name}](images/{picture})",
            "",
            f"    **{name}**",
            "",
            f"    {_first_sentence(name)}",
            "",
        ]
    lines += ["</div>", ""]
    (PAGES / "docs" / "gallery.md").write_text("\n".join(lines), encoding="utf-8")


def _first_sentence(name: str) -> str:
    from treadle.scenes import SCENES

    module = sys.modules[SCENES[name].__module__].__doc__ or ""
    return " ".join(module.split("\n\n")[0].split()).replace("<", "&lt;")


def notebooks() -> None:
    """Notebooks as pages, with a link to the notebook itself."""
    for path in (PAGES / "docs" / "tutorials").glob("*.ipynb"):
        lines = []
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            text = "".join(cell["source"])
            lines += [text, ""] if cell["cell_type"] == "markdown" else ["```python", text, "```", ""]
        head, _, rest = "\n".join(lines).partition("\n")
        note = f"\n\nThis page is a notebook: [{path.name}]({path.name}).\n"
        path.with_suffix(".md").write_text(head + note + rest, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
