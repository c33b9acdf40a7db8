// Alerts on My match, of the kinds a person chose on this device. The server writes what there is to tell into the live
// part (_my_alerts.html); what is new there is shown, and said by the browser where it may. Which kinds are chosen stays
// on the device, unless the person wants them also while the page is closed (Web Push, where the installation has a key).
(() => {
  "use strict";
  const box = document.getElementById("alert-choice"), shown = document.getElementById("alert-shown");
  if (!box || !shown) return;
  const KINDS = "headjudge-alerts", SEEN = `headjudge-alerted ${location.pathname}`, MOST = 200;
  const read = (key) => { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } };
  const write = (key, value) => { try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* no room: not kept */ } };
  const ticks = [...box.querySelectorAll("[data-kind]")];
  const away = box.querySelector("[data-closed]"), closed = away.querySelector("input");
  let chosen = read(KINDS) ?? [], seen = read(SEEN), pushed = null; // pushed: how the server knows this browser

  const facts = () => [...document.querySelectorAll("#alerts [data-alert]")]
    .filter((one) => !one.dataset.at || Date.now() - ahead(one) >= one.dataset.at);
  // By the server's time, as the clocks: what this device's clock differs by is taken off.
  const ahead = (one) => (one.dataset.ahead ??= Date.now() - one.dataset.now);
  const say = (text) => {
    const line = document.createElement("p");
    line.textContent = text;
    shown.querySelector("button").before(line);
    shown.hidden = false;
    navigator.vibrate?.(300);
    if (pushed || !document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
    const told = { body: text, icon: box.dataset.icon };
    navigator.serviceWorker?.getRegistration().then((worker) =>
      worker ? worker.showNotification(document.title, told) : new Notification(document.title, told)).catch(() => {});
  };
  const look = () => {
    const found = facts();
    // What was there when the page was first opened is on it anyway.
    const known = seen ?? found.map((one) => one.dataset.key);
    const fresh = found.filter((one) => !known.includes(one.dataset.key));
    if (seen && !fresh.length) return;
    seen = [...known, ...fresh.map((one) => one.dataset.key)].slice(-MOST);
    write(SEEN, seen);
    for (const one of fresh) if (chosen.includes(one.dataset.alert)) say(one.textContent.trim());
  };

  const show = () => {
    for (const tick of ticks) tick.checked = chosen.includes(tick.value);
    document.documentElement.toggleAttribute("data-alerts", chosen.length > 0); // app.js: then it also renews unseen
    box.querySelector("[data-quiet]").hidden = !("Notification" in window) || Notification.permission !== "denied";
  };
  // --- while the page is closed ------------------------------------------------------------------------------
  const PUSHED = "headjudge-pushed", OURS = box.dataset.push;
  const able = OURS && "PushManager" in window && navigator.serviceWorker && "Notification" in window;
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
  const same = (held) => String(new Uint8Array(held.options.applicationServerKey ?? [])) === String(bytes(OURS));
  const ask = async (method, address, told) => {
    const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1]
      ?? document.querySelector("[name=csrfmiddlewaretoken]")?.value;
    const answer = await fetch(`/api/v1/me/alerts/browsers${address}`, {
      method, headers: { "Content-Type": "application/json", "X-CSRFToken": token }, body: told && JSON.stringify(told),
    });
    if (!answer.ok && answer.status !== 404) throw new Error(answer.status);
    return answer.status === 201 ? answer.json() : null;
  };
  const subscribe = async () => {
    const { pushManager } = await navigator.serviceWorker.ready;
    let held = await pushManager.getSubscription();
    if (held && !same(held)) { await held.unsubscribe(); held = null; }
    held ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(OURS) });
    const { endpoint, keys } = held.toJSON();
    const { id } = await ask("POST", "", { endpoint, public_key: keys.p256dh, shared_secret: keys.auth, kinds: chosen });
    pushed = { id, endpoint, kinds: chosen.join(" ") };
    write(PUSHED, pushed);
  };
  const unsubscribe = async () => {
    const { pushManager } = await navigator.serviceWorker.ready, before = pushed;
    pushed = null;
    write(PUSHED, null);
    await (await pushManager.getSubscription())?.unsubscribe();
    if (before) await ask("DELETE", `/${before.id}`);
  };
  const settle = async () => {
    const failed = away.querySelector("[data-failed]");
    failed.hidden = true;
    try {
      await (closed.checked && chosen.length ? subscribe() : unsubscribe());
    } catch {
      closed.checked = Boolean(pushed);
      failed.hidden = false;
    }
  };
  // What was set up before, if this browser still is: logging out ends it (sw.js), and so may the browser.
  const resume = async () => {
    const before = read(PUSHED), { pushManager } = await navigator.serviceWorker.ready;
    const held = await pushManager.getSubscription();
    away.hidden = false;
    closed.checked = Boolean(before && held);
    pushed = closed.checked ? before : null;
    if (pushed && (held.endpoint !== pushed.endpoint || !same(held) || pushed.kinds !== chosen.join(" "))) await settle();
  };
  if (able) resume().catch(() => {});

  box.addEventListener("change", async (event) => {
    if (event.target === closed) {
      if (closed.checked && Notification.permission === "default") await Notification.requestPermission().catch(() => {});
      show();
      return settle();
    }
    chosen = ticks.filter((tick) => tick.checked).map((tick) => tick.value);
    write(KINDS, chosen);
    show();
    if (chosen.length && "Notification" in window && Notification.permission === "default")
      Notification.requestPermission().then(show).catch(() => {});
    if (pushed) await settle();
  });
  document.getElementById("alert-dismiss").addEventListener("click", () => {
    for (const line of shown.querySelectorAll("p")) line.remove();
    shown.hidden = true;
  });
  box.hidden = false;
  show();
  look();
  document.addEventListener("htmx:afterSwap", look);
  setInterval(look, 1000);
})();
