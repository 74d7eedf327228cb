// Shows changes without a reload: when the server says that something changed, the part #live is fetched again.
// Forms below it stay as they are, so nothing that is typed gets lost.
"use strict";

// Whoever is chosen in the header comes back to the page where they were.
for (const form of document.querySelectorAll('form[action="/page/person"]')) {
  form.action = "/page/person?back=" + encodeURIComponent(location.pathname);
}

let busy = false;
let again = false;

async function refresh() {
  if (busy) { again = true; return; }
  busy = true;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (answer.ok) { replace(new DOMParser().parseFromString(await answer.text(), "text/html")); }
  } finally {
    busy = false;
    if (again) { again = false; setTimeout(refresh, 300); }
  }
}

function replace(page) {
  const now = document.getElementById("live");
  const then = page.getElementById("live");
  const typing = now.contains(document.activeElement) && document.activeElement.value;
  if (then && !typing && now.innerHTML !== then.innerHTML) { now.replaceChildren(...then.childNodes); }
}

const changes = new EventSource("/page/changes");
changes.onmessage = refresh;
changes.onopen = refresh; // after a lost connection something may have been missed
