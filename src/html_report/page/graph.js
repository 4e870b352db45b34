// Roles, layers, contexts, and references between them.

// Maximum nodes of a column; others are counted, and found by the search box.
const COLUMN = 60;
const FOUND = 12;

function graphModel() {
  const nodes = data.graph.nodes.map((node, at) => ({ ...node, label: node.label || node.id, at }));
  const edges = data.graph.edges.map(([from, to, kind, terms, place]) =>
    ({ from: nodes[from], to: nodes[to], kind: data.graph.kinds[kind], terms: terms || [], place }));
  const ins = new Map(nodes.map((node) => [node, []]));
  const outs = new Map(nodes.map((node) => [node, []]));
  for (const edge of edges) {
    ins.get(edge.to).push(edge);
    outs.get(edge.from).push(edge);
  }
  const states = new Map(explain ? explain.candidates.map((one) => [one.id, one.state]) : []);
  return { nodes, edges, ins, outs, states, byId: new Map(nodes.map((node) => [node.id, node])) };
}

function edgeText(edge) {
  return edge.terms.length > 0 ? `${edge.kind}: ${edge.terms.join(", ")}` : edge.kind;
}

const GROUPINGS = {
  category: (node) => node.category || node.kind,
  role: (node) => (node.id.startsWith("@role:") ? node.id.slice(6).split("/")[0] : "every role"),
  layer: (node) => layerName(node.layer),
  nothing: null,
};
// Longer columns are folded into groups.
const FOLDED = 40;

// Open groups keep their head, so that they can be folded again.
function foldColumn(column, grouping, open) {
  if (!grouping || column.length <= FOLDED) return column.slice(0, COLUMN);
  const groups = new Map();
  for (const node of column) {
    const name = grouping(node);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(node);
  }
  return [...groups].flatMap(([name, members]) => {
    if (members.length === 1) return members;
    const isOpen = open.has(name);
    const head = { id: "group:" + name, kind: "group", label: `${isOpen ? "▾" : "▸"} ${name} (${number(members.length)})`,
      group: name, isOpen, layer: null, path: "", members };
    return isOpen ? [head, ...members.slice(0, COLUMN)] : [head];
  });
}

// Groups stand for their folded nodes. Draws one edge per kind.
function foldEdges(edges, columns) {
  const drawn = new Map();
  for (const node of columns.flat()) if (node.kind === "group") for (const member of node.members) drawn.set(member, node);
  for (const node of columns.flat()) drawn.set(node, node);
  const folded = new Map();
  for (const edge of edges) {
    const [from, to] = [drawn.get(edge.from), drawn.get(edge.to)];
    if (!from || !to || from === to) continue;
    const key = `${from.id} ${to.id} ${edge.kind}`;
    if (!folded.has(key)) folded.set(key, from === edge.from && to === edge.to ? edge : { from, to, kind: edge.kind, terms: [] });
  }
  return [...folded.values()];
}

// Selected contexts and their neighbours, or all contexts in groups. Layers only with the contexts
// that they change: they would have an edge to each context that they define.
function overview(model, grouping, open) {
  const is = (...kinds) => (node) => kinds.includes(node.kind);
  const steps = Object.keys(LAYERS);
  const byStep = (a, b) => steps.indexOf(a.layer) - steps.indexOf(b.layer) || a.at - b.at;
  const named = (edge) => edge.kind !== "defines" && edge.kind !== "layer";
  const edges = model.edges.filter(named);
  let main = model.nodes.filter((node) => model.states.get(node.id) === "selected");
  const near = new Set();
  if (main.length === 0) {
    main = model.nodes.filter(is("context", "file"));
  } else {
    const inside = new Set(main);
    for (const other of edges.filter((edge) => inside.has(edge.from) || inside.has(edge.to)).flatMap((edge) => [edge.from, edge.to])) {
      if (!inside.has(other) && ["context", "file"].includes(other.kind)) near.add(other);
    }
  }
  const changing = new Set(edges.map((edge) => edge.from));
  const columns = [
    model.nodes.filter(is("role", "task", "flow")),
    model.nodes.filter((node) => node.kind === "layer" && changing.has(node)).sort(byStep),
    main, [...near].sort((a, b) => a.at - b.at),
  ].map((column) => foldColumn(column, grouping, open)).filter((column) => column.length > 0);
  const shown = new Set(columns.flat());
  const held = columns.flat().filter((node) => node.kind === "group" && !node.isOpen).flatMap((node) => node.members);
  const left = model.nodes.filter((node) => !shown.has(node)).length - held.filter((node) => !shown.has(node)).length;
  return { columns, edges: foldEdges(edges, columns), left, keep: [0, 1, ...(grouping ? [2, 3] : [])] };
}

