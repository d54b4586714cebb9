// On a wide screen one slide at a time, by keyboard, button, swipe and address; on a narrow one,
// and where scripts are off, all slides stand below each other. The address keeps the place: all
// ways to a slide go through location.hash, so the browser's Back works, too.
(() => {
  "use strict";
  const slides = [...document.querySelectorAll(".slide")];
  const wide = matchMedia("screen and (min-width: 800px) and (min-height: 450px)");
  const position = document.getElementById("position");
  let now = 0;

  const go = (index) => {
    const last = slides.length - 1;
    location.hash = slides[Math.max(0, Math.min(last, index))].id;
  };

  // The slide of a step's view; its first one if the step lacks that view (step 00 has no diff).
  const find = (step, view) => {
    const own = slides.filter((slide) => slide.dataset.step === step);
    return slides.indexOf(own.find((slide) => slide.dataset.view === view) || own[0]);
  };

  const goTo = (step, view) => {
    const index = find(step, view);
    if (index !== -1) go(index);
  };

  // The same view of the next step, or of the one before; beyond the ladder, the next slide.
  const goAlong = (direction) => {
    const { step, view } = slides[now].dataset;
    const index = step ? find(String(Number(step) + direction).padStart(2, "0"), view) : -1;
    go(index !== -1 ? index : now + direction);
  };

  const show = () => {
    const index = slides.findIndex((slide) => "#" + slide.id === location.hash);
    now = Math.max(0, index);
    slides.forEach((slide, i) => slide.classList.toggle("current", i === now));
    position.textContent = `${now + 1} / ${slides.length}`;
    document.title = slides[now].getAttribute("aria-label");
    for (const link of document.querySelectorAll("#contents a")) {
      const here = link.hash === "#" + slides[now].dataset.part;
      if (here) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (wide.matches) {
      scrollTo(0, 0);
      slides[now].focus({ preventScroll: true }); // a screen reader begins to read here
    }
  };

  const keys = {
    ArrowRight: () => go(now + 1), PageDown: () => go(now + 1), " ": () => go(now + 1),
    ArrowLeft: () => go(now - 1), PageUp: () => go(now - 1), Backspace: () => go(now - 1),
    ArrowDown: () => goAlong(1), ArrowUp: () => goAlong(-1),
    Home: () => go(0), End: () => go(slides.length - 1),
  };
  for (const [key, view] of [["i", "idea"], ["d", "diff"], ["c", "counters"], ["p", "picture"]]) {
    keys[key] = () => slides[now].dataset.step && goTo(slides[now].dataset.step, view);
  }
  for (let digit = 0; digit !== 10; digit++) {
    keys[digit] = () => goTo("0" + digit, "idea");
  }

  // A picture that was shrunk to fit, as wide as the slide instead: then the slide scrolls.
  const zoom = () => slides[now].classList.contains("picture") &&
    slides[now].classList.toggle("zoomed");
  keys.z = zoom;

  document.addEventListener("keydown", (event) => {
    const pressed = event.key === " " && event.target.closest("button, a");
    if (!wide.matches || event.ctrlKey || event.altKey || event.metaKey || pressed) return;
    const act = event.key === " " && event.shiftKey ? keys.PageUp : keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
  document.getElementById("back").addEventListener("click", () => go(now - 1));
  document.getElementById("next").addEventListener("click", () => go(now + 1));

  document.addEventListener("click", (event) => {
    if (wide.matches && event.target.matches(".picture img")) zoom();
  });

  // A swipe is a fast move sideways of one finger.
  let start = null;
  document.addEventListener("touchstart", (event) => {
    const { clientX, clientY } = event.touches[0];
    start = event.touches.length === 1 ? { x: clientX, y: clientY, time: event.timeStamp } : null;
  }, { passive: true });
  document.addEventListener("touchend", (event) => {
    if (!start || !wide.matches) return;
    const { clientX, clientY } = event.changedTouches[0];
    const dx = clientX - start.x, dy = clientY - start.y;
    const far = Math.abs(dx) > 50, sideways = Math.abs(dx) > 2 * Math.abs(dy);
    if (far && sideways && event.timeStamp - start.time < 600) go(now - Math.sign(dx));
    start = null;
  });

  document.documentElement.classList.add("script");
  addEventListener("hashchange", show);
  wide.addEventListener("change", show);
  show();
})();
