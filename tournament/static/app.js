// What the pages do beyond HTML. Everything here is comfort: each core step works without it.
(() => {
  "use strict";

  // A live part is fetched again and again with its own ETag (hx-headers); 304 leaves the page alone.
  // It is not exchanged under somebody's fingers, and what was folded open stays open.
  const isTyping = (part) =>
    part.contains(document.activeElement) && document.activeElement.matches("input, textarea, select") ||
    [...part.querySelectorAll("input, textarea")].some((field) => field.type !== "hidden" && field.value !== field.defaultValue);

  document.addEventListener("htmx:beforeRequest", (event) => {
    const part = event.target.closest("[data-live]");
    if (part === event.target && (isTyping(part) || document.hidden)) event.preventDefault();
  });

  let open = [];
  document.addEventListener("htmx:beforeSwap", (event) => {
    // A login page or an error is no part of this page: keep what is there.
    if (event.detail.target.matches("[data-live]") && event.detail.xhr.responseText.indexOf('id="live"') < 0) {
      event.detail.shouldSwap = false;
    }
    open = [...event.detail.target.querySelectorAll("details[id][open]")].map((details) => details.id);
  });
  document.addEventListener("htmx:afterSwap", () => {
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  });

  // The line is down, the line is back.
  const offline = (down) => { const note = document.getElementById("offline"); if (note) note.hidden = !down; };
  document.addEventListener("htmx:sendError", () => offline(true));
  document.addEventListener("htmx:afterRequest", (event) => { if (event.detail.xhr.status) offline(false); });

  // One tap, one report.
  document.addEventListener("submit", (event) => {
    if (event.target.method !== "post" || event.defaultPrevented) return;
    if (event.target.dataset.sent) return event.preventDefault();
    event.target.dataset.sent = "1";
  });
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
  });

  // On a phone the page's own tab is in sight.
  document.querySelector(".tabs [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });

  // Menus close when you look elsewhere.
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.who[open]")) if (!menu.contains(event.target)) menu.open = false;
  });

  // Buttons that only make sense with a script are hidden until it runs.
  for (const button of document.querySelectorAll("[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => window.print());
  }
})();
