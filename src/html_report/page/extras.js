// Findings, what-if, and nodes.
function findings() {
  const rows = explain.findings.map((one) => ({ ...one, id: `${one.path}:${one.line}:${one.column}` }));
  if (rows.length === 0) return null;
  const table = sortable({
    id: "findings-table", caption: "Findings", rows,
    columns: [
      { title: "Place", value: (row) => row.id, cell: (row) => row.id, class: "place" },
      { title: "Severity", value: (row) => row.severity, cell: (row) => row.severity },
      { title: "Rule", value: (row) => row.rule, cell: (row) => row.rule },
      { title: "Message", value: (row) => row.message, cell: (row) => row.message, class: "why" },
    ],
    filters: [{ title: "Severity", values: (row) => [row.severity] }, { title: "Rule", values: (row) => [row.rule] }],
    text: (row) => [row.id, row.rule, row.message].join(" "),
  });
  return section("findings", "Findings", null,
    h("details", {}, h("summary", {}, `Findings of the workspace: ${number(rows.length)}`), table.element));
}

function whatIf() {
  const compared = explain.what_if;
  if (!compared) return null;
  const side = (run) => `${run.platform ? "on " + run.platform + ", " : ""}${number(run.total_used)} of ${tokens(run.limit)}, worth ${run.utility}`;
  const words = (one) => (one ? `${one.verdict} (${tokens(one.tokens)})` : "does not exist");
  return section("what-if", "What if " + compared.asked.join(", "),
    `Before: ${side(compared.before)}. After: ${side(compared.after)}. ${number(compared.unchanged)} contexts unchanged.`,
    h("div", { class: "scroll" }, h("table", { class: "rows" }, h("caption", { class: "unseen" }, "What would change"),
      h("thead", {}, h("tr", {}, ["Context", "Change", "Before", "After"].map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, compared.changes.map((one) => h("tr", {}, h("th", { scope: "row" }, one.id), h("td", {}, one.change),
        h("td", { class: "why" }, words(one.before)), h("td", { class: "why" }, words(one.after))))))));
}

// For a graph without an assembly.
function nodesTable() {
  const degrees = new Map();
  for (const [from, to] of data.graph.edges) for (const at of [from, to]) degrees.set(at, (degrees.get(at) || 0) + 1);
  const rows = data.graph.nodes.map((node, at) => ({ ...node, edges: degrees.get(at) || 0 }));
  const table = sortable({
    id: "nodes-table", caption: "Every node", rows,
    columns: [
      { title: "Node", value: (row) => row.id, cell: (row) => h("button", { type: "button", class: "link", click: () => show.graph.open(row.id) }, row.id) },
      { title: "Kind", value: (row) => row.kind, cell: (row) => row.kind },
      { title: "Layer", value: (row) => row.layer || null, cell: (row) => (row.layer ? [badge(row.layer), " ", row.layer] : "") },
      { title: "Edges", figure: true, value: (row) => row.edges, cell: (row) => number(row.edges) },
      { title: "Path", value: (row) => row.path, cell: (row) => row.path, class: "place" },
    ],
    filters: [
      { title: "Kind", values: (row) => [row.kind] },
      { title: "Layer", values: (row) => (row.layer ? [row.layer] : []) },
    ],
    text: (row) => `${row.id} ${row.label || ""} ${row.path} ${row.description || ""}`,
  });
  return section("nodes", "Nodes", null, table.element);
}
