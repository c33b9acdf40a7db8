// Alerts on My match, of the kinds a person chose on this device. The server writes what there is to tell into the live
// part (_my_alerts.html); what is new there is shown, and said by the browser where it may. Nothing leaves the device.
(() => {
  "use strict";
  const box = document.getElementById("alert-choice"), shown = document.getElementById("alert-shown");
  if (!box || !shown) return;
  const KINDS = "headjudge-alerts", SEEN = `headjudge-alerted ${location.pathname}`, MOST = 200;
  const read = (key) => { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } };
  const write = (key, value) => { try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* no room: not kept */ } };
  const ticks = [...box.querySelectorAll("input[type=checkbox]")];
  let chosen = read(KINDS) ?? [], seen = read(SEEN);

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
    if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
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
  box.addEventListener("change", () => {
    chosen = ticks.filter((tick) => tick.checked).map((tick) => tick.value);
    write(KINDS, chosen);
    show();
    if (chosen.length && "Notification" in window && Notification.permission === "default")
      Notification.requestPermission().then(show).catch(() => {});
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