// A node between those that refer to it and those that it refers to.
function around(model, node) {
  const side = (edges, end) => [...new Set(edges.map((edge) => edge[end]))];
  const left = side(model.ins.get(node), "from");
  const right = side(model.outs.get(node), "to").filter((other) => !left.includes(other));
  const columns = [left.slice(0, COLUMN), [node], right.slice(0, COLUMN)];
  const shown = new Set(columns.flat());
  const edges = [...model.ins.get(node), ...model.outs.get(node)].filter((edge) => shown.has(edge.from) && shown.has(edge.to));
  return { columns, edges, left: left.length + right.length + 1 - shown.size, keep: [0, 1, 2], focus: node };
}

function graphPart() {
  const model = graphModel();
  const canvas = h("div", { class: "canvas", tabindex: 0, role: "region", "aria-label": "The graph; scrolls" });
  const detail = h("div", { class: "detail" });
  const note = h("p", { class: "status", role: "status" });
  const results = h("ul", { class: "results" });
  const search = h("input", { type: "search", id: "graph-search", autocomplete: "off", spellcheck: "false",
    input: () => find(search.value), keydown: (event) => {
      const first = results.querySelector("button");
      if (event.key === "Enter" && first) first.click();
    } });
  const back = h("button", { type: "button", class: "small", hidden: true, click: () => home(true) }, "← Overview");
  let drawn = null;
  const state = { grouping: "category", open: new Set() };
  const groups = h("select", { id: "graph-groups", change: () => {
    state.grouping = groups.value;
    state.open.clear();
    home(false);
  } }, Object.keys(GROUPINGS).map((name) => h("option", { value: name }, name)));

  // Keeps the focus on the group.
  function fold(node) {
    if (!state.open.delete(node.group)) state.open.add(node.group);
    home(false);
    const head = [...drawn].find(([other]) => other.id === node.id);
    if (head) head[1].focus({ preventScroll: true });
  }

  function find(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (node) => words.every((word) => (node.label + " " + node.id).toLowerCase().includes(word));
    const found = words.length > 0 ? model.nodes.filter(fits) : [];
    results.replaceChildren(...found.slice(0, FOUND).map((node) => h("li", {},
      h("button", { type: "button", class: "small", click: () => open(node, true) }, `${node.label} (${node.kind})`))));
    if (found.length > FOUND) results.append(h("li", { class: "quiet" }, `${number(found.length - FOUND)} more`));
    if (words.length > 0 && found.length === 0) results.append(h("li", { class: "quiet" }, "no node matches"));
  }

  function home(focus) {
    const view = overview(model, GROUPINGS[state.grouping], state.open);
    back.hidden = true;
    note.textContent = `${number(model.nodes.length)} nodes and ${number(model.edges.length)} edges. `
      + (explain ? "Shown are the selected contexts with their neighbours" : "Shown are the contexts")
      + (view.left > 0 ? `; ${number(view.left)} more are found by name.` : ".");
    detail.replaceChildren("Click a node, or press Enter, to see its neighbours; a group, to see its members.");
    draw(view);
    if (focus) canvas.focus();
  }

  function open(node, focus) {
    const view = around(model, node);
    back.hidden = false;
    note.textContent = `Left: nodes that refer to ${node.label}. Right: nodes that it refers to`
      + (view.left > 0 ? `; ${number(view.left)} more are not drawn.` : ".");
    draw(view);
    tell(node);
    const element = drawn.get(node);
    canvas.scrollLeft = Math.max(0, (canvas.scrollWidth - canvas.clientWidth) / 2);
    canvas.scrollTop = Math.max(0, (canvas.scrollHeight - canvas.clientHeight) / 2);
    if (focus) element.focus({ preventScroll: true });
  }

  function tell(node) {
    const state = model.states.get(node.id) || (node.left_out ? "left out: " + node.left_out : null);
    const rows = [...model.ins.get(node).map((edge) => ["from", edge.from, edge]), ...model.outs.get(node).map((edge) => ["to", edge.to, edge])];
    const shown = rows.slice(0, 200);
    detail.replaceChildren(h("p", {}, h("strong", {}, node.label), ` ${node.kind}`, state ? `, ${state}. ` : ". ",
      h("span", { class: "place" }, node.path), " ", node.description || "", " ", ways(node.id, "graph")),
    h("div", { class: "scroll" }, h("table", { class: "plain small" }, h("caption", { class: "unseen" }, `Edges of ${node.label}`),
      h("thead", {}, h("tr", {}, ["", "Node", "Relation", "Declared at"].map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, shown.map(([way, other, edge]) => h("tr", {}, h("td", {}, way),
        h("th", { scope: "row" }, h("button", { type: "button", class: "link", click: () => open(other, true) }, other.label)),
        h("td", {}, edgeText(edge)), h("td", { class: "place" }, edge.place || "")))))),
    rows.length > shown.length ? h("p", { class: "quiet" }, `${number(rows.length - shown.length)} more`) : "");
  }

  function draw(view) {
    const { places, width, height } = layout(view.columns, view.edges, view.keep);
    const picture = svg("svg", { viewBox: `-8 -8 ${width + 96} ${height + 16}`, width: width + 104, height: height + 16,
      role: "group", "aria-label": "Nodes of the graph" });
    const lines = new Map();
    for (const edge of view.edges) {
      const line = svg("path", { d: path(places.get(edge.from), places.get(edge.to)), class: "edge kind-" + edge.kind },
        svg("title", {}, `${edge.from.label} → ${edge.to.label}: ${edgeText(edge)}`));
      picture.append(line);
      for (const end of [edge.from, edge.to]) lines.set(end, [...(lines.get(end) || []), line]);
    }
    drawn = new Map();
    for (const [node, place] of places) {
      const element = drawNode(node, place, view);
      const light = (on) => { for (const line of lines.get(node) || []) line.classList.toggle("lit", on); };
      element.addEventListener("focus", () => light(true));
      element.addEventListener("blur", () => light(false));
      element.addEventListener("mouseenter", () => light(true));
      element.addEventListener("mouseleave", () => light(false));
      drawn.set(node, element);
      picture.append(element);
    }
    canvas.replaceChildren(picture);
  }

  function drawNode(node, place, view) {
    const between = view.focus && view.focus !== node
      ? view.edges.filter((edge) => edge.from === node || edge.to === node).map(edgeText).join("; ")
      : node.kind === "group" ? (node.isOpen ? "fold" : "unfold")
      : node.kind === "context" ? model.states.get(node.id) || node.left_out || node.kind : node.kind;
    const layer = layerName(node.layer);
    const isGroup = node.kind === "group";
    const go = () => (isGroup ? fold(node) : open(node, true));
    return svg("g", { class: `node layer-${layer} kind-${node.kind}${view.focus === node ? " focus" : ""}`, tabindex: 0, role: "button", "aria-expanded": isGroup ? String(node.isOpen) : null,
      transform: `translate(${place.x} ${place.y})`, "aria-label": `${node.label}, ${between}`, "data-id": node.id, click: go,
      keydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(); } } },
    svg("title", {}, `${node.label}\n${between}\n${node.path}`),
    svg("rect", { width: CELL.width, height: CELL.height, rx: node.kind === "context" || node.kind === "file" ? 4 : 16 }),
    svg("text", { class: "code", x: 10, y: 23 }, node.layer ? LAYERS[node.layer] : ""),
    svg("text", { class: "name", x: 36, y: 16 }, clip(node.label, 24)),
    svg("text", { class: "size", x: 36, y: 29 }, clip(between, 31)));
  }

  show.graph = { has: (id) => model.byId.has(id), open: (id) => { go("graph"); open(model.byId.get(id), true); } };
  const part = section("graph", "Graph",
    "Roles, layers and contexts, and their references. Solid lines define, bold ones overlay, dashed ones relate or link.",
    h("div", { class: "controls" }, h("label", {}, h("span", {}, "Find a node"), search), h("label", {}, h("span", {}, "Group by"), groups), back), results, note, canvas, detail);
  home(false);
  if (data.focus && model.byId.has(data.focus)) open(model.byId.get(data.focus), false);
  return part;
}

function clip(text, most) {
  const letters = [...text];
  return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : text;
}
