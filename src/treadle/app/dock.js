// Plots below the picture, which stay while one drives: curves over time or over one another, with a cursor, a zoom
// that stays, derivatives, integrals and spectra, saved as PNG, SVG or CSV.
(() => {
  window.treadleDock?.close();

  const COLORS = ["#2f7fd1", "#d1495b", "#2a9d6f", "#c8961b", "#8a63b8", "#d9711c", "#3aa0b5", "#8a8a8a"];
  const SPANS = { "5 s": 5, "10 s": 10, "30 s": 30, all: Infinity };
  const FORMS = ["value", "derivative", "integral", "spectrum"];
  const HEIGHT = 250, BELOW = 22, NARROW = 700;
  const LEFT = 58, RIGHT = 12, TOP = 8, BOTTOM = 34;

  const sheet = document.createElement("style");
  sheet.textContent = `
    .treadle-dock { position: fixed; left: 0; bottom: ${BELOW}px; z-index: 80; display: flex; gap: 8px; padding: 6px 8px;
      height: ${HEIGHT}px; box-sizing: border-box; overflow-x: auto; font: 12px/1.3 system-ui, sans-serif;
      color: #26323d; background: rgba(247, 249, 251, 0.96); box-shadow: 0 -1px 8px rgba(0, 0, 0, 0.18); }
    .treadle-dock.narrow { top: 0; bottom: auto; right: 0 !important; height: 190px; }
    .treadle-plot { flex: 1 1 0; min-width: 300px; display: flex; flex-direction: column; background: #fff;
      border: 1px solid #d5dce2; border-radius: 6px; overflow: hidden; }
    .treadle-plot header { display: flex; flex-wrap: wrap; gap: 3px; align-items: center; padding: 3px 6px; }
    .treadle-plot header b { flex: 1 0 120px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .treadle-plot select, .treadle-plot button { font: inherit; padding: 0 4px; height: 20px; cursor: pointer;
      color: inherit; background: transparent; border: 1px solid #c3ccd4; border-radius: 4px; }
    .treadle-plot button[aria-pressed=true] { background: #265c8c; color: #fff; }
    .treadle-plot select { max-width: 84px; } .treadle-plot option { color: #26323d; background: #fff; }
    .treadle-plot .legend { display: flex; flex-wrap: wrap; gap: 0 10px; padding: 0 6px; max-height: 48px;
      overflow: hidden auto; flex: none; font-variant-numeric: tabular-nums; }
    .treadle-plot .legend i { display: inline-block; width: 10px; height: 3px; margin: 0 4px 3px 0; }
    .treadle-plot canvas { flex: 1; min-height: 0; width: 100%; cursor: crosshair; touch-action: none; }
    [data-mantine-color-scheme=dark] .treadle-dock { color: #d8dee4; background: rgba(24, 28, 34, 0.96); }
    [data-mantine-color-scheme=dark] .treadle-plot { background: #1d2229; border-color: #3a424b; }
    [data-mantine-color-scheme=dark] .treadle-plot option { color: #d8dee4; background: #1d2229; }`;
  document.head.append(sheet);
  const dock = document.createElement("section");
  dock.className = "treadle-dock";
  dock.setAttribute("aria-label", "Plots");
  dock.hidden = true;
  dock.style.display = "none";
  document.body.append(dock);
  const plots = new Map();
  // the past time that is looked at, or null; times and colours of what is marked
  let looked = null, marks = [];

  const dark = () => document.documentElement.dataset.mantineColorScheme === "dark";
  const element = (tag, into, text = "", name = "") => {
    const made = document.createElement(tag);
    made.textContent = text;
    made.className = name;
    into.append(made);
    return made;
  };
  const choice = (into, label, options, act) => {
    const made = element("select", into);
    made.setAttribute("aria-label", label);
    made.title = label;
    options.forEach((option) => (element("option", made, option).value = option));
    made.addEventListener("change", () => {
      act(made.value);
      made.blur();
    });
    return made;
  };
  const button = (into, text, label, act) => {
    const made = element("button", into, text);
    made.type = "button";
    made.title = label;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", () => {
      made.blur();
      act(made);
    });
    return made;
  };
  const short = (value) => {
    if (!Number.isFinite(value)) return "-";
    const size = Math.abs(value);
    if (size !== 0 && (size >= 1e7 || size < 1e-3)) return value.toExponential(2);
    return String(Number(value.toPrecision(4)));
  };

  // ---- what is drawn: columns of x and of every curve, within the span that is looked at ----
  const visible = (plot) => {
    const times = plot.columns[0], last = times.length - 1;
    if (last < 0) return [0, -1];
    const [from, to] = plot.zoom ?? [times[last] - SPANS[plot.span], times[last]];
    let low = 0, high = last;
    while (low < high && times[low] < from) low++;
    while (high > low && times[high] > to) high--;
    return [low, high];
  };
  const changed = (form, times, values) => {
    if (form === "derivative")
      return values.map((value, k) => {
        const [a, b] = [Math.max(k - 1, 0), Math.min(k + 1, values.length - 1)];
        return b > a ? (values[b] - values[a]) / (times[b] - times[a]) : 0;
      });
    if (form === "integral") {
      let sum = 0;
      return values.map((value, k) => {
        if (k > 0) sum += 0.5 * (value + values[k - 1]) * (times[k] - times[k - 1]);
        return sum;
      });
    }
    return values;
  };
  // amplitudes over frequency, of values at equal distances under a Hann window
  const spectrum = (times, values) => {
    const size = 512, n = values.length, length = times[n - 1] - times[0];
    if (n < 8 || !(length > 0)) return [[], []];
    const even = new Float64Array(size), flat = new Float64Array(size);
    let k = 0, mean = 0;
    for (let i = 0; i < size; i++) {
      const t = times[0] + (length * i) / (size - 1);
      while (k < n - 2 && times[k + 1] < t) k++;
      even[i] = values[k] + ((values[k + 1] - values[k]) * (t - times[k])) / (times[k + 1] - times[k] || 1);
      mean += even[i] / size;
    }
    for (let i = 0; i < size; i++) even[i] = (even[i] - mean) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (size - 1)));
    transform(even, flat);
    const most = Math.min(size / 2, Math.floor(n / 2)), rate = (size - 1) / length;
    const frequencies = Array.from({ length: most }, (_, i) => (i * rate) / size);
    return [frequencies, frequencies.map((_, i) => (4 / size) * Math.hypot(even[i], flat[i]))];
  };
  const transform = (re, im) => {
    const n = re.length;
    for (let i = 1, j = 0; i < n; i++) {
      let bit = n >> 1;
      for (; j & bit; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) [re[i], re[j], im[i], im[j]] = [re[j], re[i], im[j], im[i]];
    }
    for (let length = 2; length <= n; length <<= 1)
      for (let i = 0; i < n; i += length)
        for (let k = 0; k < length / 2; k++) {
          const angle = (-2 * Math.PI * k) / length, c = Math.cos(angle), s = Math.sin(angle);
          const [a, b] = [i + k, i + k + length / 2];
          const [x, y] = [c * re[b] - s * im[b], s * re[b] + c * im[b]];
          [re[b], im[b], re[a], im[a]] = [re[a] - x, im[a] - y, re[a] + x, im[a] + y];
        }
  };
  const lines = (plot) => {
    const [low, high] = visible(plot);
    const cut = plot.columns.map((column) => column.slice(low, high + 1));
    const times = cut[0];
    return plot.curves.map((curve, k) => {
      const values = changed(plot.form, times, cut[k + 1]);
      if (plot.form === "spectrum") {
        const [x, y] = spectrum(times, values);
        return { curve, x, y };
      }
      const over = plot.curves.findIndex((other) => other.name === plot.over);
      return { curve, x: over < 0 ? times : changed(plot.form, times, cut[over + 1]), y: values, times };
    });
  };

  // ---- drawing: on a canvas, or into an SVG file ----
  const ticks = (low, high, count) => {
    const rough = (high - low) / Math.max(count, 1), power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
    const found = [];
    for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + 1e-9 * step; t += step) found.push(Math.abs(t) < 1e-9 * step ? 0 : t);
    return found;
  };
  const range = (values) => {
    let low = Infinity, high = -Infinity;
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (!(high >= low)) return [0, 1];
    // numbers that differ by rounding alone are one number
    const least = Math.max(1e-9 * Math.max(Math.abs(low), Math.abs(high)), 1e-12);
    const pad = high - low > least ? 0.06 * (high - low) : Math.max(0.05 * Math.abs(high), 1e-3);
    return [low - pad, high + pad];
  };
  const scaleOf = (plot, width, height) => {
    const drawn = lines(plot), units = [...new Set(plot.curves.map((curve) => curve.unit))];
    const spare = units.length > 1 ? LEFT - 6 : RIGHT;
    const xs = drawn.flatMap(({ x }) => (x.length ? [x[0], x[x.length - 1], ...(plot.over ? x : [])] : []));
    let [x0, x1] = plot.over ? range(xs) : [Math.min(...xs), Math.max(...xs)];
    if (!(x1 > x0)) [x0, x1] = Number.isFinite(x0) ? [x0 - 1, x0] : [0, 1];
    const sides = [0, 1].map((side) =>
      range(drawn.filter(({ curve }) => (units.indexOf(curve.unit) === 1 ? 1 : 0) === side).flatMap(({ y }) => y)),
    );
    const w = width - LEFT - spare, h = height - TOP - BOTTOM;
    return {
      drawn, units, w, h, x0, x1, sides,
      X: (x) => LEFT + ((x - x0) / (x1 - x0)) * w,
      side: (curve) => (units.indexOf(curve.unit) === 1 ? 1 : 0),
      Y: (y, side) => TOP + h - ((y - sides[side][0]) / (sides[side][1] - sides[side][0])) * h,
    };
  };
  const paint = (plot, pen, width, height) => {
    const s = scaleOf(plot, width, height);
    const ink = dark() ? "#aab4be" : "#55616c", grid = dark() ? "#2c343d" : "#e6ebef";
    for (const x of ticks(s.x0, s.x1, s.w / 70)) {
      pen.line([[s.X(x), TOP], [s.X(x), TOP + s.h]], grid, 1);
      pen.text(s.X(x), TOP + s.h + 13, short(x), "center", ink);
    }
    s.units.slice(0, 2).forEach((unit, side) => {
      for (const y of ticks(...s.sides[side], s.h / 28)) {
        if (side === 0) pen.line([[LEFT, s.Y(y, 0)], [LEFT + s.w, s.Y(y, 0)]], grid, 1);
        pen.text(side ? LEFT + s.w + 4 : LEFT - 4, s.Y(y, side) + 4, short(y), side ? "left" : "right", ink);
      }
      const form = { value: unit, derivative: `${unit}/s`, integral: `${unit} s`, spectrum: unit }[plot.form];
      pen.text(side ? width - 2 : 2, TOP + s.h + 28, form, side ? "right" : "left", ink);
    });
    const below = plot.form === "spectrum" ? "frequency (Hz)" : plot.over || "time (s)";
    pen.text(LEFT + 0.5 * s.w, TOP + s.h + 28, below, "center", ink);
    s.drawn.forEach(({ curve, x, y }) => {
      const points = [];
      for (let k = 0; k < x.length; k++) if (Number.isFinite(y[k])) points.push([s.X(x[k]), s.Y(y[k], s.side(curve))]);
      pen.line(points, curve.color, 1.6);
      const end = points[points.length - 1];
      if (end && plot.over) pen.line([[end[0] - 3, end[1]], [end[0] + 3, end[1]]], curve.color, 6);
    });
    return s;
  };
  const canvasPen = (context) => ({
    line: (points, color, thick) => {
      context.strokeStyle = color;
      context.lineWidth = thick;
      context.beginPath();
      points.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
      context.stroke();
    },
    text: (x, y, text, align, color) => {
      context.fillStyle = color;
      context.textAlign = align;
      context.font = "11px system-ui, sans-serif";
      context.fillText(text, x, y);
    },
  });
  const svgPen = (parts) => ({
    line: (points, color, thick) => {
      const path = points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(" ");
      parts.push(`<polyline points="${path}" fill="none" stroke="${color}" stroke-width="${thick}"/>`);
    },
    text: (x, y, text, align, color) => {
      const anchor = { left: "start", center: "middle", right: "end" }[align];
      const safe = text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);
      parts.push(
        `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-family="sans-serif" font-size="11" ` +
          `text-anchor="${anchor}" fill="${color}">${safe}</text>`,
      );
    },
  });
  const draw = (plot) => {
    plot.due = 0;
    const { canvas } = plot, ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!width || !height) return;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const s = (plot.scale = paint(plot, canvasPen(context), width, height));
    if (plot.drag) {
      context.fillStyle = "rgba(47, 127, 209, 0.18)";
      context.fillRect(Math.min(...plot.drag), TOP, Math.abs(plot.drag[1] - plot.drag[0]), s.h);
    }
    if (!plot.over && plot.form !== "spectrum") {
      const upright = (x, color, thick) => {
        if (x >= s.x0 && x <= s.x1) canvasPen(context).line([[s.X(x), TOP], [s.X(x), TOP + s.h]], color, thick);
      };
      marks.forEach(([x, color]) => upright(x, color, 1));
      if (looked !== null) upright(looked, "#4aa3ff", 2);
    }
    const at = plot.cursor === null ? null : s.x0 + ((plot.cursor - LEFT) / s.w) * (s.x1 - s.x0);
    if (at !== null) canvasPen(context).line([[plot.cursor, TOP], [plot.cursor, TOP + s.h]], "#888", 1);
    s.drawn.forEach(({ curve, x, y }, k) => {
      let near = x.length - 1;
      if (at !== null && near >= 0) {
        near = 0;
        for (let i = 1; i < x.length; i++) if (Math.abs(x[i] - at) < Math.abs(x[near] - at)) near = i;
      }
      const unit = curve.unit ? ` ${curve.unit}` : "";
      plot.values[k].textContent = `${curve.label} ${near >= 0 ? short(y[near]) : "-"}${unit}`;
    });
  };
  const redraw = (plot) => {
    if (!plot.due) plot.due = requestAnimationFrame(() => draw(plot));
  };

  // ---- one plot ----
  const save = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const picture = (plot, kind) => {
    const { clientWidth: width, clientHeight: height } = plot.canvas;
    const stem = plot.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
    const back = dark() ? "#1d2229" : "#ffffff";
    const label = (pen) =>
      plot.curves.forEach((curve, k) => pen.text(LEFT + 8, TOP + 14 + 14 * k, curve.name, "left", curve.color));
    if (kind === "svg") {
      const parts = [`<rect width="${width}" height="${height}" fill="${back}"/>`];
      paint(plot, svgPen(parts), width, height);
      label(svgPen(parts));
      const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
      const text = `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${parts.join("\n")}</svg>\n`;
      save(new Blob([text], { type: "image/svg+xml" }), `${stem}.svg`);
      return;
    }
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * width, 2 * height];
    const context = canvas.getContext("2d");
    context.scale(2, 2);
    context.fillStyle = back;
    context.fillRect(0, 0, width, height);
    paint(plot, canvasPen(context), width, height);
    label(canvasPen(context));
    canvas.toBlob((blob) => save(blob, `${stem}.png`));
  };
  // names without what all of them begin with
  const labels = (names) => {
    const parts = names.map((name) => name.split("."));
    let same = 0;
    while (names.length > 1 && parts.every((part) => part.length > same + 1 && part[same] === parts[0][same])) same++;
    return parts.map((part) => part.slice(same).join("."));
  };
  const build = (title, curves) => {
    const short = labels(curves.map((curve) => curve.name));
    const card = element("article", dock, "", "treadle-plot");
    const plot = {
      title, card, span: "10 s", over: "", form: "value", zoom: null, held: false, cursor: null, drag: null, due: 0,
      curves: curves.map((curve, k) => ({ ...curve, label: short[k], color: COLORS[k % COLORS.length] })),
      columns: [[], ...curves.map(() => [])],
    };
    const head = element("header", card);
    // of several curves, what their names have in common
    element("b", head, title).title = plot.curves.map((curve) => curve.name).join(", ");
    const set = (key) => (value) => {
      plot[key] = value;
      plot.zoom = null;
      redraw(plot);
    };
    const names = plot.curves.map((curve) => curve.name);
    if (names.length > 1)
      choice(head, "x axis", ["time", ...names], (name) => set("over")(name === "time" ? "" : name));
    choice(head, "what is drawn of the curves", FORMS, set("form"));
    choice(head, "span", Object.keys(SPANS), set("span")).value = plot.span;
    button(head, "Hold", "Stop here; what comes is kept", (made) => {
      plot.held = !plot.held;
      made.setAttribute("aria-pressed", plot.held);
      const times = plot.columns[0], last = times[times.length - 1];
      plot.zoom = plot.held && times.length ? [Math.max(times[0], last - SPANS[plot.span]), last] : null;
      redraw(plot);
    });
    button(head, "PNG", "Save as a picture", () => picture(plot, "png"));
    button(head, "SVG", "Save as a drawing", () => picture(plot, "svg"));
    button(head, "CSV", "Save as a table", () => window.treadle.say({ plot: { csv: title } }));
    button(head, "PQ", "Save as Parquet", () => window.treadle.say({ plot: { parquet: title } }));
    button(head, "\u00d7", "Remove this plot", () => window.treadle.say({ plot: { remove: title } }));
    const legend = element("div", card, "", "legend");
    plot.values = plot.curves.map((curve) => {
      const entry = element("span", legend);
      element("i", entry).style.background = curve.color;
      return element("span", entry);
    });
    plot.canvas = element("canvas", card);
    const place = (event) => {
      const x = event.clientX - plot.canvas.getBoundingClientRect().left;
      return Math.min(Math.max(x, LEFT), LEFT + (plot.scale?.w ?? 0));
    };
    plot.canvas.addEventListener("pointermove", (event) => {
      plot.cursor = place(event);
      if (plot.drag) plot.drag[1] = plot.cursor;
      redraw(plot);
    });
    plot.canvas.addEventListener("pointerleave", () => {
      plot.cursor = null;
      redraw(plot);
    });
    plot.canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || plot.over || plot.form === "spectrum") return;
      plot.canvas.setPointerCapture(event.pointerId);
      plot.drag = [place(event), place(event)];
    });
    plot.canvas.addEventListener("pointerup", () => {
      const [a, b] = (plot.drag ?? [0, 0]).toSorted((p, q) => p - q), s = plot.scale;
      plot.drag = null;
      // stays until it is double-clicked, however the run goes on
      if (b - a > 4) plot.zoom = [a, b].map((x) => s.x0 + ((x - LEFT) / s.w) * (s.x1 - s.x0));
      redraw(plot);
    });
    plot.canvas.addEventListener("dblclick", () => {
      plot.zoom = null;
      redraw(plot);
    });
    plots.set(title, plot);
    return plot;
  };
  const same = (plot, curves) =>
    plot.curves.length === curves.length && plot.curves.every((curve, k) => curve.name === curves[k].name);

  window.treadle.on("plots", (list) => {
    const wanted = new Map(list.map((item) => [item.title, item.curves]));
    for (const [title, plot] of plots)
      if (!wanted.has(title) || !same(plot, wanted.get(title))) {
        plot.card.remove();
        plots.delete(title);
      }
    for (const [title, curves] of wanted) if (!plots.has(title)) build(title, curves);
    dock.hidden = plots.size === 0;
    dock.style.display = dock.hidden ? "none" : "flex";
    place();
    window.treadle.placeLegend();
  });
  window.treadle.on("rows", ({ title, reset }, rows) => {
    const plot = plots.get(title);
    if (!plot || rows.width !== plot.columns.length) return;
    if (reset) plot.columns = plot.columns.map(() => []);
    for (let k = 0; k < rows.values.length; k++) plot.columns[k % rows.width].push(rows.values[k]);
    redraw(plot);
  });

  // ---- beside the panel, or at the top of a phone ----
  const place = () => {
    if (dock.hidden) return;
    const narrow = window.innerWidth < NARROW;
    dock.classList.toggle("narrow", narrow);
    let right = 0;
    for (const panel of document.querySelectorAll("[data-floating-window]")) {
      const box = panel.getBoundingClientRect();
      const below = box.bottom > window.innerHeight - HEIGHT - BELOW && box.right > 0.6 * window.innerWidth;
      if (below && box.width < 0.7 * window.innerWidth) right = Math.max(right, window.innerWidth - box.left);
    }
    dock.style.right = `${right}px`;
    const size = `${dock.clientWidth}`;
    if (size !== dock.dataset.size) plots.forEach(redraw);
    dock.dataset.size = size;
    window.treadle.placeLegend();
  };
  const placing = setInterval(place, 250);
  const resized = () => plots.forEach(redraw);
  window.addEventListener("resize", resized);

  window.treadleDock = {
    plots,
    // a past time that is looked at (s), or null; [time, colour] of marks
    look: (time, list) => {
      const same = time === looked && list.length === marks.length;
      [looked, marks] = [time, list];
      if (!same) plots.forEach(redraw);
    },
    close: () => {
      clearInterval(placing);
      window.removeEventListener("resize", resized);
      dock.remove();
      sheet.remove();
    },
  };
})();
