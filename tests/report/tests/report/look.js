// What is to be seen of the page: places in pixels, colours as the browser has computed them.
(() => {
  const all = (root, selector) => [...root.querySelectorAll(selector)];
  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const ticks = (figure, axis, side) => all(figure, `.axis.${axis} .tick`).map((tick) =>
    [Number(tick.dataset.value), middle(tick.querySelector("path"))[side]]);
  const series = (group) => ({
    peer: group.dataset.peer,
    colour: getComputedStyle(group).getPropertyValue("--c"),
    painted: getComputedStyle(group.querySelector(".mark, .bar")).fill,
    marks: all(group, ".mark").map(middle),
    whiskers: all(group, ".whisker").map((whisker) => {
      const box = whisker.getBoundingClientRect();
      return [box.left, box.right, box.top, box.bottom];
    }),
    bar: all(group, ".bar").map((bar) => {
      const box = bar.getBoundingClientRect();
      return [box.left, box.right];
    })[0] ?? null,
    line: all(group, ".line").map((line) => line.getTotalLength())[0] ?? null,
  });
  const figure = (figure) => {
    const svg = figure.querySelector(":scope > svg");
    const box = svg.getBoundingClientRect();
    const texts = all(svg, "text").map((text) => text.getBoundingClientRect());
    return {
      kind: figure.className,
      title: svg.querySelector("title").textContent,
      description: svg.querySelector("desc").textContent,
      role: svg.getAttribute("role"),
      labels: svg.getAttribute("aria-labelledby").split(" ")
        .map((id) => document.getElementById(id)?.textContent ?? null),
      section: figure.closest("section").querySelector("h2").textContent,
      x: ticks(figure, "x", 0),
      y: ticks(figure, "y", 1),
      series: all(svg, ".series").map(series),
      legend: all(figure, ".legend li").map((item) =>
        [item.textContent, item.querySelector(".mark").getAttribute("d")]),
      smallest_text: Math.min(...texts.map((text) => text.height)),
      cut_off: all(svg, "text").filter((text, index) =>
        texts[index].left < box.left - 1 || texts[index].right > box.right + 1)
        .map((text) => text.textContent),
    };
  };
  const page = document.documentElement;
  return {
    width: page.clientWidth,
    content: page.scrollWidth,
    language: page.lang,
    background: getComputedStyle(document.body).backgroundColor,
    ink: getComputedStyle(document.body).color,
    muted: getComputedStyle(document.querySelector(".meta")).color,
    scripts: document.scripts.length,
    headings: all(document, "h2").map((heading) => heading.textContent),
    strangers: all(document, "img, script, iframe, object, embed, video, audio").length,
    boxes: all(document, ".scroll").map((box) => ({
      caption: box.querySelector("caption").textContent,
      columns: all(box, "thead th").map((heading) => heading.textContent),
      headed: all(box, "th").every((heading) => heading.scope),
      rows: all(box, "tbody tr").map((row) => [...row.cells].map((cell) => cell.textContent)),
      focusable: box.tabIndex === 0,
      right: box.getBoundingClientRect().right,
      shown: box.clientWidth,
      content: box.scrollWidth,
    })),
    figures: all(document, "figure").map(figure),
    text: document.body.textContent,
  };
})()
