// Gamepads of the browser, in the standard mapping: their sticks and buttons, whenever they change.
(() => {
  window.treadleGamepad?.close();

  // seconds between looks, what is taken for the middle of a stick, and the smallest change
  const EVERY = 0.05, MIDDLE = 0.15, STEP = 0.02;
  let before = null;
  const bent = (value) => (Math.abs(value) < MIDDLE ? 0 : (value - Math.sign(value) * MIDDLE) / (1 - MIDDLE));
  const look = () => {
    const pad = [...(navigator.getGamepads?.() ?? [])].find((each) => each?.connected && each.mapping === "standard");
    const now = pad
      ? [...pad.axes.slice(0, 4).map(bent), ...pad.buttons.slice(0, 16).map((button) => button.value)]
      : null;
    if (!now && !before) return;
    const same = now && before?.length === now.length && now.every((value, k) => Math.abs(value - before[k]) < STEP);
    // ends are told exactly
    const ends = now?.some((value, k) => value !== before?.[k] && Number.isInteger(value));
    if (same && !ends) return;
    before = now;
    const rounded = (now ?? []).map((value) => Math.round(1000 * value) / 1000);
    window.treadle?.say({ pad: now && document.hasFocus() ? rounded : [] });
  };
  const looking = setInterval(look, 1000 * EVERY);
  window.treadleGamepad = { close: () => clearInterval(looking) };
})();
