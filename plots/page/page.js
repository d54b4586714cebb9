// One slide at a time, by keyboard, button and address; where scripts are off, all slides stand
// below each other. All ways to a slide go through location.hash, so the browser's Back works, too.
(() => {
  "use strict";
  const slides = [...document.querySelectorAll(".slide")];
  let now = 0, playing = false;

  const go = (index) => {
    location.hash = slides[Math.max(0, Math.min(slides.length - 1, index))].id;
  };

  // The next answer, which is folded. False if there is none any more.
  const reveal = () => {
    const next = slides[now].querySelector(".later:not([open])");
    return next ? next.open = true : false;
  };

  // Of a step that plays (player.js) an event on or back; 0: it begins anew. False if there is none,
  // or if nobody has asked for it: whoever only turns the slides passes it by.
  const play = (direction) => (playing || !direction) && !slides[now].dispatchEvent(
      new CustomEvent("play", { detail: direction, cancelable: true }));
  const enter = () => {
    if (!slides[now].matches(".step")) return;
    if (playing) go(now + 1);
    playing = !playing;
    slides[now].classList.toggle("playing", playing);
    play(1);
  };

  // What has no room on a slide, 20 of 22 lines on or back; false if that is all of it.
  const scroll = (direction) => {
    const box = slides[now].querySelector(".scroll"), before = box?.scrollTop;
    box?.scrollBy(0, direction * box.clientHeight * 20 / 22);
    sign(box);
    return box?.scrollTop !== before;
  };
  const sign = (box) => {
    const more = box && box.scrollTop + box.clientHeight < box.scrollHeight - 2;
    box?.classList.toggle("more", more);
    document.getElementById("more").hidden = !more;
  };
  const onwards = () => scroll(1) || reveal() || play(1) || go(now + 1);
  const back = () => scroll(-1) || play(-1) || go(now - 1);

  // The slide of the address; the bar of contents follows.
  const show = () => {
    play(0);
    playing = false;
    now = Math.max(0, slides.findIndex((slide) => "#" + slide.id === location.hash));
    slides.forEach((slide, i) => {
      slide.classList.toggle("current", i === now);
      slide.classList.remove("playing");
    });
    sign(slides[now].querySelector(".scroll"));
    document.getElementById("position").textContent = `${now + 1} / ${slides.length}`;
    document.title = slides[now].getAttribute("aria-label");
    for (const link of document.querySelectorAll("#contents a")) {
      link.setAttribute("aria-current", link.dataset.part === slides[now].dataset.part);
    }
    slides[now].focus({ preventScroll: true }); // a screen reader begins to read here
  };

  const keys = {
    ArrowRight: onwards, PageDown: onwards, " ": onwards, ArrowLeft: back, PageUp: back,
    // Enter, and what a clicker sends to make the screen black; Escape leaves
    Enter: enter, b: enter, ".": enter, Escape: () => playing && enter(),
    Backspace: () => go(now - 1), Home: () => go(0), End: () => go(slides.length - 1),
  };

  // A digit leads to a step, a letter to that view of this one, by the links that there are.
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    const pressed = [" ", "Enter"].includes(key) && target.closest("a, button, summary");
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
  document.querySelectorAll(".play").forEach((button) => button.addEventListener("click", enter));
  document.getElementById("back").addEventListener("click", back);
  document.getElementById("next").addEventListener("click", onwards);

  document.documentElement.classList.add("script");
  addEventListener("hashchange", show);
  show();
})();
