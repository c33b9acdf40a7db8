// What somebody wrote waits here, on the device, until the server has it, and is sent once (config/outbox.py): now, when
// the network is back, or when the browser is opened again. The page shows it (`data-outbox`: see _my_report.html); the
// service worker sends it too where browsers let it (sw.js).
self.outbox = (() => {
  "use strict";
  const STORE = "waiting", SECONDS = 30;

  const opened = () => new Promise((resolve, reject) => {
    const request = indexedDB.open("headjudge", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "key" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const within = async (mode, work) => {
    const database = await opened();
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode), request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => { database.close(); resolve(request.result); };
      transaction.onabort = transaction.onerror = () => { database.close(); reject(transaction.error); };
    });
  };
  // An entry: {key, by (user), subject ("match 12"), url, fields ([[name, value], ...]), says, at, tried, refused}.
  const all = async () => (await within("readonly", (store) => store.getAll())).sort((one, two) => one.at - two.at);
  const put = (entry) => within("readwrite", (store) => store.put(entry));
  const remove = (key) => within("readwrite", (store) => store.delete(key));

  // What became of sending it: {state: "sent", "waiting" or "refused", told: what the server said}.
  const send = async (entry, token) => {
    const fields = entry.fields.map(([name, value]) => [name, token && name === "csrfmiddlewaretoken" ? token : value]);
    const stop = new AbortController(), timer = setTimeout(() => stop.abort(), 1000 * SECONDS);
    try {
      const answer = await fetch(entry.url, {
        method: "POST", body: new URLSearchParams(fields), credentials: "same-origin", redirect: "manual",
        headers: { "Idempotency-Key": entry.key, Accept: "application/json" }, signal: stop.signal,
      });
      const told = await answer.json(); // what is no JSON comes from somebody else: a hall's login page, a proxy
      if (answer.ok) return { state: "sent", told };
      const passes = answer.status >= 500 || [401, 408, 429].includes(answer.status)
        || ["still-running", "other-account", "page-too-old"].includes(told.code);
      return { state: passes ? "waiting" : "refused", told };
    } catch {
      return { state: "waiting" };
    } finally {
      clearTimeout(timer);
    }
  };

  // Send what waits, the oldest first; of one subject nothing overtakes what was written before. `by`: one person's
  // alone; `token`: of the page that sends. What became of each is told to `hear`.
  let running = null;
  const flush = (hear = () => {}, by = null, token = null) => running ??= (async () => {
    if (navigator.onLine === false) return; // it has not been on its way
    const held = new Set();
    for (let entry of await all()) {
      if (entry.refused || held.has(entry.subject) || by !== null && entry.by !== by) continue;
      entry = { ...entry, tried: true };
      await put(entry);
      const { state, told } = await send(entry, token);
      if (state === "sent") {
        await remove(entry.key);
        if (told.known !== undefined) await follow(entry.subject, told.known);
      }
      if (state === "refused") await put({ ...entry, refused: [told.message, told.remedy].filter(Boolean).join(" ") });
      if (state === "waiting") held.add(entry.subject);
      await hear(entry, state, told);
      if (state === "waiting" && !told) break; // nobody is there: the others wait, too
    }
  })().finally(() => { running = null; });

  // What was written after it was written knowing it.
  const follow = async (subject, known) => {
    for (const entry of await all()) {
      if (entry.subject !== subject || entry.refused) continue;
      const fields = entry.fields.map(([name, value]) => [name, name === "known" ? String(known) : value]);
      await put({ ...entry, fields });
    }
  };

  return { all, put, remove, flush };
})();

