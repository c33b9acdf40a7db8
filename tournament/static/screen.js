// The screen in the hall: moves slowly down the names and begins again, and keeps the display awake.
(() => {
  "use strict";
  const PIXELS_A_SECOND = 40, REST = 6000;
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  let before = 0, resting = performance.now() + REST, at = 0;

  const end = () => document.documentElement.scrollHeight - window.innerHeight;
  const step = (now) => {
    const passed = Math.min(now - before, 100);
    before = now;
    if (now > resting && end() > 4) {
      if (at >= end() - 1) { at = 0; window.scrollTo(0, 0); resting = now + REST; }
      else if (still.matches) { at = Math.min(end(), at + window.innerHeight * 0.7); window.scrollTo(0, at); resting = now + REST; }
      else {
        at = Math.min(end(), at + passed * PIXELS_A_SECOND / 1000);
        window.scrollTo(0, at);
        if (at >= end() - 1) resting = now + REST;
      }
    }
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
  document.addEventListener("htmx:afterSwap", () => window.scrollTo(0, at));
  window.addEventListener("wheel", () => { at = window.scrollY; resting = performance.now() + 3 * REST; }, { passive: true });

  const awake = () => { if (document.visibilityState === "visible") navigator.wakeLock?.request("screen").catch(() => {}); };
  document.addEventListener("visibilitychange", awake);
  awake();
})();
