// Elements, numbers and names for all parts of the page.
const data = JSON.parse(document.getElementById("data").textContent);
const explain = data.explain;
// Lines refer to files and contexts by index.
const lines = (data.lines ? data.lines.lines : []).map(([text, part, context, file, line], at) => ({
  line: at + 1, text, part: data.lines.parts[part],
  context: context === null ? null : data.lines.contexts[context],
  origin: file === null ? null : { path: data.lines.files[file][0], layer: data.lines.files[file][1], line },
}));

// For readers who cannot tell the colours apart.
const LAYERS = {
  project: "PR", role: "RO", organization: "OR", platform: "PL", "role-overlay": "RL",
  team: "TE", workflow: "WF", user: "US", custom: "CU",
};
const SVG = "http://www.w3.org/2000/svg";

// Functions become listeners, texts become text nodes.
function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  // One by one: a call cannot have an argument per line of a long text.
  for (const child of children.flat()) if (child !== null && child !== undefined) element.append(child);
  return element;
}

function number(value) {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

function tokens(value) {
  return number(value) + (value === 1 ? " token" : " tokens");
}

function layerName(layer) {
  return layer || "faber";
}

function badge(layer) {
  const name = layerName(layer);
  return h("span", { class: "badge layer-" + name, title: name }, LAYERS[name] || "··");
}

function legend() {
  const shown = new Set();
  for (const one of explain.candidates) if (one.layer) shown.add(one.layer);
  for (const line of lines) if (line.origin) shown.add(line.origin.layer);
  const rows = Object.keys(LAYERS).filter((layer) => shown.has(layer));
  return h("ul", { class: "legend", "aria-label": "Layers, lowest first" },
    rows.map((layer) => h("li", {}, badge(layer), " ", layer)));
}

function section(id, title, lead, ...children) {
  return h("section", { id, "aria-labelledby": id + "-title" },
    h("h2", { id: id + "-title" }, title),
    lead && h("p", { class: "lead" }, lead), children);
}

function reasonText(reason) {
  if (!reason.keyword) return reason.kind + (reason.detail ? ": " + reason.detail : "");
  return `${reason.kind} ${reason.keyword} ${reason.start}–${reason.end}, declared at ${reason.declared_at}`;
}

// Each kind once, with all matches.
function reasonsShort(reasons) {
  const kinds = new Map();
  for (const reason of reasons) {
    const matches = kinds.get(reason.kind) || [];
    if (reason.keyword) matches.push("“" + reason.keyword + "”");
    kinds.set(reason.kind, matches);
  }
  return [...kinds].map(([kind, matches]) => (kind + " " + matches.join(", ")).trim()).join("; ");
}

// Lowest first.
function layersOf(candidate) {
  return [...new Set(candidate.sources.map((source) => source.layer))];
}

// Each part of the page registers how it shows a context.
const show = { table: null, text: null, graph: null };

function go(id) {
  const part = document.getElementById(id);
  part.scrollIntoView();
}

// Buttons that show a context in other parts of the page.
function ways(id, except) {
  const names = { table: "In the table", text: "In the text", graph: "In the graph" };
  const able = Object.keys(names).filter((part) => part !== except && show[part] && show[part].has(id));
  return h("span", { class: "ways" }, able.map((part) =>
    h("button", { type: "button", class: "small", click: () => show[part].open(id) }, names[part])));
}
