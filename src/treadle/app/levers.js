// Two levers in the picture, dragged by finger or mouse: the sticks of a gamepad for whoever has none.
(() => {
  window.treadleLevers?.close();

  const sheet = document.createElement("style");
  sheet.textContent = `
    .treadle-lever { position: fixed; z-index: 60; width: 132px; height: 132px; border-radius: 66px; touch-action: none;
      user-select: none; cursor: grab; background: rgba(20, 28, 36, 0.42); border: 1px solid rgba(255, 255, 255, 0.4); }
    .treadle-lever .knob { position: absolute; left: 45px; top: 45px; width: 40px; height: 40px; border-radius: 20px;
      background: rgba(255, 255, 255, 0.85); box-shadow: 0 1px 6px rgba(0, 0, 0, 0.4); pointer-events: none; }
    .treadle-lever span { position: absolute; width: 76px; text-align: center; font: 11px system-ui, sans-serif;
      color: #fff; text-shadow: 0 0 3px #000; pointer-events: none; }
    .treadle-lever .up { left: 28px; top: 5px; } .treadle-lever .down { left: 28px; bottom: 5px; }
    .treadle-lever .left { left: 4px; top: 50px; width: 42px; } .treadle-lever .right { right: 4px; top: 50px; width: 42px; }`;
  document.head.append(sheet);

  const RADIUS = 46, MARGIN = 14;
  // what the ends of both levers are called, and how far they are pushed: x and y of the left one, then of the right one
  let levers = [], wanted = null;
  const values = [0, 0, 0, 0];
  const tell = () => {
    const rounded = values.map((value) => Math.round(100 * value) / 100);
    window.treadle?.say({ pad: rounded.some((value) => value !== 0) ? rounded : [] });
  };
  const made = (side, names) => {
    const lever = document.createElement("div"), knob = document.createElement("div");
    lever.className = "treadle-lever";
    lever.setAttribute("role", "application");
    lever.setAttribute("aria-label", `${side ? "Right" : "Left"} lever: ${Object.values(names).join(", ")}`);
    knob.className = "knob";
    lever.append(knob);
    for (const [end, name] of Object.entries(names)) {
      const label = document.createElement("span");
      label.className = end;
      label.textContent = name;
      lever.append(label);
    }
    const push = (x, y) => {
      values[2 * side] = (names.left && x < 0) || (names.right && x > 0) ? x : 0;
      values[2 * side + 1] = (names.up && y < 0) || (names.down && y > 0) ? y : 0;
      knob.style.transform = `translate(${RADIUS * values[2 * side]}px, ${RADIUS * values[2 * side + 1]}px)`;
      tell();
    };
    const drag = (event) => {
      const box = lever.getBoundingClientRect();
      const x = (event.clientX - box.left - 0.5 * box.width) / RADIUS, y = (event.clientY - box.top - 0.5 * box.height) / RADIUS;
      const far = Math.max(Math.hypot(x, y), 1);
      push(x / far, y / far);
    };
    lever.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      lever.setPointerCapture(event.pointerId);
      drag(event);
    });
    lever.addEventListener("pointermove", (event) => lever.hasPointerCapture(event.pointerId) && drag(event));
    // a lever returns when it is let go
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) lever.addEventListener(end, () => push(0, 0));
    document.body.append(lever);
    return lever;
  };
  // in the lower corners of the part of the window that is free
  const place = () => {
    const part = window.treadleCameras?.free();
    if (!part || !levers.length) return;
    const low = window.innerHeight * (1 - part.top - part.height);
    for (const [lever, side] of levers) {
      lever.style.bottom = `${Math.max(low, 22) + MARGIN}px`;
      if (side) lever.style.right = `${window.innerWidth * (1 - part.left - part.width) + MARGIN}px`;
      else lever.style.left = `${window.innerWidth * part.left + MARGIN}px`;
    }
  };
  const placing = setInterval(place, 300);
  const remove = () => {
    if (levers.length && values.some((value) => value !== 0)) {
      values.fill(0);
      tell();
    }
    levers.forEach(([lever]) => lever.remove());
    levers = [];
  };
  const touch = window.matchMedia("(pointer: coarse)").matches;
  window.treadleLevers = {
    // names of the ends of the left and of the right lever, and whether they are wanted; null: where there is no mouse
    show: (names, chosen) => {
      const text = JSON.stringify([names, chosen]);
      if (text === wanted) return;
      wanted = text;
      remove();
      if (!(chosen ?? touch)) return;
      levers = names.flatMap((ends, side) => (Object.keys(ends).length ? [[made(side, ends), side]] : []));
      place();
    },
    close: () => {
      clearInterval(placing);
      remove();
      sheet.remove();
    },
  };
})();
