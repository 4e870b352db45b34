// Puts the page together.
function header() {
  const theme = h("button", { type: "button", class: "small theme", click: turn }, "Theme: system");
  function turn() {
    const next = { undefined: "light", light: "dark", dark: undefined }[document.documentElement.dataset.theme];
    if (next) document.documentElement.dataset.theme = next;
    else delete document.documentElement.dataset.theme;
    theme.textContent = "Theme: " + (next || "system");
  }
  const role = explain ? explain.role : data.graph.role;
  const title = role || "All roles";
  const lines = [];
  if (explain) {
    const { report, platform, team } = explain;
    if (platform) lines.push(`on ${platform.name} (${platform.chosen_by})`);
    if (team) lines.push(`team ${team}`);
    const { user, groups } = report.principal;
    lines.push(`${report.reference_date}, for ${user || "no user"}${groups.length > 0 ? " in " + groups.join(", ") : ""}`);
    lines.push(`${report.model ? report.model + ": " : ""}${report.encoding}${report.estimated ? `, estimated with ${report.margin} % more` : ""}`);
  }
  document.title = `${title} – faber`;
  return h("header", {}, h("div", { class: "top" },
    h("p", { class: "brand" }, explain ? "faber explain" : "faber graph"), theme),
  h("h1", {}, title), lines.length > 0 ? h("p", { class: "meta" }, lines.join(" · ")) : null,
  explain && explain.request ? h("blockquote", {}, explain.request) : null);
}

function navigation(parts) {
  const links = parts.map((part) => h("li", {}, h("a", { href: "#" + part.id }, part.querySelector("h2").textContent)));
  return h("nav", { "aria-label": "Parts of this page" }, h("ul", {}, links));
}

function main() {
  const page = document.getElementById("page");
  let parts;
  let map = null;
  let text = null;
  if (explain) {
    map = treemap();
    text = textPart();
    parts = [budget(), map.part, whatIf(), candidates(), text.part, graphPart(), findings()].filter(Boolean);
  } else {
    parts = [graphPart(), nodesTable()];
  }
  page.replaceChildren(header(), navigation(parts), ...parts,
    h("footer", {}, explain ? `faber ${explain.report.version}, bundle ${explain.report.digest}` : `faber graph`));
  if (map) map.draw();
  if (text) text.mark();
  // Printed pages cannot unfold.
  addEventListener("beforeprint", () => { for (const one of document.querySelectorAll("details")) one.open = true; });
}

main();