// --- on a page -----------------------------------------------------------------------------------------
if (self.document) (() => {
  "use strict";
  const user = document.body.dataset.user ?? "", words = document.getElementById("outbox-words");
  if (!words || !self.indexedDB) return;
  const said = words.dataset, recent = []; // what was sent from this page
  const changing = new Set(); // subjects whose form is wanted again though something waits
  let sending = false;

  const random = () => [...crypto.getRandomValues(new Uint8Array(16))].map((one) => one.toString(16).padStart(2, "0")).join("");
  const clock = (at) => new Date(at).toTimeString().slice(0, 5);
  const token = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1]
    ?? document.querySelector("[name=csrfmiddlewaretoken]")?.value;
  const form = (subject) => [...document.querySelectorAll("form[data-outbox]")].find((one) => one.dataset.outbox === subject);

  const line = (entry) => {
    const state = entry.done ? "done" : entry.refused ? "refused" : sending && navigator.onLine ? "sending" : "waiting";
    const one = words.content.firstElementChild.cloneNode(true), fill = (name) => one.querySelector(`[data-fill=${name}]`);
    one.dataset.state = state;
    one.querySelector("use").setAttribute("href", { done: "#s-check", refused: "#s-cross" }[state] ?? "#s-clock");
    fill("says").textContent = entry.done ?? [form(entry.subject) ? "" : entry.about, entry.says].filter(Boolean).join(": ");
    fill("state").textContent = said[state];
    fill("note").textContent = entry.refused || (state === "waiting" ? said.saved.replace("{time}", clock(entry.at)) : "");
    for (const button of one.querySelectorAll("[data-do]")) {
      button.hidden = !button.dataset.when.split(" ").includes(state)
        || button.dataset.do === "correct" && !form(entry.subject)?.matches("[data-outbox-clear]")
        || button.dataset.do === "change" && !form(entry.subject)?.matches(".report-form")
        || button.dataset.do === "slip" && !document.getElementById("paper-slip");
      button.addEventListener("click", () => did[button.dataset.do](entry));
    }
    return one;
  };
  const did = {
    change: async (entry) => { changing.add(entry.subject); await show(); },
    correct: async (entry) => {
      const fields = form(entry.subject).elements;
      for (const [name, value] of entry.fields) if (fields[name]?.type === "text") fields[name].value = value;
      await outbox.remove(entry.key);
      await show();
    },
    dismiss: async (entry) => { await outbox.remove(entry.key); await show(); },
    slip: (entry) => {
      document.querySelector("#paper-slip [data-fill=says]").textContent = entry.says;
      document.getElementById("paper-slip").showPopover();
    },
  };

  const show = async () => {
    const mine = (await outbox.all()).filter((entry) => entry.by === user), shown = new Set();
    for (const list of document.querySelectorAll("[data-outbox-lines]")) {
      shown.add(list.dataset.outboxLines);
      form(list.dataset.outboxLines)?.classList.toggle("changing", changing.has(list.dataset.outboxLines));
      const subject = list.dataset.outboxLines, here = mine.filter((entry) => entry.subject === subject);
      // Of one match the latest report is what counts, though earlier ones that may have arrived are sent before it.
      if (!form(subject)?.matches("[data-outbox-clear]")) here.splice(0, here.length - 1);
      list.replaceChildren(...[...here, ...recent.filter((entry) => entry.subject === subject)].map(line));
      list.classList.toggle("has-waiting", here.some((entry) => !entry.refused));
    }
    // What belongs to another page, or to a match that is over, is not lost from sight.
    const rest = mine.filter((entry) => !shown.has(entry.subject));
    document.getElementById("outbox-rest")?.replaceChildren(...rest.map(line));
    const note = document.getElementById("outbox-note"), open = mine.filter((entry) => !entry.refused);
    if (note) { note.hidden = !open.length; note.querySelector("b").textContent = open.length; }
    return open.length;
  };

  const flush = async () => {
    if (!user || !(await show())) return;
    sending = true;
    const late = setTimeout(show);
    await outbox.flush((entry, state, told) => {
      if (state === "sent" && told.done) { recent.unshift({ ...entry, done: told.done }); recent.splice(5); }
      if (state === "sent") renew();
    }, user, token());
    clearTimeout(late);
    sending = false;
    if (await show()) navigator.serviceWorker?.ready.then((worker) => worker.sync?.register("outbox")).catch(() => {});
  };
  const renew = () => {
    const live = document.querySelector("#live[data-live]");
    if (live && self.htmx) htmx.trigger(live, "renew");
  };

  document.addEventListener("submit", async (event) => {
    const sent = event.target, subject = sent.dataset.outbox;
    if (!subject) return;
    event.preventDefault();
    const button = event.submitter, data = new FormData(sent);
    if (button?.name) data.append(button.name, button.value);
    const fields = [...data];
    const says = (button?.dataset.says ?? sent.dataset.outboxSays)
      .replace("[button]", () => button?.textContent.trim().replace(/\s+/g, " "))
      .replace(/\[(\w+)\]/g, (_all, name) => sent.elements[name]?.value || "0");
    const about = sent.dataset.outboxAbout ?? "";
    const entry = { key: random(), by: user, subject, about, url: sent.action, fields, says, at: Date.now() };
    const told = JSON.stringify(fields.filter(([name]) => name !== "csrfmiddlewaretoken"));
    const alike = (one) => JSON.stringify(one.fields.filter(([name]) => name !== "csrfmiddlewaretoken")) === told;
    try {
      const before = (await outbox.all()).filter((one) => one.subject === subject && one.by === user && !one.refused);
      if (before.length && alike(before.at(-1))) return; // a second tap
      // What has never been on its way need not be sent only to be replaced.
      if (!sent.matches("[data-outbox-clear]")) for (const one of before) if (!one.tried) await outbox.remove(one.key);
      await outbox.put(entry);
    } catch { // this browser stores nothing: then as without a script
      delete sent.dataset.outbox;
      return sent.requestSubmit(button);
    }
    changing.delete(subject);
    if (sent.matches("[data-outbox-clear]")) { sent.reset(); sent.querySelector("input:not([type=hidden])").focus(); }
    flush();
  });

  flush();
  setInterval(flush, 10_000);
  for (const name of ["online", "pageshow"]) addEventListener(name, flush);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) flush(); });
  document.addEventListener("htmx:afterSwap", show);
  document.addEventListener("headjudge:online", flush);
})();
