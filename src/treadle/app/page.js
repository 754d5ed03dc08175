// What the page does beyond viser: keys that are held, tooltips of buttons, pictures and films of the view.
(() => {
  window.treadle?.close();

  // ---- keys: which are down, told over a line of their own ----
  const address = new URL("PATH", window.location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  const line = new WebSocket(address);
  line.onopen = () => line.send("PASSWORD");
  const say = (message) => {
    if (line.readyState === WebSocket.OPEN) line.send(JSON.stringify(message));
  };
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

  // ---- tooltips: viser shows none on buttons ----
  const hints = new Map();
  const hint = () => {
    for (const [id, text] of hints) {
      const button = document.getElementById(id);
      if (button && button.title !== text) button.title = text;
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
    ready: () => line.readyState === WebSocket.OPEN,
    keys: (names) => {
      taken.clear();
      names.forEach((name) => taken.add(name));
    },
    title: (name) => {
      document.title = `${name} - Treadle`;
    },
    hints: (table) => {
      hints.clear();
      for (const [id, text] of Object.entries(table)) hints.set(id, text);
      hint();
    },
    picture: (name) => canvas().toBlob((blob) => save(blob, name)),
    // the plot whose title contains the text, as a picture
    plot: (title, name) => {
      for (const plot of document.querySelectorAll(".uplot")) {
        if ((plot.querySelector(".u-title")?.textContent ?? "").includes(title)) {
          plot.querySelector("canvas").toBlob((blob) => save(blob, name));
          return;
        }
      }
    },
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
      line.close();
      watcher.disconnect();
      window.removeEventListener("keydown", down, true);
      window.removeEventListener("keyup", up);
      window.removeEventListener("pointerup", release, true);
      window.removeEventListener("blur", all);
      document.removeEventListener("visibilitychange", hidden);
    },
  };
})();
