// One slide at a time, by keyboard, button and address; where scripts are off, all slides stand
// below each other. All ways to a slide go through location.hash, so the browser's Back works, too.
(() => {
  "use strict";
  const slides = [...document.querySelectorAll(".slide")];
  let now = 0;

  const go = (index) => {
    location.hash = slides[Math.max(0, Math.min(slides.length - 1, index))].id;
  };

  // What a slide hides, one thing at a time: the figures that one should guess first, which belong
  // together, or an answer, which is folded. False if nothing is hidden any more.
  const reveal = () => {
    const hidden = [...slides[now].querySelectorAll(".later:not(.shown, [open])")];
    const next = hidden[0]?.matches("details") ? hidden.slice(0, 1) : hidden;
    for (const node of next) node.classList.toggle("shown", node.open = true);
    return next.length > 0;
  };

  // A round on or back of a step that is played (player.js); false if there is none.
  const play = (direction) => !slides[now].dispatchEvent(
      new CustomEvent("play", { detail: direction, cancelable: true }));

  // What has no room on a slide, 20 of 22 lines on or back; false if that is all of it.
  const scroll = (direction) => {
    const box = slides[now].querySelector(".scroll"), before = box?.scrollTop;
    box?.scrollBy(0, direction * box.clientHeight * 20 / 22);
    return box?.scrollTop !== before;
  };
  const onwards = () => scroll(1) || reveal() || play(1) || go(now + 1);
  const back = () => scroll(-1) || play(-1) || go(now - 1);

  // The slide of the address; the bar of contents follows.
  const show = () => {
    now = Math.max(0, slides.findIndex((slide) => "#" + slide.id === location.hash));
    slides.forEach((slide, i) => slide.classList.toggle("current", i === now));
    document.getElementById("position").textContent = `${now + 1} / ${slides.length}`;
    document.title = slides[now].getAttribute("aria-label");
    for (const link of document.querySelectorAll("#contents a")) {
      link.setAttribute("aria-current", link.dataset.part === slides[now].dataset.part);
    }
    slides[now].focus({ preventScroll: true }); // a screen reader begins to read here
  };

  const keys = {
    ArrowRight: onwards, PageDown: onwards, " ": onwards, ArrowLeft: back, PageUp: back,
    Backspace: () => go(now - 1), Home: () => go(0), End: () => go(slides.length - 1),
  };

  // A digit leads to a step, a letter to that view of this one, by the links that there are.
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    const pressed = key === " " && target.closest("button, summary");
    if (event.ctrlKey || event.altKey || event.metaKey || pressed) return;
    if (keys[key]) {
      event.preventDefault();
      keys[key]();
    } else if (/^\d$/.test(key)) {
      document.querySelector(`#contents [data-part="0${key}"]`)?.click();
    } else if (/^[a-z]$/.test(key)) {
      slides[now].querySelector(`.views [data-view^="${key}"]`)?.click();
    }
  });
  document.getElementById("back").addEventListener("click", back);
  document.getElementById("next").addEventListener("click", onwards);

  document.documentElement.classList.add("script");
  addEventListener("hashchange", show);
  show();
})();
