// Cameras of the page: views that fill the free part of the window, a chase camera, a cockpit, and a cutaway.
//
// viser moves cameras from the server, which does not know the window and is a round trip late.
(() => {
  window.treadleCameras?.close();

  // share of the free part of the window that a machine fills, seconds of delay of a chase camera and of its turning
  const FILL = 0.78, CHASE = 0.15, TURN = 0.6;
  // field of view in a cockpit (degrees), metres to the point that its camera turns about, and nearest that is drawn
  const WIDE = 62, TURNS = 0.05, NEAREST = 0.05;
  // seconds for which the camera's controls are asked for where it is now
  const INSTANT = 1e-4;
  let wanted = null, chased = null, ridden = null, moved = false, unsettled = false, due = 0, measured = -1e9;
  // the machine that is looked at, its corners, and whether what stands before them is cut away: a page whose line was
  // lost for a while goes on with these
  const seen = window.treadleCameras?.seen ?? { root: null, points: [], cut: false, back: null };
  let part = { left: 0, top: 0, width: 1, height: 1 };

  const viewer = window.treadleViewer;
  const surface = () => viewer().canvas ?? document.querySelector("canvas[data-engine]");
  const minus = (a, b) => a.map((value, k) => value - b[k]);
  const plus = (a, b, scale = 1) => a.map((value, k) => value + scale * b[k]);
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => a.map((value) => value / Math.hypot(...a));
  // turned about the vertical, y in three.js
  const turned = (a, angle) => {
    const c = Math.cos(angle), s = Math.sin(angle);
    return [c * a[0] + s * a[2], a[1], c * a[2] - s * a[0]];
  };
  // a point (w = 1) or direction (w = 0) of the scene in the axes of three.js
  const placed = (matrix, p, w = 1) =>
    [0, 1, 2].map((k) => matrix[k] * p[0] + matrix[k + 4] * p[1] + matrix[k + 8] * p[2] + w * matrix[k + 12]);

  // ---- the part of the window that no panel covers, as shares of the canvas ----
  const measure = () => {
    const all = surface().getBoundingClientRect();
    const line = document.querySelector(".treadle-timeline")?.getBoundingClientRect();
    const bottom = line?.height ? Math.min(all.bottom, line.top) : all.bottom;
    let best = { left: all.left, top: all.top, right: all.right, bottom };
    const area = (box) => Math.max(box.right - box.left, 0) * Math.max(box.bottom - box.top, 0);
    for (const panel of document.querySelectorAll("[data-floating-window], [data-treadle-sheet], .treadle-dock")) {
      const box = panel.getBoundingClientRect();
      const low = box.height < 0.25 * all.height && !panel.matches(".treadle-dock");
      if (box.width === 0 || low) continue;
      const sides = [
        { ...best, right: Math.min(best.right, box.left) },
        { ...best, left: Math.max(best.left, box.right) },
        { ...best, bottom: Math.min(best.bottom, box.top) },
        { ...best, top: Math.max(best.top, box.bottom) },
      ];
      best = sides.reduce((a, b) => (area(b) > area(a) ? b : a));
    }
    // a panel that leaves next to nothing is looked behind
    if (area(best) < 0.12 * area(all)) best = { left: all.left, top: all.top, right: all.right, bottom };
    // the welcome is looked past where there is room enough
    const card = document.querySelector(".treadle-card")?.getBoundingClientRect();
    if (card) {
      const beside = { ...best, left: Math.max(best.left, card.right) }, below = { ...best, top: Math.max(best.top, card.bottom) };
      const rest = area(beside) > area(below) ? beside : below;
      if (area(rest) > 0.55 * area(best)) best = rest;
    }
    return {
      left: (best.left - all.left) / all.width,
      top: (best.top - all.top) / all.height,
      width: (best.right - best.left) / all.width,
      height: (best.bottom - best.top) / all.height,
    };
  };
  // the middle of the picture is that of the free part; a view that nobody has touched is fitted to it again
  const shiftLens = (now) => {
    if (now - measured < 200) return;
    measured = now;
    part = measure();
    const camera = viewer().camera, { width, height } = surface().getBoundingClientRect();
    const x = (0.5 - part.left - 0.5 * part.width) * width, y = (0.5 - part.top - 0.5 * part.height) * height;
    const old = camera.view ?? {};
    const wrong = [old.fullWidth - width, old.fullHeight - height, old.offsetX - x, old.offsetY - y];
    if (wrong.every((value) => Math.abs(value) < 0.5)) return;
    camera.setViewOffset(width, height, x, y, width, height);
    if (!ridden && !seen.touched && seen.back) fit(seen.back);
    viewer().requestRender();
  };

  // ---- a view in which all points fit into the free part ----
  const take = (view) => {
    const root = viewer().nodeRefFromName[view.root];
    if (!root) return false;
    root.updateWorldMatrix(true, false);
    const matrix = root.matrixWorld.elements;
    const points = view.points.map((point) => placed(matrix, point));
    const e = viewer().camera.matrixWorld.elements;
    // without a direction it is looked at from where the camera is now
    const back = view.direction ? unit(placed(matrix, view.direction, 0)) : unit([e[8], e[9], e[10]]);
    if (view.root !== seen.root) window.treadleForget();
    if (chased && view.followed?.root === chased.from.root) stand(view.followed, matrix);
    Object.assign(seen, { root: view.root, view: view.view, points, cut: view.cut, back, touched: false });
    viewer().camera.fov = view.fov;
    measured = -1e9;
    shiftLens(0);
    fit(back);
    return true;
  };
  // the camera in the direction `back` from the middle of the points, as near as they allow
  const fit = (back) => {
    const { camera, cameraControl } = viewer(), points = seen.points;
    const right = unit(cross([camera.up.x, camera.up.y, camera.up.z], back)), up = cross(back, right);
    const tall = FILL * Math.tan((0.5 * camera.fov * Math.PI) / 180);
    const { width, height } = surface().getBoundingClientRect();
    const tx = (tall * part.width * width) / height, ty = tall * part.height;
    const center = [0, 1, 2].map((k) => {
      const values = points.map((point) => point[k]);
      return 0.5 * (Math.min(...values) + Math.max(...values));
    });
    const corners = points.map((point) => {
      const from = minus(point, center);
      return [dot(from, right), dot(from, up), dot(from, back)];
    });
    // a point x, z is within a share t of a camera at c, d where |x - c| <= t (d - z): the nearest d for all of them
    const needed = (k, t) => {
      const most = (sign) => Math.max(...corners.map((c) => sign * c[k] + t * c[2]));
      return (most(1) + most(-1)) / (2 * t);
    };
    const distance = Math.max(needed(0, tx), needed(1, ty), ...corners.map((c) => c[2] + 1e-3));
    // the camera stands where both ends of the picture have as much room left
    const centered = (k) => {
      let [low, high] = [Math.min(...corners.map((c) => c[k])), Math.max(...corners.map((c) => c[k]))];
      for (let round = 0; round < 40; round++) {
        const c = 0.5 * (low + high), slopes = corners.map((corner) => (corner[k] - c) / (distance - corner[2]));
        if (Math.min(...slopes) + Math.max(...slopes) > 0) low = c;
        else high = c;
      }
      return 0.5 * (low + high);
    };
    const middle = plus(plus(center, right, centered(0)), up, centered(1));
    camera.updateProjectionMatrix();
    const eye = plus(middle, back, distance);
    cameraControl.setLookAt(...eye, ...middle, false);
    cutAway(eye, back);
    moved = true;
  };

  // ---- chase: the camera goes along with a body, and turns with it ----
  // the camera is right for a body where the server has it: the page may not have moved it there yet
  const stand = (from, matrix) => {
    const front = placed(matrix, from.front, 0);
    Object.assign(chased, { at: placed(matrix, from.place), heading: Math.atan2(front[0], front[2]), rate: chased.rate ?? [0, 0, 0] });
  };
  // called when poses are as they are drawn next: with slow pictures a camera that is one behind would lose a vehicle
  const chase = (seconds) => {
    const node = viewer().nodeRefFromName[chased.name], root = viewer().nodeRefFromName[chased.from.root];
    if (!node || !root) return;
    if (!chased.at) {
      root.updateWorldMatrix(true, false);
      stand(chased.from, root.matrixWorld.elements);
    }
    const e = node.matrixWorld.elements, place = [e[12], e[13], e[14]], heading = Math.atan2(e[0], e[2]);
    // at the body's own rate, which is found along with the place: no vehicle runs away from it, however fast it is
    const keep = Math.exp(-seconds / CHASE), there = plus(chased.at, chased.rate, seconds), error = minus(place, there);
    const way = minus(plus(there, error, 1 - keep * keep), chased.at);
    if (seconds > 0) chased.rate = plus(chased.rate, error, (1 - keep) ** 2 / seconds);
    const apart = chased.turns ? heading - chased.heading : 0;
    const turn = Math.atan2(Math.sin(apart), Math.cos(apart)) * (1 - Math.exp(-seconds / TURN));
    const control = viewer().cameraControl, size = control.distance;
    if (Math.hypot(...way) < 1e-6 * size && Math.abs(turn) < 1e-6) return;
    chased.at = plus(chased.at, way);
    chased.heading += turn;
    seen.points = seen.points.map((point) => plus(point, way));
    const target = control.getTarget();
    control.moveTo(...plus([target.x, target.y, target.z], way), false);
    if (turn !== 0) control.rotate(turn, 0, false);
    // seen from the same side of a body that turned
    if (seen.back) seen.back = turned(seen.back, turn);
    control.update(INSTANT);
    viewer().camera.updateMatrixWorld();
    unsettled = true;
  };

  // ---- cockpit: the camera sits on a body; who drags looks around ----
  const ride = () => {
    const node = viewer().nodeRefFromName[ridden.name];
    if (!node) return;
    node.updateWorldMatrix(true, false);
    const matrix = node.matrixWorld.elements, { camera, cameraControl } = viewer();
    const eye = placed(matrix, ridden.eye), heading = Math.atan2(matrix[0], matrix[2]);
    let way = unit(placed(matrix, ridden.front, 0));
    if (ridden.heading !== null) {
      const at = cameraControl.getPosition(), to = cameraControl.getTarget();
      way = turned(unit([to.x - at.x, to.y - at.y, to.z - at.z]), heading - ridden.heading);
    }
    const last = ridden.last ?? [Infinity, 0, 0], apart = Math.abs(heading - (ridden.heading ?? Infinity));
    [ridden.heading, ridden.last] = [heading, eye];
    if (Math.hypot(...minus(eye, last)) < 1e-7 && apart < 1e-7 && camera.near === NEAREST) return;
    if (camera.near !== NEAREST || camera.fov !== WIDE) {
      Object.assign(camera, { near: NEAREST, fov: WIDE });
      camera.updateProjectionMatrix();
    }
    cameraControl.setLookAt(...eye, ...plus(eye, way, TURNS), false);
    cameraControl.update(INSTANT);
    camera.updateMatrixWorld();
    unsettled = true;
  };

  // ---- with every picture: three.js calls this when it has placed all nodes ----
  // one that moved the camera asks for another, until it is at rest; not by itself: what is asked for within is forgotten
  let hooked = null, drawn = 0;
  const hook = (renderer, scene, camera) => {
    if (camera !== viewer()?.camera) return;
    const now = performance.now(), seconds = Math.max(now - drawn, 0) / 1000;
    drawn = now;
    if (ridden) {
      ride();
      // a chase goes on from where the body is when one gets off
      const e = chased && viewer().nodeRefFromName[chased.name]?.matrixWorld.elements;
      if (e) Object.assign(chased, { at: [e[12], e[13], e[14]], heading: Math.atan2(e[0], e[2]), rate: [0, 0, 0] });
    } else if (chased && !wanted) chase(seconds);
  };
  const connect = () => {
    const scene = viewer().scene;
    if (!scene || hooked === scene) return;
    hooked = scene;
    scene.onBeforeRender = hook;
  };

  // ---- cutaway: in a room, what stands before the machine is not drawn ----
  const cutAway = (eye, back) => {
    const camera = viewer().camera;
    const depths = seen.points.map((point) => -dot(minus(point, eye), back));
    const near = seen.cut && depths.length ? Math.max(0.95 * Math.min(...depths), 0.01) : 0.01;
    if (Math.abs(near - camera.near) < 0.01 * near) return;
    camera.near = near;
    camera.updateProjectionMatrix();
    viewer().requestRender();
  };

  const frame = (now) => {
    due = requestAnimationFrame(frame);
    if (!viewer()?.cameraControl || !viewer().camera) return;
    connect();
    shiftLens(now);
    if (wanted && take(wanted)) wanted = null;
    if (unsettled) viewer().requestRender();
    unsettled = false;
    if (ridden) return;
    const e = viewer().camera.matrixWorld.elements;
    // a camera that was moved just now is drawn there with the next picture
    if (!wanted && !moved) cutAway([e[12], e[13], e[14]], [e[8], e[9], e[10]]);
    moved = false;
  };
  due = requestAnimationFrame(frame);
  const touch = (event) => {
    if (event.target instanceof HTMLCanvasElement) seen.touched = true;
  };
  window.addEventListener("pointerdown", touch, true);
  window.addEventListener("wheel", touch, { capture: true, passive: true });

  window.treadleCameras = {
    // {root, points, direction or null, fov (degrees), cut, followed}: taken as soon as the machine is there; `followed` is
    // the place of the body that a chase goes along with; `opened`: unless it was there before the line was lost
    aim: (view, opened) => {
      if (opened && view.root === seen.root) return;
      wanted = view;
      ridden = null;
    },
    // {name, eye, front}: the node of a body, and eye and direction of view in its axes; who sits there already gets
    // off, to a view
    ride: (place, view) => {
      if (ridden?.name === place.name) [wanted, ridden] = [view, null];
      else [wanted, ridden] = [null, { ...place, heading: null }];
      viewer()?.requestRender?.();
    },
    riding: () => ridden !== null,
    // the node of a body, or null; {root, place, front}: where it is below the machine's node
    follow: (name, turns, from) => {
      if (name === (chased?.name ?? null)) return;
      chased = name === null ? null : { name, turns, from, at: null };
      viewer()?.requestRender?.();
    },
    seen,
    free: () => part,
    close: () => {
      cancelAnimationFrame(due);
      if (hooked?.onBeforeRender === hook) hooked.onBeforeRender = () => {};
      window.removeEventListener("pointerdown", touch, true);
      window.removeEventListener("wheel", touch, true);
    },
  };
})();
