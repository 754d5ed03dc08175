"""Where a machine is in the picture of a page: found from the matrices that it is drawn with."""

import numpy as np

#: Opens a page that draws few pixels, in a window of any size: without a graphics card they take the time.
COARSE = "fixedDpr=0.4"

#: The box around points of the scene on the canvas, and the part of the canvas beside the panel, in pixels.
_BOXES = """(parts) => {
    const { camera, nodeRefFromName } = window.__viserMutable;
    if (!parts.every(([name]) => nodeRefFromName[name])) return null;
    const times = (m, p) =>
        [0, 1, 2, 3].map((k) => m[k] * p[0] + m[k + 4] * p[1] + m[k + 8] * p[2] + m[k + 12] * p[3]);
    const canvas = document.querySelector("canvas[data-engine]").getBoundingClientRect();
    const panel = document.querySelector("[data-floating-window]")?.getBoundingClientRect();
    const sheet = document.querySelector("[data-treadle-sheet]")?.getBoundingClientRect();
    const free = [panel?.left ?? canvas.width, sheet?.top ?? canvas.height];
    const corners = parts.flatMap(([name, points]) => points.map((point) => [nodeRefFromName[name], point]));
    const seen = corners.map(([node, point]) => {
        const world = times(node.matrixWorld.elements, [...point, 1]);
        const local = times(camera.matrixWorldInverse.elements, world);
        const clip = times(camera.projectionMatrix.elements, local);
        const [x, y] = [clip[0] / clip[3], clip[1] / clip[3]];
        return [0.5 * (1 + x) * canvas.width, 0.5 * (1 - y) * canvas.height, clip[2] / clip[3], clip[3]];
    });
    const ends = (k) => [Math.min(...seen.map((s) => s[k])), Math.max(...seen.map((s) => s[k]))];
    return { x: ends(0), y: ends(1), depth: ends(2), before: ends(3)[0], free };
}"""

#: Where the camera is, in the axes of the scene, and how near things are that it does not draw.
_EYE = """(root) => {
    const { camera, nodeRefFromName } = window.__viserMutable;
    const m = nodeRefFromName[root].matrixWorld.clone().invert().elements, e = camera.matrixWorld.elements;
    const place = [0, 1, 2].map((k) => m[k] * e[12] + m[k + 4] * e[13] + m[k + 8] * e[14] + m[k + 12]);
    const back = [0, 1, 2].map((k) => m[k] * e[8] + m[k + 4] * e[9] + m[k + 8] * e[10]);
    return { place, back, near: camera.near };
}"""


def boxes(page, scene, points: np.ndarray | None = None) -> dict | None:
    """Of a machine, or of points of it, as it is drawn; None while it is not."""
    corners = scene.corners() if points is None else points
    return page.evaluate(_BOXES, [[scene.under, corners.tolist()]])


def moving(scene) -> np.ndarray:
    """Corners of what moves, where it is now: without what is fixed, such as a pile before a loader."""
    poses = {name: scene.pose(name) for name in scene.nodes}
    return np.vstack([scene.body_corners(name) @ X[:3, :3].T + X[:3, 3] for name, X in poses.items()])


def drawn(page, scene) -> dict | None:
    """As `boxes`, of the machine where the page has drawn it last, which may be behind."""
    bodies = {node.name: scene.body_corners(name) for name, node in scene.nodes.items()}
    return page.evaluate(
        _BOXES, [[name, corners.tolist()] for name, corners in bodies.items() if len(corners)]
    )


def framed(page, scene, fill: tuple[float, float] = (0.25, 0.8)) -> bool:
    """Whether all of a machine is drawn in the free part of the window, of which it fills a fair share."""
    return fits(boxes(page, scene), fill)


def fits(found: dict | None, fill: tuple[float, float]) -> bool:
    """Whether a box is drawn in the free part of the window, of which it fills a fair share."""
    if found is None or found["before"] <= 0.0:
        return False
    (left, right), (top, bottom), (width, height) = found["x"], found["y"], found["free"]
    share = max((right - left) / width, (bottom - top) / height)
    inside = left >= 0.0 and right <= width and top >= 0.0 and bottom <= height
    # nothing of it is cut away
    return inside and fill[0] <= share <= fill[1] and found["depth"][0] >= -1.0


def eye(page, scene) -> tuple[np.ndarray, np.ndarray, float]:
    """Place of the camera, the direction that it looks away from, and the depth that drawing begins at."""
    found = page.evaluate(_EYE, scene.under)
    return np.array(found["place"]), np.array(found["back"]), float(found["near"])
