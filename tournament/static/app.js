// What the pages do beyond HTML. Everything here is comfort: each core step works without it.
(() => {
  "use strict";

  // --- a part that renews itself ---------------------------------------------------------------------
  // It is fetched again and again with its own ETag (hx-headers); 304 leaves the page alone. It is never
  // exchanged under somebody's fingers: not while they type, nor between pressing a button and letting go.
  // However late a reply comes, what somebody chose since it was asked for stays chosen, whatever asked; a poll
  // also leaves what they chose before. Where a written field has no place in the new part, the old part stays.
  const TICKS = "input[type=checkbox], input[type=radio]";
  const WRITTEN = "textarea, select, input:not([type=checkbox], [type=radio], [type=hidden])";
  const isChanged = (field) => {
    if (field.matches(TICKS)) return field.checked !== field.defaultChecked;
    if (!field.matches("select")) return field.value !== field.defaultValue;
    const meant = [...field.options].some((option) => option.defaultSelected);
    return meant ? [...field.options].some((option) => option.selected !== option.defaultSelected) : field.selectedIndex > 0;
  };
  const formOf = (field) => [field.form?.getAttribute("action"), ...[...field.form?.elements ?? []]
    .filter((one) => one.type === "hidden" && one.name !== "csrfmiddlewaretoken").map((one) => `${one.name}=${one.value}`)];
  const nameOf = (field) => field.id
    || [...formOf(field), field.name, field.matches(TICKS) ? field.value : ""].join(" ");
  const fieldsIn = (root) => [...root.querySelectorAll(`${WRITTEN}, ${TICKS}`)];
  const isLive = (part) => part.matches("[data-live]");

  let pressed = null;
  document.addEventListener("pointerdown", (event) => { pressed = event.target; });
  for (const end of ["pointercancel", "click"]) document.addEventListener(end, () => { pressed = null; });
  document.addEventListener("pointerup", () => setTimeout(() => { pressed = null; }, 400)); // the click may follow late
  const isInUse = (part) => part.contains(pressed) || part.querySelector("form[data-sent]") !== null
    || part.contains(document.activeElement) && document.activeElement.matches(WRITTEN);

  const sentAt = new WeakMap(); // request -> when it went out
  const asked = new Map(); // request of somebody's own, such as a search, while it is on its way -> the part it will fill
  const chosen = new WeakMap(); // field, or details by its summary -> when somebody last touched it
  const touch = (event) => {
    const one = event.target.closest?.(event.type === "click" ? "summary, input" : "input, select, textarea");
    if (one) chosen.set(one.closest("summary")?.parentElement ?? one, performance.now());
  };
  for (const name of ["input", "change", "click"]) document.addEventListener(name, touch, true);

  document.addEventListener("htmx:beforeRequest", (event) => {
    const part = event.target.closest("[data-live]");
    const unseen = document.hidden && !document.documentElement.hasAttribute("data-alerts");
    if (part === event.target && (isInUse(part) || unseen)) event.preventDefault();
    const { xhr, target } = event.detail;
    sentAt.set(xhr, performance.now());
    if (target === event.target) return;
    asked.set(xhr, target);
    xhr.addEventListener("loadend", () => asked.delete(xhr));
  });

  let before = null; // what somebody did in the part that is about to be exchanged
  const lineOf = (element) => [
    element.localName,
    element.id,
    element.name,
    element.value,
    element.getAttribute("href"),
    element.closest("details[id]")?.id,
  ].join(" ");
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!event.detail.shouldSwap) return;
    const { target: part, xhr } = event.detail;
    const polled = isLive(part) && event.detail.requestConfig?.elt === part;
    const since = sentAt.get(xhr) ?? 0, isNewer = (one) => (chosen.get(one) ?? 0) > since;
    const kept = fieldsIn(part).filter((field) => field.type !== "file" && (isNewer(field) || isLive(part) && isChanged(field)));
    if (isLive(part)) {
      const coming = polled && kept.some((field) => field.matches(WRITTEN))
        && fieldsIn(new DOMParser().parseFromString(xhr.responseText, "text/html")).map(nameOf);
      const homeless = coming && kept.some((field) => field.matches(WRITTEN) && !coming.includes(nameOf(field)));
      // A login page or an error is no part of this page: keep what is there. So does a poll while an answer to a search
      // is on its way: it would take the place that the answer was asked for.
      const isAwaited = [...asked.values()].includes(part);
      if (!xhr.responseText.includes('id="live"') || polled && (isInUse(part) || homeless || isAwaited)) {
        event.detail.shouldSwap = false;
        return;
      }
    }
    before = {
      root: part.id,
      details: [...part.querySelectorAll("details[id]")].filter((one) => isNewer(one) || isLive(part) && (one.open || chosen.has(one)))
        .map((one) => [one.id, one.open, chosen.get(one)]),
      sheets: isLive(part) ? [...part.querySelectorAll("[popover][id]:popover-open")].map((one) => one.id) : [],
      fields: kept.map((field) => ({
        name: nameOf(field), property: field.matches(TICKS) ? "checked" : "value",
        value: field.matches(TICKS) ? field.checked : field.value, again: !polled && isNewer(field),
      })),
      scrolled: [...part.querySelectorAll(".scroll[id]")].map((one) => [one.id, one.scrollLeft]),
      focused: isLive(part) && part.contains(document.activeElement) ? lineOf(document.activeElement) : null,
    };
  });
  document.addEventListener("htmx:afterSwap", () => {
    if (!before) return;
    const { root, details, sheets, fields, scrolled, focused } = before;
    before = null;
    const part = document.getElementById(root) ?? document;
    for (const [id, open, at] of details) {
      const one = document.getElementById(id);
      if (one) { one.open = open; if (at) chosen.set(one, at); }
    }
    for (const id of sheets) document.getElementById(id)?.showPopover?.();
    for (const [id, left] of scrolled) { const one = document.getElementById(id); if (one) one.scrollLeft = left; }
    const there = new Map(fieldsIn(part).map((field) => [nameOf(field), field]));
    for (const { name, property, value, again } of fields) {
      const field = there.get(name);
      if (!field) continue;
      field[property] = value;
      // Whoever shows something by this field was told of the older choice: tell it the newer one.
      if (again) setTimeout(() => field.dispatchEvent(new Event("change", { bubbles: true })));
    }
    // Whoever works by keyboard stays where they were.
    const reachable = focused ? [...part.querySelectorAll("a, button, summary, input")] : [];
    reachable.find((element) => lineOf(element) === focused)?.focus({ preventScroll: true });
  });

  // --- the board -------------------------------------------------------------------------------------
  // While a tap is on its way nothing else can be tapped: a late reply would show the board as it was before that.
  // Then whoever works by keyboard is where they were; a link leads to the top of its page.
  const board = () => document.getElementById("board");
  let held = null;
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt, verb, requestConfig } = event.detail;
    if (!board()?.contains(elt) || (requestConfig?.verb ?? verb) !== "post") return;
    held = document.activeElement && lineOf(document.activeElement);
    board().inert = true;
  });
  document.addEventListener("htmx:afterRequest", () => { if (board()) board().inert = false; });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target?.id !== "board") return;
    if (event.detail.requestConfig?.verb === "get") window.scrollTo(0, 0);
    const again = held && [...board().querySelectorAll("a, button, summary, input, select")].find((one) => lineOf(one) === held);
    if (again) again.focus({ preventScroll: true });
    held = null;
  });

  // --- clocks ------------------------------------------------------------------------------------------
  // They run by the server's time: what the browser's clock differs by is taken off, so nothing drifts.
  const figures = (seconds) => Math.floor(seconds / 60) + ":" + String(seconds % 60).padStart(2, "0");
  const tick = () => {
    for (const face of document.querySelectorAll(".clock[data-ends]")) {
      // On a page that was kept (offline.js), the server's time is as of when it was.
      face.dataset.ahead ??= (document.documentElement.dataset.kept || Date.now()) - face.dataset.now;
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
    if (event.target.method !== "post" || event.target.dataset.outbox || event.defaultPrevented) return;
    if (event.target.dataset.sent) return event.preventDefault();
    event.target.dataset.sent = "1";
  });
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
  });

  document.addEventListener("htmx:afterRequest", (event) => { delete event.detail.elt.dataset.sent; });

  // Who creates an event is likely to be where it is played.
  const zone = document.querySelector("[data-zone]");
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone?.value === "UTC" && [...zone.options].some((one) => one.value === here)) zone.value = here;

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

  // --- the desk ----------------------------------------------------------------------------------------
  // Tick all, untick all; / searches, Enter takes the first row found, U undoes.
  const ticking = () => { for (const row of document.querySelectorAll(".tick-all")) row.hidden = false; };
  ticking();
  document.addEventListener("htmx:afterSwap", ticking);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-tick]");
    if (!button) return;
    for (const box of button.form.querySelectorAll("[type=checkbox]")) box.checked = button.dataset.tick === "1";
  });
  document.addEventListener("keydown", (event) => {
    const search = document.querySelector("[data-desk]");
    if (!search || event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = document.activeElement?.matches(WRITTEN);
    if (event.key === "/" && !typing) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Enter" && document.activeElement === search) {
      event.preventDefault();
      search.dataset.take = "1";
      take();
    } else if (event.key.toLowerCase() === "u" && !typing) document.getElementById("undo")?.click();
  });
  // Enter right after the last letter waits for what those letters find.
  let searched = "";
  const take = () => {
    const search = document.querySelector("[data-desk][data-take]");
    if (!search || search.value && searched !== search.value) return;
    delete search.dataset.take;
    const first = document.querySelector(".desk-rows button, .desk-rows a");
    if (!first || !search.value) return;
    first.click();
    search.value = searched = "";
  };
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.requestConfig?.elt?.matches("[data-desk]")) searched = event.detail.requestConfig.parameters?.q ?? "";
    take();
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
  // Whoever tabs on out of a menu or a sheet is not left under it.
  document.addEventListener("keyup", (event) => {
    if (event.key !== "Tab") return;
    const at = document.activeElement;
    for (const menu of document.querySelectorAll(MENUS)) if (!menu.contains(at)) menu.open = false;
    for (const sheet of document.querySelectorAll("[popover]:popover-open"))
      if (!sheet.contains(at) && at.popoverTargetElement !== sheet) sheet.hidePopover();
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
