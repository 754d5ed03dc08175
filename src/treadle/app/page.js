// What the page does beyond viser: keys that are held, tooltips of buttons, pictures and films of the view.
(() => {
  window.treadle?.close();

  // ---- the line: messages of one kind with a value, either way ----
  const address = new URL("PATH", window.location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  // one that is lost is opened again: a page that is slow may be late with the password
  let line = null, ended = false, again = 0;
  const say = (message) => {
    if (line?.readyState === WebSocket.OPEN) line.send(JSON.stringify(message));
  };
  // a link names a scene; once, not again when a lost line comes back
  let linked = window.treadle ? null : new URLSearchParams(window.location.search).get("scene");
  const opened = () => {
    line.send("PASSWORD");
    darken();
    say({ graphics: card });
    if (linked) say({ scene: linked });
    linked = null;
  };
  // what scripts do with messages from the other side, by kind; with the rows of numbers, if there are any
  const handlers = {};
  const received = (event) => {
    let text = event.data, rows = null;
    if (text instanceof ArrayBuffer) {
      const [length, width] = new Uint32Array(text, 0, 2);
      const values = new Float64Array(text, 8 + length);
      text = new TextDecoder().decode(new Uint8Array(text, 8, length));
      rows = { width, values };
    }
    for (const [kind, value] of Object.entries(JSON.parse(text))) handlers[kind]?.(value, rows);
  };

  const connect = () => {
    line = new WebSocket(address);
    line.binaryType = "arraybuffer";
    line.onopen = opened;
    line.onmessage = received;
    line.onclose = () => {
      if (!ended) again = setTimeout(connect, 1000);
    };
  };

  // whether pictures are drawn by a graphics card, and not by the processor
  const card = (() => {
    const context = document.createElement("canvas").getContext("webgl2");
    const name = context?.getExtension("WEBGL_debug_renderer_info")?.UNMASKED_RENDERER_WEBGL;
    const text = name ? String(context.getParameter(name)) : "";
    context?.getExtension("WEBGL_lose_context")?.loseContext();
    return text !== "" && !/swiftshader|llvmpipe|software|basic render/i.test(text);
  })();

  // ---- dark: as the system, until someone chooses ----
  const night = window.matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => {
    try {
      return window.localStorage.getItem("treadle-dark");
    } catch {
      return null;
    }
  };
  const dark = () => (chosen() === null ? night.matches : chosen() === "1");
  let sent = false;
  const darken = () => {
    if (dark() !== sent) say({ dark: (sent = dark()) });
  };
  night.addEventListener("change", darken);

  // ---- the icon of the page: a wheel, its rod and the treadle ----
  const drawing =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#265c8c"/>` +
    `<g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"><circle cx="13" cy="12" r="7"/>` +
    `<path d="M13 12 L22 26 M6 26 H27"/></g><circle cx="13" cy="12" r="2.2" fill="#ffd34d"/></svg>`;
  document.querySelectorAll("link[rel~=icon]").forEach((old) => old.remove());
  const icon = document.createElement("link");
  Object.assign(icon, { rel: "icon", type: "image/svg+xml", href: `data:image/svg+xml,${encodeURIComponent(drawing)}` });
  document.head.append(icon);

  // ---- the legend of what is drawn over the machine ----
  const legend = document.createElement("div");
  legend.className = "treadle-legend";
  legend.setAttribute("role", "status");
  legend.style.cssText =
    "position: fixed; left: 12px; bottom: 30px; z-index: 4; padding: 2px 8px; border-radius: 4px; display: none;" +
    "font: 12px system-ui, sans-serif; color: #fff; background: rgba(20, 28, 36, 0.72); pointer-events: none";
  document.body.append(legend);
  // above the plots, where there are any
  const place = () => {
    const dock = document.querySelector(".treadle-dock:not(.narrow)");
    legend.style.bottom = `${30 + (dock?.offsetHeight ?? 0)}px`;
  };
  handlers.legend = (text) => {
    legend.textContent = text;
    legend.style.display = text ? "block" : "none";
    place();
  };

  // ---- keys: which are down ----
  // keys that drive the machine, though viser would use them
  const taken = new Set();
  const typing = (target) =>
    target instanceof Element &&
    target.closest("input, textarea, select, [contenteditable], [role=slider], [role=dialog]") !== null;
  const down = (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    // a button in focus takes the space bar as a press
    if (event.key === " " && event.target instanceof HTMLButtonElement) return;
    if (event.key === " ") event.preventDefault();
    const key = event.key.toLowerCase();
    if (taken.has(key)) {
      // viser would turn the camera
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    if (key.length === 1 || key === "backspace" || taken.has(key)) say({ down: key });
  };
  const up = (event) => {
    say({ up: event.key.toLowerCase() });
    // a text that was entered is done with, and the next keys are the machine's
    if ((event.key === "Enter" || event.key === "Escape") && typing(event.target)) event.target.blur();
  };
  // what was used with the mouse lets go of the keyboard, unless it is a field to type into; by tabbing all is reached
  const used = "button, [role=slider], [role=tab], [role=switch], [role=option], input[type=checkbox], input[readonly]";
  const choice = "[aria-haspopup=listbox]";
  const release = (event) => {
    const canvas = event.target instanceof HTMLCanvasElement;
    setTimeout(() => {
      const focus = document.activeElement;
      if (!(focus instanceof HTMLElement)) return;
      const chosen = focus.matches(choice) && focus.getAttribute("aria-expanded") !== "true";
      if (canvas || chosen || (focus.matches(used) && !focus.matches(choice))) focus.blur();
    }, 100);
  };
  const all = () => say({ up: null });
  const hidden = () => document.hidden && all();
  window.addEventListener("keydown", down, true);
  window.addEventListener("keyup", up);
  window.addEventListener("pointerup", release, true);
  window.addEventListener("blur", all);
  document.addEventListener("visibilitychange", hidden);

  // ---- the gallery of scenes: a card is a button ----
  const sheet = document.createElement("style");
  sheet.textContent = `
    .treadle-scenes { display: flex; flex-direction: column; gap: 6px; margin: 0.4em 1em; }
    .treadle-scenes input { font: inherit; font-size: 0.85em; padding: 4px 8px; border-radius: 4px; color: inherit;
      background: transparent; border: 1px solid rgba(128, 138, 148, 0.5); }
    .treadle-scenes button { display: flex; gap: 0.8em; padding: 4px; border: 1px solid rgba(128, 138, 148, 0.35);
      border-radius: 6px; text-align: left; font: inherit; font-size: 0.8em; line-height: 1.35; color: inherit;
      background: transparent; cursor: pointer; }
    .treadle-scenes button:hover:enabled, .treadle-scenes button:focus-visible { border-color: #265c8c;
      background: rgba(38, 92, 140, 0.1); }
    .treadle-scenes button:disabled { opacity: 0.55; cursor: default; }
    .treadle-scenes img { width: 128px; height: 72px; object-fit: cover; border-radius: 4px; flex: none; }
    /* on a phone the panel is a sheet over the lower half */
    [data-treadle-sheet] { width: 100% !important; max-height: 50% !important; }
    [data-treadle-sheet] [style*="width: 20em"] { width: 100vw !important; }
    /* all tabs in one line */
    [data-floating-window] [role=tab], [data-treadle-sheet] [role=tab] { padding-inline: 0.3em !important; flex: 1 1 auto; justify-content: center; }
    /* what viser says is below the welcome, and under levers */
    .mantine-Notifications-root { z-index: 55 !important; top: calc(var(--treadle-card, 0px) + 12px) !important; bottom: auto !important;
      left: 12px !important; right: auto !important; width: min(340px, calc(100vw - 24px)) !important; }`;
  document.head.append(sheet);
  const open = (event) => {
    const card = event.target instanceof Element ? event.target.closest("button[data-scene]") : null;
    if (card && !card.disabled) say({ scene: card.dataset.scene });
  };
  const search = (event) => {
    const field = event.target;
    if (!(field instanceof HTMLInputElement) || !field.matches(".treadle-scenes input")) return;
    const words = field.value.toLowerCase().split(/\s+/);
    for (const card of field.parentElement.querySelectorAll("button")) {
      const text = card.textContent.toLowerCase();
      card.style.display = words.every((word) => text.includes(word)) ? "" : "none";
    }
  };
  // some panels cost much, and are brought up to date where they are seen
  const turn = (event) => {
    const tab = event.target instanceof Element ? event.target.closest("[role=tab]") : null;
    if (tab) say({ tab: tab.textContent.slice(0, 40) });
  };
  document.addEventListener("click", open);
  document.addEventListener("click", turn, true);
  document.addEventListener("input", search);

  // ---- tooltips: viser shows none on buttons; and names of fields ----
  const hints = new Map(), pairs = new Set();
  const hint = () => {
    for (const [id, text] of hints) {
      const button = document.getElementById(id);
      if (button && button.title !== text) button.title = text;
    }
    // levers that go two ways stand side by side
    for (const id of pairs) {
      const place = document.getElementById(id)?.parentElement, all = place?.parentElement;
      if (!all || all.style.display === "grid") continue;
      Object.assign(all.style, { display: "grid", gridTemplateColumns: "1fr 1fr" });
      for (const each of all.children)
        if (!pairs.has(each.querySelector("button")?.id)) each.style.gridColumn = "1 / -1";
    }
    // that the processor draws is said below the picture, not by viser in the picture
    for (const notice of document.querySelectorAll(".mantine-Notification-root:not([data-treadle-closed])")) {
      if (!/Software WebGL/.test(notice.textContent)) continue;
      notice.dataset.treadleClosed = "";
      notice.style.display = "none";
      notice.querySelector("button")?.click();
    }
    // viser's panel on narrow windows has no name of its own
    document.querySelectorAll('.mantine-Paper-root[style*="max-height: 60%"]').forEach((sheet) => (sheet.dataset.treadleSheet = ""));
    // sliders and fields of text have no name that a screen reader would say
    for (const label of document.querySelectorAll(":is([data-floating-window], [data-treadle-sheet]) label[for]")) {
      const row = label.parentElement?.parentElement?.parentElement;
      for (const field of row?.querySelectorAll("[role=slider], input, textarea") ?? [])
        if (!field.getAttribute("aria-label")) field.setAttribute("aria-label", label.textContent);
    }
  };
  const watcher = new MutationObserver(() => {
    cancelAnimationFrame(watcher.due);
    watcher.due = requestAnimationFrame(hint);
  });
  watcher.observe(document.body, { childList: true, subtree: true });

  // ---- pictures and films of the canvas, saved by the browser ----
  const canvas = () => [...document.querySelectorAll("canvas")].sort((a, b) => b.width - a.width)[0];
  const save = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  let film = null;
  window.treadle = {
    ready: () => line?.readyState === WebSocket.OPEN,
    card,
    keys: (names) => {
      taken.clear();
      names.forEach((name) => taken.add(name));
    },
    say,
    placeLegend: place,
    dark: () => {
      window.localStorage.setItem("treadle-dark", dark() ? "0" : "1");
      darken();
    },
    on: (kind, call) => {
      handlers[kind] = call;
    },
    // the address is a link to what is shown
    title: (name, scene) => {
      document.title = `${name} - Treadle`;
      const here = new URL(window.location.href);
      if (scene) here.searchParams.set("scene", scene);
      else here.searchParams.delete("scene");
      window.history.replaceState(window.history.state, "", here);
    },
    hints: (table) => {
      hints.clear();
      for (const [id, text] of Object.entries(table)) hints.set(id, text);
      hint();
    },
    // ids of buttons that stand side by side, two by two
    pairs: (ids) => {
      pairs.clear();
      ids.forEach((id) => pairs.add(id));
      hint();
    },
    // goes to a tab of the panel as soon as it is there
    tab: (name, tries = 60) => {
      const found = [...document.querySelectorAll("[role=tab]")].filter((each) => each.textContent === name);
      if (found.length === 1) found[0].click();
      else if (tries > 0) setTimeout(() => window.treadle.tab(name, tries - 1), 50);
    },
    picture: (name) => canvas().toBlob((blob) => save(blob, name)),
    film: (name) => {
      if (film) {
        film.stop();
        film = null;
        return;
      }
      const pieces = [];
      const kinds = ["video/mp4;codecs=avc1", "video/webm;codecs=vp9", "video/webm"];
      const kind = kinds.find((each) => MediaRecorder.isTypeSupported(each));
      film = new MediaRecorder(canvas().captureStream(30), { mimeType: kind, videoBitsPerSecond: 8e6 });
      film.ondataavailable = (event) => pieces.push(event.data);
      film.onstop = () => {
        const end = kind.startsWith("video/mp4") ? ".mp4" : ".webm";
        save(new Blob(pieces, { type: kind.split(";")[0] }), name + end);
      };
      film.start(1000);
    },
    close: () => {
      ended = true;
      clearTimeout(again);
      line.close();
      legend.remove();
      icon.remove();
      sheet.remove();
      document.removeEventListener("click", open);
      document.removeEventListener("click", turn, true);
      document.removeEventListener("input", search);
      night.removeEventListener("change", darken);
      watcher.disconnect();
      window.removeEventListener("keydown", down, true);
      window.removeEventListener("keyup", up);
      window.removeEventListener("pointerup", release, true);
      window.removeEventListener("blur", all);
      document.removeEventListener("visibilitychange", hidden);
    },
  };
  connect();
})();
