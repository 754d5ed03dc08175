// What is being compiled, as a bar over the picture; until it is done the controls of the panel take no clicks.
(() => {
  window.treadleProgress?.close();

  const sheet = document.createElement("style");
  sheet.textContent = `
    .treadle-busy [data-floating-window] :is([role=tabpanel], button:not([role=tab]), [role=slider]) {
      pointer-events: none; opacity: 0.55; }
    .treadle-progress { position: fixed; left: 12px; bottom: 64px; z-index: 82; width: min(420px, calc(100vw - 24px));
      box-sizing: border-box; padding: 8px 12px; border-radius: 6px; display: none; color: #fff;
      font: 13px system-ui, sans-serif; background: rgba(20, 28, 36, 0.86); }
    .treadle-progress progress { width: 100%; height: 8px; margin-top: 6px; accent-color: #4aa3ff; }`;
  document.head.append(sheet);
  const box = document.createElement("div");
  box.className = "treadle-progress";
  box.setAttribute("role", "status");
  const text = document.createElement("div"), bar = document.createElement("progress");
  bar.setAttribute("aria-label", "Compiling");
  box.append(text, bar);
  document.body.append(box);

  // {lines, share}: what is compiled, and how much of it is done (null where nobody knows); null: nothing is
  const show = (busy) => {
    box.style.display = busy ? "block" : "none";
    document.body.classList.toggle("treadle-busy", busy !== null);
    if (!busy) return;
    text.textContent = busy.lines.join("; ");
    if (busy.share === null) bar.removeAttribute("value");
    else bar.value = busy.share;
  };
  window.treadle.on("busy", show);
  window.treadleProgress = {
    close: () => {
      show(null);
      box.remove();
      sheet.remove();
    },
  };
})();
