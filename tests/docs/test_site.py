"""Pages of the site that are generated: one for every public name, scene and notebook."""

import importlib.util
import re
from pathlib import Path

import pytest

import treadle as td

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The generator, after it has written its pages into a folder of its own."""
    spec = importlib.util.spec_from_file_location("docs_site", ROOT / "tools" / "docs_site.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.PAGES = tmp_path_factory.mktemp("pages") / "pages"
    module.gather()
    module.api_pages()
    module.gallery()
    module.notebooks()
    return module


def test_every_public_name_has_a_page(site):
    for name in set(td.__all__) - {"__version__"}:
        text = (site.PAGES / "docs" / "reference" / "api" / site.file_name(name)).read_text()
        assert text.startswith(f"# td.{name}\n")
        said = re.sub(
            r"```python\n.*?```", "", text.partition("\n")[2].partition("\n## ")[0], flags=re.DOTALL
        )
        assert said.strip(), name
        assert "## Example" in text


def test_signatures_are_those_of_python(site):
    text = (site.PAGES / "docs" / "reference" / "api" / "export.md").read_text()
    assert "kind: str = 'static'," in text
    assert "cpu: str = ''," in text
    assert ") -> list[Path]" in text
    text = (site.PAGES / "docs" / "reference" / "api" / "batch.md").read_text()
    assert "**options: float" in text


def test_pages_differ_where_capitals_do_not_count(site):
    files = [site.file_name(name) for name in td.__all__]
    assert len(files) == len({file.lower() for file in files})


def test_every_scene_is_in_the_gallery(site):
    text = (site.PAGES / "docs" / "gallery.md").read_text()
    for name in td.scene_names():
        assert f"**{name}**" in text
    for picture in re.findall(r"\]\((images/[^)]+)\)", text):
        assert (site.PAGES / "docs" / picture).exists()


def test_the_navigation_leads_to_pages(site):
    def pages(entry):
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            yield from (
                (page for item in value for page in pages(item)) if isinstance(value, list) else [value]
            )

    listed = [page for tab in site.navigation() for page in pages(tab)]
    assert [page for page in listed if not (site.PAGES / page).exists()] == []
    assert len(listed) == len(set(listed))
    assert {"docs/tutorials/linkages.md", "docs/gallery.md", "docs/peers/mujoco.md"} <= set(listed)
