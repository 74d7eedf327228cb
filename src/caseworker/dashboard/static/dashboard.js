// Times, keys, the state of the connection, and forms. Every page reads and works without it.
"use strict";
(() => {
  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  const span = (seconds) => {
    for (const [name, size] of units) if (seconds >= size) return `${Math.floor(seconds / size)} ${name}`;
    return "now";
  };
  const times = (root) => {
    for (const time of root.querySelectorAll("time[datetime]")) {
      const passed = (Date.now() - Date.parse(time.dateTime)) / 1000;
      const ago = Math.abs(passed) < 5 ? "now" : passed > 0 ? `${span(passed)} ago` : `in ${span(-passed)}`;
      const shown = time.closest(".at") ? new Date(time.dateTime).toTimeString().slice(0, 8) : ago;
      if (time.textContent !== shown) time.textContent = shown;
    }
  };
  const here = document.querySelector(".bar [aria-current]");
  if (here) here.scrollIntoView({ block: "nearest", inline: "center" });
  times(document);
  setInterval(() => times(document), 5000);

  // The newest line of a conversation is in sight, unless somebody has scrolled up.
  const talk = () => document.querySelector(".talk");
  let atEnd = true;
  const toEnd = () => { const list = talk(); if (list && atEnd) list.scrollTop = list.scrollHeight; };
  document.addEventListener("scroll", (event) => {
    if (event.target === talk()) atEnd = talk().scrollHeight - talk().scrollTop - talk().clientHeight < 40;
  }, true);
  toEnd();

  document.addEventListener("htmx:after:swap", () => { times(document); toEnd(); });

  const state = document.getElementById("link-state");
  const say = (text) => { if (state && state.textContent !== text) state.textContent = text; };
  document.addEventListener("htmx:sse:after:connection", () => say(""));
  document.addEventListener("htmx:sse:error", (event) => {
    if (event.detail && event.detail.status === 401) location.assign("/login");
    say("not connected: trying again");
  });

  document.addEventListener("htmx:after:request", (event) => {
    const form = event.target.closest && event.target.closest("form.say, .press form, form.press");
    const response = event.detail.ctx && event.detail.ctx.response;
    if (!form || !response) return;
    if (response.status < 400) {
      const text = form.querySelector("textarea");
      if (text) text.value = text.defaultValue;
      const folded = form.closest("details.press");
      if (folded) folded.open = false;
      const key = form.querySelector("[name=key]");
      if (form.matches(".say") && key) key.value = crypto.randomUUID();
    }
  });

  // Keys
  const to = { b: "/", n: "/needs-you", d: "/deliveries", s: "/sla", l: "/learnings", r: "/repositories", c: "/costs", h: "/status" };
  let going = 0;
  const stops = () => [...document.querySelectorAll(".board .title, .story > li > details > summary, .story > li > .at, .list .title")]
    .filter((one) => one.offsetParent !== null && !(one.matches(".at") && one.parentElement.querySelector(":scope > details")));
  const step = (by) => {
    const all = stops();
    if (!all.length) return;
    const here = all.indexOf(document.activeElement);
    const next = all[Math.min(all.length - 1, Math.max(0, here < 0 ? (by > 0 ? 0 : all.length - 1) : here + by))];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (going && Date.now() - going < 3000 && to[event.key]) { location.assign(to[event.key]); return; }
    going = 0;
    const focus = (selector) => { const found = document.querySelector(selector); if (found) { found.focus(); event.preventDefault(); } };
    switch (event.key) {
      case "g": going = Date.now(); break;
      case "j": step(1); break;
      case "k": step(-1); break;
      case "/": if (document.querySelector("#search")) focus("#search"); else location.assign("/"); break;
      case "c": focus("#say"); break;
      case "u": if (document.querySelector(".case")) location.assign("/"); break;
      case "?": document.getElementById("keys").showModal(); break;
    }
  });
})();
