// What the pages do beyond HTML. Everything here is comfort: each core step works without it.
(() => {
  "use strict";

  // --- a part that renews itself ---------------------------------------------------------------------
  // It is fetched again and again with its own ETag (hx-headers); 304 leaves the page alone. It is never
  // exchanged under somebody's fingers: not while they type, nor between pressing a button and letting go.
  // What they filled in before is carried over into the new part; where it has no place there, the old one stays.
  const TICKS = "input[type=checkbox], input[type=radio]";
  const WRITTEN = "textarea, select, input:not([type=checkbox], [type=radio], [type=hidden])";
  const isChanged = (field) => {
    if (field.matches(TICKS)) return field.checked !== field.defaultChecked;
    if (!field.matches("select")) return field.value !== field.defaultValue;
    const meant = [...field.options].some((option) => option.defaultSelected);
    return meant ? [...field.options].some((option) => option.selected !== option.defaultSelected) : field.selectedIndex > 0;
  };
  const changed = (part, which) => [...part.querySelectorAll(which)].filter(isChanged);

  let pressed = null;
  document.addEventListener("pointerdown", (event) => { pressed = event.target; });
  for (const end of ["pointercancel", "click"]) document.addEventListener(end, () => { pressed = null; });
  document.addEventListener("pointerup", () => setTimeout(() => { pressed = null; }, 400)); // the click may follow late
  const isInUse = (part) => part.contains(pressed) || part.querySelector("form[data-sent]") !== null
    || part.contains(document.activeElement) && document.activeElement.matches(WRITTEN);

  document.addEventListener("htmx:beforeRequest", (event) => {
    const part = event.target.closest("[data-live]");
    if (part === event.target && (isInUse(part) || document.hidden)) event.preventDefault();
  });

  let open = [], kept = [], moved = [], focused = null;
  const nameOf = (element) => [element.localName, element.id, element.name, element.value, element.getAttribute("href"), element.closest("details[id]")?.id].join(" ");
  document.addEventListener("htmx:beforeSwap", (event) => {
    const part = event.detail.target, text = event.detail.xhr.responseText;
    if (!part.matches("[data-live]")) return;
    const polled = event.detail.requestConfig?.elt === part;
    const homeless = changed(part, WRITTEN).some((field) => !field.id || !text.includes(`id="${field.id}"`));
    // A login page or an error is no part of this page: keep what is there.
    if (!text.includes('id="live"') || polled && (isInUse(part) || homeless)) event.detail.shouldSwap = false;
    open = [...part.querySelectorAll("details[id][open]")].map((details) => details.id);
    kept = changed(part, `${WRITTEN}, ${TICKS}`).filter((field) => field.id).map((field) => [field.id, field.matches(TICKS) ? "checked" : "value", field.matches(TICKS) ? field.checked : field.value]);
    moved = [...part.querySelectorAll(".scroll[id]")].map((one) => [one.id, one.scrollLeft]);
    focused = part.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  });
  document.addEventListener("htmx:afterSwap", () => {
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    for (const [id, left] of moved) { const one = document.getElementById(id); if (one) one.scrollLeft = left; }
    for (const [id, property, value] of kept) {
      const field = document.getElementById(id);
      if (field && field.type !== "file") field[property] = value;
    }
    // Whoever works by keyboard stays where they were.
    const again = focused && [...document.querySelectorAll("#live :is(a, button, summary, input)")].find((element) => nameOf(element) === focused);
    if (again) again.focus({ preventScroll: true });
    open = kept = moved = []; focused = null;
  });

  // The line is down, the line is back.
  const offline = (down) => { const note = document.getElementById("offline"); if (note) note.hidden = !down; };
  for (const name of ["htmx:sendError", "htmx:timeout"]) document.addEventListener(name, () => offline(true));
  document.addEventListener("htmx:afterRequest", (event) => { if (event.detail.xhr.status) offline(false); });
  window.addEventListener("offline", () => offline(true));

  // --- clocks ------------------------------------------------------------------------------------------
  // They run by the server's time: what the browser's clock differs by is taken off, so nothing drifts.
  const figures = (seconds) => Math.floor(seconds / 60) + ":" + String(seconds % 60).padStart(2, "0");
  const tick = () => {
    for (const face of document.querySelectorAll(".clock[data-ends]")) {
      face.dataset.ahead ??= Date.now() - face.dataset.now;
      const shown = figures(Math.max(0, Math.ceil((face.dataset.ends - (Date.now() - face.dataset.ahead)) / 1000)));
      const digits = face.querySelector("b");
      if (digits.textContent !== shown) digits.textContent = shown;
    }
    // One that counts up from what the server said had passed; without a script it says the minutes.
    for (const clock of document.querySelectorAll("[data-elapsed]")) {
      clock.dataset.since ??= Date.now() - 1000 * clock.dataset.elapsed;
      clock.textContent = figures(Math.floor((Date.now() - clock.dataset.since) / 1000));
    }
  };
  tick();
  setInterval(tick, 500);
  document.addEventListener("htmx:afterSwap", tick);

  // --- forms -------------------------------------------------------------------------------------------
  // One tap, one report.
  document.addEventListener("submit", (event) => {
    if (event.target.method !== "post" || event.defaultPrevented) return;
    if (event.target.dataset.sent) return event.preventDefault();
    event.target.dataset.sent = "1";
  });
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
  });

  // Who creates an event is likely to be where it is played.
  const zone = document.querySelector("[data-zone]");
  if (zone?.value === "UTC") zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

  // --- a misspelt card ---------------------------------------------------------------------------------
  // Where a list is being written, a suggested name is put in its place with one tap; the list is checked anew.
  const list = () => document.getElementById("id_text");
  const offer = () => { for (const names of document.querySelectorAll(".mends")) names.hidden = !list(); };
  offer();
  document.addEventListener("htmx:afterSwap", offer);
  document.addEventListener("click", (event) => {
    const mend = event.target.closest("[data-mend]"), text = list();
    if (!mend || !text) return;
    const lines = text.value.split("\n"), at = mend.dataset.line - 1;
    if (!lines[at]?.includes(mend.dataset.was)) return;
    lines[at] = lines[at].replace(mend.dataset.was, () => mend.dataset.mend);
    text.value = lines.join("\n");
    text.dispatchEvent(new Event("input", { bubbles: true }));
    mend.closest(".mends").hidden = true;
  });

  // --- menus -------------------------------------------------------------------------------------------
  const MENUS = "details.menu[open]";
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll(MENUS)) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll(MENUS)) {
      if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
      menu.open = false;
    }
  });
  // A wide picture is looked at first where something happens in it.
  for (const picture of document.querySelectorAll("[data-at]")) picture.scrollLeft = picture.dataset.at - picture.clientWidth;
  // On a phone the page's own tab is in sight.
  document.querySelector(".tabs [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });

  // Buttons that only make sense with a script are hidden until it runs.
  for (const button of document.querySelectorAll("[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => window.print());
  }
})();
