// Renews the strip of the present; without this it shows the state at the loading of the page.
"use strict";
(() => {
  const EVERY_MS = 10000;
  // Buildbot's pages were at the root once: old mails and bookmarks have "#/builders/1" there.
  const buildbot = document.getElementById("buildbot");
  if (location.hash.startsWith("#/")) location.replace(buildbot.href + location.hash);

  async function renew(strip) {
    if (document.hidden) return;
    let text = ""; // of an unknown present
    try {
      const answer = await fetch(strip.dataset.from, { credentials: "same-origin" });
      if (answer.ok) text = (await answer.text()).trim();
    } catch {
      // The master restarts, or the network is away.
    }
    // A reader may be on a link in it: change only what is different.
    if (text !== strip.dataset.shown && !strip.contains(document.activeElement)) {
      strip.innerHTML = text;
      strip.dataset.shown = text;
    }
  }
  for (const strip of document.querySelectorAll("[data-from]")) {
    setInterval(renew, EVERY_MS, strip);
    // A master that was not asked for a while takes a moment.
    if (!strip.textContent.trim()) setTimeout(renew, 1000, strip);
  }
})();
