// What can be wrong with a page, each as a function that returns what it finds.
// The file is an expression: an object of these functions.
({
  // unseen finds what should be seen but has no size, no place on the page or no ink.
  unseen() {
    const seen = "h1, h2, h3, p, li, dt, dd, caption, table, th, td, figcaption, svg, pre, summary";
    return [...document.querySelectorAll(seen)].filter(e => {
      const box = e.getBoundingClientRect();
      if (matchMedia("print").matches && e.closest("nav")) return false; // leads nowhere on paper
      const empty = e.matches("th, td, dd") && e.textContent === "";
      return !e.checkVisibility({opacityProperty: true, visibilityProperty: true}) || box.right + scrollX <= 0 || !empty && (box.width < 1 || box.height < 1);
    }).map(e => "not seen: " + name(e));
    function name(e) { return e.localName + " " + e.textContent.slice(0, 60); }
  },

  // parts counts the tables and plots of each section.
  parts() {
    return [...document.querySelectorAll("section")].map(s => ({
      id: s.querySelector("h2")?.id ?? "", title: s.querySelector("h2")?.textContent ?? "",
      tables: s.querySelectorAll("table").length, plots: s.querySelectorAll("svg").length,
    }));
  },

  // overflow finds what makes the page wider than its window.
  overflow() {
    const root = document.scrollingElement, width = root.clientWidth;
    if (root.scrollWidth <= width && document.body.scrollWidth <= width) return [];
    const wide = [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > width + 0.5);
    return [`${root.scrollWidth} wide in a window of ${width}: ` + wide.slice(0, 5).map(e => `${e.localName}.${e.getAttribute("class")} "${e.textContent.slice(0, 40)}"`).join(", ")];
  },

  // cut finds text of plots that leaves its plot, and text that stands on other text.
  cut() {
    const found = [];
    for (const svg of document.querySelectorAll("svg")) {
      const frame = svg.viewBox.baseVal, boxes = [];
      for (const text of svg.querySelectorAll("text")) {
        const b = text.getBBox();
        if (b.width === 0) continue;
        if (b.x < frame.x - 1 || b.y < frame.y - 1 || b.x + b.width > frame.x + frame.width + 1 || b.y + b.height > frame.y + frame.height + 1)
          found.push(`cut off: "${text.textContent}" in ${svg.getAttribute("aria-label").slice(0, 60)}`);
        for (const [other, o] of boxes)
          if (Math.min(b.x + b.width, o.x + o.width) - Math.max(b.x, o.x) > 2 && Math.min(b.y + b.height, o.y + o.height) - Math.max(b.y, o.y) > 5)
            found.push(`"${text.textContent}" on "${other}" in ${svg.getAttribute("aria-label").slice(0, 60)}`);
        boxes.push([text.textContent, b]);
      }
    }
    return found;
  },

  // clipped finds plots of which a part lies beyond what scrolls them, and verdicts
  // and grades that a window of this width does not show.
  clipped() {
    const found = [];
    for (const svg of document.querySelectorAll("svg")) {
      const box = svg.closest(".scroll") ?? document.body;
      if (box.scrollWidth > box.clientWidth + 1) found.push(`${box.scrollWidth} wide in ${box.clientWidth}: ${svg.getAttribute("aria-label").slice(0, 60)}`);
    }
    for (const head of document.querySelectorAll("th"))
      if (/^(verdict|grade)$/.test(head.textContent) && head.cellIndex !== 1 && head.getBoundingClientRect().right > document.scrollingElement.clientWidth)
        found.push(`${head.textContent} out of view: ${head.closest("table").caption.textContent.slice(0, 60)}`);
    return found;
  },

  // active finds what runs, loads or leads out of the page.
  active() {
    const found = [...document.querySelectorAll("script, iframe, object, embed, link, base, form, input, img, image, picture, video, audio, source, canvas, template, foreignObject, animate, set, use, body style, meta[http-equiv=refresh]")]
      .map(e => "element " + e.localName);
    for (const e of document.querySelectorAll("*"))
      for (const a of e.attributes)
        if (/^on/i.test(a.name) || /^(src|srcset|style|action|formaction|data|poster|ping|xlink:href)$/i.test(a.name) || a.name === "href" && !document.getElementById(a.value.slice(1)))
          found.push(`attribute ${a.name} of ${e.localName}: ${a.value.slice(0, 60)}`);
    return found;
  },

  // unfold opens every part that is folded away.
  unfold() {
    const folded = document.querySelectorAll("details:not([open])");
    folded.forEach(d => d.open = true);
    return [];
  },

  // text is what the page says.
  text() { return [document.body.textContent, document.title]; },
})
