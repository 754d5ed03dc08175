// What is under the pointer: the name and joint of a body, or the size of a force that is drawn.
(() => {
  window.treadleHover?.close();

  // milliseconds for which the pointer has to rest, and pixels to a force that is meant
  const REST = 120, NEAR = 14;
  const viewer = window.treadleViewer, renderer = window.treadleRenderer;
  const tip = document.createElement("div");
  tip.className = "treadle-tip";
  tip.setAttribute("role", "tooltip");
  tip.style.cssText =
    "position: fixed; z-index: 90; padding: 2px 8px; border-radius: 4px; display: none; pointer-events: none;" +
    "font: 12px system-ui, sans-serif; color: #fff; background: rgba(20, 28, 36, 0.85); white-space: nowrap";
  document.body.append(tip);
  // texts by name of node; roots and texts of forces [x, y, z, text] (m)
  let bodies = {}, root = "", forces = [], due = 0;

  const pixel = (point) => {
    const { camera, nodeRefFromName } = viewer(), node = nodeRefFromName[root];
    if (!node) return null;
    const place = camera.position.clone().fromArray(point).applyMatrix4(node.matrixWorld).project(camera);
    const box = viewer().canvas.getBoundingClientRect();
    if (place.z > 1) return null;
    return [box.left + 0.5 * (1 + place.x) * box.width, box.top + 0.5 * (1 - place.y) * box.height];
  };
  const force = (x, y) => {
    let best = null, least = NEAR;
    for (const [a, b, c, text] of forces) {
      const place = pixel([a, b, c]);
      const away = place ? Math.hypot(place[0] - x, place[1] - y) : Infinity;
      if (away < least) [best, least] = [text, away];
    }
    return best;
  };
  const body = (x, y) => {
    const { camera, canvas, nodeRefFromName } = viewer(), raycaster = renderer()?.raycaster;
    if (!raycaster) return null;
    const box = canvas.getBoundingClientRect(), owner = new Map();
    for (const name of Object.keys(bodies)) if (nodeRefFromName[name]) owner.set(nodeRefFromName[name], name);
    const pointer = { x: (2 * (x - box.left)) / box.width - 1, y: 1 - (2 * (y - box.top)) / box.height };
    raycaster.setFromCamera(pointer, camera);
    const [hit] = raycaster.intersectObjects([...owner.keys()], true).filter(({ object }) => object.isMesh && object.visible);
    for (let node = hit?.object; node; node = node.parent) if (owner.has(node)) return bodies[owner.get(node)];
    return null;
  };
  const look = (x, y) => {
    const text = force(x, y) ?? body(x, y);
    tip.textContent = text ?? "";
    tip.style.display = text ? "block" : "none";
    tip.style.left = `${Math.min(x + 14, window.innerWidth - tip.offsetWidth - 4)}px`;
    tip.style.top = `${y + 14}px`;
  };
  const move = (event) => {
    clearTimeout(due);
    tip.style.display = "none";
    if (event.target !== viewer()?.canvas || event.buttons) return;
    due = setTimeout(() => look(event.clientX, event.clientY), REST);
  };
  window.addEventListener("pointermove", move, true);
  window.addEventListener("pointerdown", move, true);
  window.treadle.on("forces", (list) => {
    forces = list;
  });

  window.treadleHover = {
    // texts by name of the bodies' nodes, and the node that all of them hang on
    show: (table, under) => {
      [bodies, root, forces] = [table, under, []];
    },
    tip,
    close: () => {
      clearTimeout(due);
      window.removeEventListener("pointermove", move, true);
      window.removeEventListener("pointerdown", move, true);
      tip.remove();
    },
  };
})();
