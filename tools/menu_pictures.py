"""Make the small pictures of the menu of scenes, src/treadle/app/pictures/NAME.jpg, from docs/images.

python tools/menu_pictures.py
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from treadle.scenes import scene_names

ROOT = Path(__file__).parents[1]
IMAGES, PICTURES = ROOT / "docs" / "images", ROOT / "src" / "treadle" / "app" / "pictures"

#: Width and height in pixels.
SIZE = (320, 180)

#: Scenes whose picture has another name.
OTHERS = {"roadheader": "roadheader-front-left.png", "roadheader-ground": "roadheader-tunnel.png"}


def main() -> None:
    """Scale the pictures of all scenes that have one."""
    PICTURES.mkdir(exist_ok=True)
    for name in scene_names():
        path = IMAGES / OTHERS.get(name, f"scene-{name}.png")
        if not path.is_file():
            print(f"{name}: there is no {path.name}")
            continue
        picture = Image.open(path).convert("RGB")
        width, height = picture.size
        # the middle of it, in the shape of the menu
        kept = min(height, round(width * SIZE[1] / SIZE[0]))
        top = (height - kept) // 2
        picture.crop((0, top, width, top + kept)).resize(SIZE).save(PICTURES / f"{name}.jpg", quality=82)


if __name__ == "__main__":
    main()
