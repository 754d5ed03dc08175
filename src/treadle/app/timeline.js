// The whole run as a line below the picture, with bookmarks, changes, events and contacts; a click looks there.
(() => {
  window.treadleTimeline?.close();

  const sheet = document.createElement("style");
  sheet.textContent = `
    .treadle-timeline { position: fixed; left: 0; right: 0; bottom: 0; height: 22px; z-index: 81; display: none;
      font: 11px system-ui, sans-serif; color: #fff; background: rgba(20, 28, 36, 0.72); cursor: pointer;
      touch-action: none; user-select: none; }
    .treadle-timeline .bar { position: absolute; left: 150px; right: 84px; top: 9px; height: 4px; border-radius: 2px;
      background: rgba(255, 255, 255, 0.28); }
    .treadle-timeline .exact { position: absolute; top: 0; right: 0; height: 4px; border-radius: 2px;
      background: rgba(255, 255, 255, 0.3); }
    .treadle-timeline .shown { position: absolute; top: -4px; width: 12px; height: 12px; margin-left: -6px;
      border-radius: 6px; background: #4aa3ff; }
    .treadle-timeline .mark { position: absolute; top: -6px; width: 3px; height: 16px; margin-left: -1px; }
    .treadle-timeline .contact { top: 5px; width: 2px; height: 6px; opacity: 0.8; }
    .treadle-timeline .event { top: -6px; height: 8px; }
    .treadle-timeline .start, .treadle-timeline .now { position: absolute; top: 4px; width: 76px;
      font-variant-numeric: tabular-nums; }
    .treadle-timeline .rate { position: absolute; left: 66px; top: 4px; opacity: 0.75; }
    .treadle-timeline.slow .bar { left: 254px; }
    .treadle-timeline .start { left: 8px; } .treadle-timeline .now { right: 8px; text-align: right; }
    @media (max-width: 700px) { .treadle-timeline { display: none !important; } }`;
  document.head.append(sheet);
  const line = document.createElement("div");
  line.className = "treadle-timeline";
  line.setAttribute("role", "slider");
  line.setAttribute("aria-label", "Timeline");
  line.title = "Click to look back; M makes a bookmark";
  document.body.append(line);
  const add = (name, into) => {
    const made = document.createElement("div");
    made.className = name;
    into.append(made);
    return made;
  };
  const start = add("start", line), bar = add("bar", line), now = add("now", line);
  // what every step can be returned to
  const exact = add("exact", bar), shown = add("shown", bar);
  // pictures that this page drew in the last second; none are drawn where nothing moves
  const rate = add("rate", line), card = window.treadle.card;
  line.classList.toggle("slow", !card);
  if (!card) rate.title = "The processor draws: switch on hardware acceleration in the browser's settings, if there is a card";
  let drawn = null;
  const count = () => {
    const passes = window.treadleRenderer()?.gl.info.render.frame ?? null;
    const frame = passes === null ? null : passes - (window.treadleShading?.passes() ?? 0);
    const many = frame !== null && drawn !== null ? frame - drawn : 0;
    rate.textContent = [...(many > 0 ? [`${many} pictures/s`] : []), ...(card ? [] : ["no graphics card"])].join(", ");
    drawn = frame;
  };
  const counting = setInterval(count, 1000);
  const COLORS = { bookmark: "#ffd34d", edit: "#ff7a59", event: "#c58bff", contact: "#6fe08d" };
  const marks = [];
  let all = [], run = null, held = false;

  const share = (time) => Math.min(Math.max((time - run.start) / Math.max(run.now - run.start, 1e-9), 0), 1);
  const draw = () => {
    line.style.display = "block";
    start.textContent = `${run.start.toFixed(1)} s`;
    now.textContent = `${run.shown.toFixed(2)} s`;
    shown.style.left = `${100 * share(run.shown)}%`;
    line.setAttribute("aria-valuemin", run.start);
    line.setAttribute("aria-valuemax", run.now);
    line.setAttribute("aria-valuenow", run.shown);
    // contacts would cover the curves
    const drawn = all.flatMap(([time, kind]) => (kind === "contact" ? [] : [[time, COLORS[kind]]]));
    window.treadleDock?.look(run.shown < run.now - 1e-9 ? run.shown : null, drawn);
    exact.style.width = `${100 * (1 - share(run.exact))}%`;
    const kept = all.filter(([time]) => time >= run.start);
    while (marks.length > kept.length) marks.pop().remove();
    while (marks.length < kept.length) marks.push(add("mark", bar));
    kept.forEach(([time, kind, text], k) => {
      marks[k].className = `mark ${kind}`;
      marks[k].style.left = `${100 * share(time)}%`;
      marks[k].style.background = COLORS[kind];
      marks[k].title = `${text} at ${time.toFixed(2)} s`;
    });
  };
  const look = (event) => {
    const box = bar.getBoundingClientRect(), x = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
    let time = run.start + x * (run.now - run.start);
    // a mark that is near is meant
    for (const [at] of all) if (Math.abs(share(at) - x) * box.width < 5) time = at;
    window.treadle.say({ look: time });
  };
  line.addEventListener("pointerdown", (event) => {
    held = true;
    line.setPointerCapture(event.pointerId);
    look(event);
  });
  line.addEventListener("pointermove", (event) => held && look(event));
  line.addEventListener("pointerup", () => (held = false));
  window.treadle.on("run", (value) => {
    run = value;
    draw();
  });
  window.treadle.on("marks", (list) => {
    all = list;
    if (run) draw();
  });
  window.treadleTimeline = {
    close: () => {
      clearInterval(counting);
      line.remove();
      sheet.remove();
    },
  };
})();
