// The pages that players need in a hall stay readable without a network, and what waits is sent (outbox.js).
// Rendered with the names of this version's files: another version is another worker.
"use strict";
importScripts("{{ outbox }}");

const FILES = {{ files|safe }};
const STATIC = "headjudge-files-{{ version }}", PAGES = "headjudge-pages", OFFLINE = "/offline";
const KEPT = /^\/($|decks\/\d+\/$|events\/[^/]+\/(|match|mine|pairings(\/\d+)?|standings|players|players\/\d+|decks\/\d+|slips)$)/;
const OTHERS = /^\/(login|logout|language|sign-up|account\/erase)$/; // afterwards the pages are somebody else's
const LEAVING = /^\/(login|logout|sign-up|account\/erase)$/; // the device may be somebody else's next
const PATIENCE = 8_000, FRESH = 15 * 60_000; // milliseconds

self.addEventListener("install", (event) => event.waitUntil((async () => {
  await (await caches.open(STATIC)).addAll([...FILES, OFFLINE]);
  await self.skipWaiting();
})()));
self.addEventListener("activate", (event) => event.waitUntil((async () => {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== STATIC && name !== PAGES).map((name) => caches.delete(name)));
  await self.clients.claim();
})()));

self.addEventListener("fetch", (event) => {
  const { request } = event, url = new URL(request.url);
  if (url.origin !== self.location.origin) return;
  if (request.mode === "navigate") event.respondWith(request.method === "GET" ? page(event) : posted(event));
  else if (request.method === "GET" && FILES.includes(url.pathname)) event.respondWith(file(request));
});

const file = async (request) => await caches.match(request, { ignoreVary: true }) ?? fetch(request);

// The network's page; where there is none, or it does not come, the one that was kept, and it says so.
const page = async (event) => {
  const { request } = event, keeps = KEPT.test(new URL(request.url).pathname);
  const before = keeps ? await (await caches.open(PAGES)).match(request, { ignoreVary: true }) : undefined;
  const coming = fetch(request).then((answer) => {
    if (keeps && isPage(answer)) event.waitUntil(keep(request.url, answer.clone()));
    else if (keeps && answer.status < 500) event.waitUntil(forget(request)); // logged out, or not theirs any more
    if (before && [502, 503, 504].includes(answer.status)) throw new Error("not there");
    return answer;
  });
  if (!before) return coming.catch(() => offline(""));
  const late = new Promise((_resolve, reject) => setTimeout(reject, PATIENCE));
  event.waitUntil(coming.catch(() => {}));
  return Promise.race([coming, late]).catch(() => marked(before, `data-kept="${before.headers.get("X-Kept-At")}"`));
};

const posted = async (event) => {
  if (OTHERS.test(new URL(event.request.url).pathname)) event.waitUntil(caches.delete(PAGES));
  if (LEAVING.test(new URL(event.request.url).pathname)) event.waitUntil(alertNoMore());
  return fetch(event.request).catch(() => offline("data-unsent"));
};

const offline = async (mark) => marked(await caches.match(OFFLINE, { ignoreVary: true }), mark);
const isPage = (answer) => answer.status === 200 && answer.type === "basic" && !answer.redirected
  && (answer.headers.get("Content-Type") ?? "").startsWith("text/html");
const marked = async (answer, mark) => {
  const headers = new Headers(answer.headers);
  for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name);
  return new Response((await answer.text()).replace("<html ", `<html ${mark} `), { headers });
};
const keep = async (address, answer) => {
  const url = new URL(address), pages = await caches.open(PAGES), headers = new Headers(answer.headers);
  headers.set("X-Kept-At", String(Date.now()));
  await pages.put(address, new Response(await answer.blob(), { headers }));
  await pages.delete(`/kept-part?of=${encodeURIComponent(url.pathname + url.search)}`);
};

const forget = async (request) => (await caches.open(PAGES)).delete(request, { ignoreVary: true });

// Pages that somebody at a match will look for, fetched beforehand; not again while they are fresh.
self.addEventListener("message", (event) => event.waitUntil((async () => {
  for (const address of event.data.keep ?? []) {
    const before = await (await caches.open(PAGES)).match(address, { ignoreVary: true });
    if (before && Date.now() - Number(before.headers.get("X-Kept-At")) < FRESH) continue;
    const answer = await fetch(address, { credentials: "same-origin" }).catch(() => null);
    if (answer && isPage(answer) && KEPT.test(new URL(address).pathname)) await keep(address, answer);
  }
})()));

self.addEventListener("sync", (event) => { if (event.tag === "outbox") event.waitUntil(outbox.flush()); });

// --- alerts while no page is open (alerts.js subscribes) ---------------------------------------------------------------
const alertNoMore = async () => (await self.registration.pushManager?.getSubscription())?.unsubscribe();
self.addEventListener("push", (event) => {
  const { title, body, page, tag } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body, tag, icon: "{{ icon }}", data: { page } }));
});
self.addEventListener("notificationclick", (event) => event.waitUntil((async () => {
  event.notification.close();
  const address = new URL(event.notification.data.page, self.location.origin).href;
  const open = await self.clients.matchAll({ type: "window" });
  const shown = open.find((one) => one.url === address);
  return shown ? shown.focus() : self.clients.openWindow(address);
})()));
