// A row per candidate, which unfolds to its decision.
function candidates() {
  const columns = [
    { title: "Context", value: (row) => row.id, cell: (row) => row.id },
    { title: "State", value: (row) => row.state, cell: (row) => h("span", { class: "state " + row.state }, row.state) },
    { title: "Level", value: (row) => row.level, cell: (row) => row.level },
    { title: "Tokens", figure: true, value: (row) => row.tokens, cell: (row) => number(row.tokens) },
    { title: "Whole", figure: true, value: (row) => row.full_tokens,
      cell: (row) => (row.full_tokens === null ? "" : (row.estimated ? "~" : "") + number(row.full_tokens)) },
    { title: "Layers", value: (row) => layersOf(row).join(" "), class: "layers",
      cell: (row) => h("span", { title: layersOf(row).join(", ") }, layersOf(row).map(badge)) },
    { title: "Why", value: (row) => reasonsShort(row.reasons) || null, class: "why", cell: (row) => reasonsShort(row.reasons) },
    { title: "Outcome", value: (row) => row.verdict, class: "why", cell: (row) => row.verdict },
  ];
  const table = sortable({
    id: "contexts", caption: "All contexts and their results", columns, rows: explain.candidates,
    filters: [
      { title: "State", values: (row) => [row.state] },
      { title: "Category", values: (row) => [row.category] },
      { title: "Layer", values: layersOf },
    ],
    text: (row) => [row.id, row.state, row.level, reasonsShort(row.reasons), row.verdict,
      ...row.sources.map((source) => source.path)].join(" "),
    detail: candidateDetail,
    open: data.focus,
  });
  const ids = new Set(explain.candidates.map((row) => row.id));
  show.table = { has: (id) => ids.has(id), open: (id) => table.reveal(id) };
  return section("contexts", "Contexts",
    "All contexts: the loaded ones in the order of the bundle, selected ones without room, excluded ones, then the rest. "
      + "Open a context to see how it was decided.", table.element);
}

function candidateDetail(row) {
  const list = (title, items) => items.length > 0
    ? h("div", {}, h("h4", {}, title), h("ul", {}, items.map((item) => h("li", {}, item)))) : null;
  const at = (place) => h("span", { class: "place" }, place);
  const terms = ["keywords", "errors", "globs"].flatMap((kind) => row.selectors[kind].map((term) =>
    [`${kind.slice(0, -1)} ${term.term} `, at(term.declared_at)]));
  const set = row.settings.filter((one) => one.declared_at);
  const related = row.selectors.related_to.map((id) => `named as related by ${id}`);
  return h("div", { class: "columns" },
    h("div", {}, h("h4", {}, "Outcome"), h("p", {}, row.verdict + ". ", ways(row.id, "table"))),
    list("Reasons", row.reasons.map((reason) => reasonText(reason))),
    list("Layers, lowest first", row.sources.map((source) =>
      [badge(source.layer), ` ${source.layer}${source.strategy ? ", " + source.strategy : ""} `, at(source.path)])),
    list("Left out", row.left_out.map((one) => [`${one.reason}: ${one.detail} `, at(one.path || "")])),
    list("What selects it", [`load: ${row.selectors.load}`, ...terms, ...related]),
    list("Relevant front matter", set.map((one) => [`${one.key}: ${JSON.stringify(one.value)} `, at(one.declared_at)])),
    row.packing ? packing(row.packing) : null);
}

function packing(pack) {
  const line = (offer) => h("tr", { class: offer.taken ? "taken" : null },
    h("th", { scope: "row" }, offer.level), h("td", { class: "figure" }, number(offer.tokens)),
    h("td", { class: "figure" }, offer.utility), h("td", {}, offer.taken ? "taken" : offer.allowed ? "" : "not allowed"));
  return h("div", {}, h("h4", {}, "Packing"),
    h("p", {}, `section ${pack.section}, priority ${pack.priority}, weight ${pack.weight}${pack.required ? ", required" : ""}`),
    h("table", { class: "plain small" }, h("caption", { class: "unseen" }, "Possible forms"),
      h("thead", {}, h("tr", {}, ["Level", "Tokens", "Worth", ""].map((title, at) =>
        h("th", { scope: "col", class: at === 1 || at === 2 ? "figure" : null }, title)))),
      h("tbody", {}, pack.offers.map(line))));
}
