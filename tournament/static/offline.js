// Away from the network: the page stays, says so, and says as of when it is (sw.js keeps pages where browsers allow it:
// over https, or on the machine itself). Nothing that needs the server leads away from the page until it answers.
(() => {
  "use strict";
  const root = document.documentElement, note = document.getElementById("offline");
  const kept = Number(root.dataset.kept) || 0, PAGES = "headjudge-pages", PROBE = 15_000; // milliseconds
  let seen = kept || Date.now(), down = false;

  const turn = (away) => {
    const now = away || navigator.onLine === false; // an answer may still come in when the line is down
    if (!now) { seen = Date.now(); delete root.dataset.kept; }
    if (note) {
      note.hidden = !now;
      const time = note.querySelector("time");
      if (time) time.textContent = new Date(seen).toTimeString().slice(0, 5);
    }
    root.classList.toggle("is-offline", now);
    if (down && !now) document.dispatchEvent(new Event("headjudge:online"));
    down = now;
  };
  for (const name of ["htmx:sendError", "htmx:timeout"]) document.addEventListener(name, () => turn(true));
  document.addEventListener("htmx:afterRequest", (event) => { if (event.detail.xhr.status) turn(false); });
  addEventListener("offline", () => turn(true));
  addEventListener("online", () => probe());
  if (kept) turn(true);

  const probe = async () => {
    const stop = new AbortController(), timer = setTimeout(() => stop.abort(), PROBE);
    try {
      const answer = await fetch("/healthz", { cache: "no-store", signal: stop.signal });
      turn(!answer.ok || !(await answer.text()).includes("ok"));
    } catch {
      turn(true);
    }
    clearTimeout(timer);
    return !down;
  };

  // A link or a form is followed once the server has answered; what was written stays where it is until then. Where a
  // service worker stands in, links need not wait: it has a page for them.
  const stands = () => Boolean(navigator.serviceWorker?.controller);
  const doubtful = () => down || !self.isSecureContext;
  const missed = () => { turn(true); note?.scrollIntoView({ block: "nearest" }); };
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.dataset.outbox || form.dataset.checked || form.hasAttribute("hx-post") || !doubtful()) return;
    if (form.method !== "post" && stands()) return;
    event.preventDefault();
    const button = event.submitter;
    if (!(await probe())) return missed();
    form.dataset.checked = "yes";
    form.requestSubmit(button);
    delete form.dataset.checked;
  }, true);
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[href]");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (link.origin !== location.origin || link.target || link.download || link.getAttribute("href").startsWith("#")) return;
    if (!doubtful() || stands()) return;
    event.preventDefault();
    if (await probe()) location.assign(link.href); else missed();
  });

  // --- pages that are kept -------------------------------------------------------------------------------
  if (!navigator.serviceWorker || !self.caches) return;
  navigator.serviceWorker.register("/sw.js").then(() => navigator.serviceWorker.ready).then((worker) => {
    const links = (document.querySelector("[data-keep]")?.dataset.keep ?? "").split(" ").filter(Boolean)
      .map((one) => new URL(one, location.href).href);
    if (links.length) worker.active.postMessage({ keep: links });
  }).catch(() => {});

  const list = document.getElementById("kept-pages");
  if (list) caches.open(PAGES).then(async (pages) => {
    for (const request of await pages.keys()) {
      if (new URL(request.url).pathname === "/kept-part") continue;
      const text = await (await pages.match(request, { ignoreVary: true })).text();
      const line = document.createElement("li"), link = document.createElement("a");
      link.href = request.url;
      link.textContent = new DOMParser().parseFromString(text, "text/html").title.replace(/ · Headjudge$/, "");
      line.append(link);
      list.append(line);
    }
  });

  // A page renews itself part by part: the newest part is kept beside the page, and shown with it.
  const partOf = () => `/kept-part?of=${encodeURIComponent(location.pathname + location.search)}`;
  document.addEventListener("htmx:afterSwap", async (event) => {
    const { xhr, target } = event.detail ?? {};
    if (target?.id !== "live" || !stands()) return;
    const pages = await caches.open(PAGES);
    if (await pages.match(location.href, { ignoreVary: true })) {
      await pages.put(partOf(), new Response(xhr.responseText, { headers: { "X-Kept-At": String(Date.now()) } }));
    }
  });
  if (kept) addEventListener("DOMContentLoaded", async () => {
    const answer = await (await caches.open(PAGES)).match(partOf());
    const live = document.getElementById("live");
    if (!answer || !live) return;
    live.outerHTML = await answer.text();
    seen = Number(answer.headers.get("X-Kept-At"));
    root.dataset.kept = seen; // clocks count from it
    turn(true);
    self.htmx?.process(document.getElementById("live"));
    document.dispatchEvent(new Event("htmx:afterSwap"));
  });
})();
