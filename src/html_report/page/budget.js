// A bar for the whole budget, and a row per section.
const SECTIONS = ["system", "profile", "location", "related", "catalog", "history", "message"];

function sectionFigures() {
  const { context, conversation, sections } = explain.report;
  return SECTIONS.map((name, at) => ({
    name, at,
    used: name in context ? context[name] : conversation[name],
    share: name in sections ? sections[name] : null,
  }));
}

function budget() {
  const { summary, response } = explain.report;
  const rows = sectionFigures();
  const free = Math.max(0, summary.limit - summary.total_used);
  const whole = Math.max(1, summary.limit + response.reserved);
  const parts = rows.filter((row) => row.used > 0)
    .map((row) => ({ ...row, class: "part section-" + row.name }));
  parts.push({ name: "free", used: free, class: "part free" });
  parts.push({ name: "reserved for the answer", used: response.reserved, class: "part reserved" });
  const bar = h("div", { class: "stack", role: "img", "aria-label": "The budget as one bar: "
    + parts.map((part) => `${part.name} ${part.used}`).join(", ") });
  for (const part of parts.filter((part) => part.used > 0)) {
    const share = part.used / whole;
    const cell = h("div", { class: part.class, title: `${part.name}: ${tokens(part.used)}` },
      share > 0.07 ? h("span", {}, part.name) : null);
    cell.style.flexGrow = part.used;
    bar.append(cell);
  }
  return section("budget", "Budget",
    `${number(summary.total_used)} of ${tokens(summary.limit)} (${summary.utilization_percent} %), `
      + `${number(response.reserved)} more reserved for the answer. `
      + "Shares are for comparison; only the share of the catalog is a limit.",
    bar, budgetTable(rows, free, summary.limit));
}

function budgetTable(rows, free, limit) {
  const most = Math.max(1, ...rows.map((row) => Math.max(row.used, row.share || 0)));
  const line = (row) => {
    const bar = h("div", { class: "measure" }, h("div", { class: "used section-" + row.name }));
    bar.firstChild.style.width = (100 * row.used) / most + "%";
    if (row.share !== null) {
      const mark = h("div", { class: "mark" });
      mark.style.left = (100 * row.share) / most + "%";
      bar.append(mark);
    }
    return h("tr", {},
      h("th", { scope: "row" }, h("span", { class: "swatch section-" + row.name }), row.name),
      h("td", { class: "figure" }, number(row.used)),
      h("td", { class: "figure" }, row.share === null ? "" : number(row.share)),
      h("td", { class: "wide", "aria-hidden": "true" }, bar));
  };
  return h("div", { class: "scroll" }, h("table", { class: "plain" },
    h("caption", { class: "unseen" }, "Tokens by section"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Section"),
      h("th", { scope: "col", class: "figure" }, "Used"),
      h("th", { scope: "col", class: "figure" }, "Share"),
      h("th", { scope: "col", "aria-hidden": "true", class: "wide" }, "Used; the mark is the share"))),
    h("tbody", {}, rows.map(line)),
    h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "free"),
      h("td", { class: "figure" }, number(free)),
      h("td", { class: "figure" }, `of ${number(limit)}`), h("td", { class: "wide" })))));
}
