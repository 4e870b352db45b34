// Shown lines of a block at first.
const LINES = 2000;

// The bundle with layer and place of each line.
function textPart() {
  const blocks = [];
  for (const line of lines) {
    const last = blocks[blocks.length - 1];
    const same = last && last.part === line.part && last.context === line.context;
    if (same) last.lines.push(line);
    else blocks.push({ part: line.part, context: line.context, lines: [line] });
  }
  const first = new Map();
  const drawn = blocks.map((block, at) => {
    const name = block.context || block.part;
    const numbers = `${block.lines[0].line}–${block.lines[block.lines.length - 1].line}`;
    const element = h("div", { class: "block", id: "block-" + at, tabindex: -1 },
      h("h3", {}, name, h("span", { class: "numbers" }, "lines " + numbers), block.context ? ways(block.context, "text") : null),
      drawLines(block.lines));
    element.style.containIntrinsicSize = `auto ${block.lines.length * 20 + 44}px`;
    if (block.context && !first.has(block.context)) first.set(block.context, element);
    return element;
  });
  const body = h("div", { class: "bundle" }, drawn);
  const places = h("input", { type: "checkbox", id: "places", checked: !isNarrow(),
    change: () => body.classList.toggle("bare", !places.checked) });
  body.classList.toggle("bare", isNarrow());
  show.text = { has: (id) => first.has(id), open: (id) => { const one = first.get(id); one.scrollIntoView(); one.focus(); } };
  const part = section("text", "Text",
    "The assembled bundle. Each line has its number, its layer and its source file and line; lines that faber adds have none.",
    legend(), h("div", { class: "controls" }, h("label", { class: "check" }, places, h("span", {}, "Source lines"))), body);
  return { part, mark };
}

function drawLines(lines) {
  const element = h("div", { class: "lines" });
  let shown = 0;
  const more = h("button", { type: "button", class: "small", click: draw });
  function draw() {
    const next = lines.slice(shown, shown + LINES);
    next.forEach((line, at) => more.before(drawLine(line, lines[shown + at - 1])));
    shown += next.length;
    more.textContent = `${number(lines.length - shown)} more lines of this`;
    more.hidden = shown === lines.length;
  }
  element.append(more);
  draw();
  return element;
}

function drawLine(line, before) {
  const origin = line.origin;
  const place = origin ? `${origin.path}:${origin.line}` : "";
  const follows = origin && before && before.origin && before.origin.path === origin.path;
  const shown = origin ? (follows ? ":" + origin.line : origin.path.split("/").pop() + ":" + origin.line) : "faber";
  const layer = origin ? origin.layer : null;
  return h("div", { class: `line layer-${layerName(layer)}`, "data-line": line.line },
    h("span", { class: "n" }, line.line), h("span", { class: "code", title: layerName(layer) }, layer ? LAYERS[layer] : "··"),
    h("span", { class: "at", title: place || "from faber or from the request" }, shown),
    h("span", { class: "says" }, line.text || "\u00a0"));
}

function isNarrow() {
  return matchMedia("(max-width: 640px)").matches;
}

// Marks the requested lines.
function mark() {
  if (!data.range) return;
  const [from, to] = data.range;
  const drawn = [...document.querySelectorAll("#text .line")];
  const wanted = drawn.filter((line) => Number(line.dataset.line) >= from && Number(line.dataset.line) <= to);
  for (const line of wanted) line.classList.add("marked");
  if (wanted.length > 0) wanted[0].scrollIntoView({ block: "center" });
}
