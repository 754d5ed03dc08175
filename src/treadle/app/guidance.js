// A card that welcomes once per machine, and the list of all keys behind "?".
(() => {
  window.treadleGuidance?.close();

  const sheet = document.createElement("style");
  sheet.textContent = `
    .treadle-card { position: fixed; z-index: 90; left: 16px; top: 16px; max-width: min(340px, calc(100vw - 32px));
      padding: 12px 16px; border-radius: 8px; font: 14px/1.45 system-ui, sans-serif; color: #1b2733;
      background: rgba(255, 255, 255, 0.94); box-shadow: 0 2px 14px rgba(0, 0, 0, 0.22); pointer-events: none; }
    .treadle-card h2 { margin: 0 24px 6px 0; font-size: 16px; }
    .treadle-card p { margin: 0 0 6px; }
    .treadle-card ul { margin: 0 0 8px; padding-left: 18px; }
    .treadle-card button { pointer-events: auto; cursor: pointer; font: inherit; padding: 3px 10px; margin-right: 8px;
      border: 1px solid #265c8c; border-radius: 5px; background: #265c8c; color: #fff; }
    .treadle-card button.plain { background: transparent; color: inherit; }
    .treadle-card button.close { position: absolute; right: 2px; top: 8px; border: 0; background: transparent;
      color: inherit; font-size: 18px; line-height: 1; }
    .treadle-card table { border-spacing: 0 2px; } .treadle-card td:first-child { padding-right: 12px; white-space: nowrap; }
    .treadle-card kbd { font: 12px ui-monospace, monospace; padding: 1px 5px; border-radius: 4px;
      background: rgba(120, 130, 140, 0.22); }
    .treadle-keys { max-height: calc(100vh - 64px); overflow-y: auto; pointer-events: auto; z-index: 95; }
    @media (max-width: 700px) { .treadle-card { left: 8px; top: 8px; max-width: calc(100vw - 50px); padding: 8px 12px;
      font-size: 12px; } .treadle-card h2 { font-size: 14px; } }
    [data-mantine-color-scheme=dark] .treadle-card { color: #e6ebf0; background: rgba(30, 36, 44, 0.95); }`;
  document.head.append(sheet);

  let told = null, card = null, list = null;
  const element = (tag, text, into, name) => {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    if (name) made.className = name;
    into.append(made);
    return made;
  };
  const button = (text, into, name, act) => {
    const made = element("button", text, into, name);
    made.type = "button";
    made.addEventListener("click", () => {
      made.blur();
      act();
    });
    return made;
  };
  // asked about once per machine and browser; a browser that keeps nothing is told again
  const known = (scene, now) => {
    try {
      const before = window.localStorage.getItem(`treadle-seen-${scene}`) !== null;
      if (now) window.localStorage.setItem(`treadle-seen-${scene}`, "1");
      return before;
    } catch {
      return false;
    }
  };
  // notices stand below the card
  const leave = () =>
    document.documentElement.style.setProperty("--treadle-card", `${card?.getBoundingClientRect().bottom ?? 0}px`);
  const growth = new ResizeObserver(leave);
  const hideCard = () => {
    growth.disconnect();
    if (card && told) known(told.scene, true);
    card?.remove();
    card = null;
    leave();
  };
  const hideList = () => {
    list?.remove();
    list = null;
  };
  const showCard = () => {
    hideCard();
    card = element("section", "", document.body, "treadle-card");
    card.setAttribute("aria-label", "Welcome");
    element("h2", told.scene, card);
    if (told.text) element("p", told.text, card);
    const steps = element("ul", "", card);
    told.steps.forEach((text) => element("li", text, steps));
    if (told.routine)
      button(told.routine, card, "", () => {
        window.treadle.say({ down: "p" });
        hideCard();
      });
    button("All keys", card, "plain", showList);
    button("\u00d7", card, "close", hideCard).setAttribute("aria-label", "Close the welcome");
    growth.observe(card);
  };
  const showList = () => {
    hideCard();
    hideList();
    list = element("section", "", document.body, "treadle-card treadle-keys");
    list.setAttribute("role", "dialog");
    list.setAttribute("aria-label", "Keys");
    element("h2", "Keys", list);
    const table = element("table", "", list);
    for (const [keys, what] of told.keys) {
      const row = element("tr", "", table);
      element("kbd", keys, element("td", "", row));
      element("td", what, row);
    }
    button("\u00d7", list, "close", hideList).setAttribute("aria-label", "Close the list of keys");
  };
  const typing = (target) => target instanceof Element && target.closest("input, textarea, select, [contenteditable]");
  const down = (event) => {
    if (!told || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (event.key === "?") list ? hideList() : showList();
    else if (event.key === "Escape") {
      hideList();
      hideCard();
    } else if (event.key.length === 1 || event.key.startsWith("Arrow")) hideCard();
  };
  window.addEventListener("keydown", down, true);

  window.treadleGuidance = {
    show: (table) => {
      const other = told?.scene !== table.scene;
      told = table;
      if (list) showList();
      else if (other && !known(told.scene, false)) showCard();
      else if (other) hideCard();
    },
    close: () => {
      window.removeEventListener("keydown", down, true);
      sheet.remove();
      growth.disconnect();
      card?.remove();
      list?.remove();
    },
  };
})();
