// A table with sorting and filters.

// Shown rows at first.
const ROWS = 1000;

// `columns`: title, value (to sort by), cell (to show), figure; `filters`: title, values of a row;
// `text`: for the search; `detail`: unfolded.
function sortable({ id, caption, columns, filters, rows, text, detail, open }) {
  const state = { column: null, down: false, most: ROWS };
  const body = h("tbody", {});
  const status = h("p", { class: "status", role: "status" });
  const more = h("button", { type: "button", class: "small", hidden: true,
    click: () => { state.most += ROWS; draw(); } }, `Show ${number(ROWS)} more`);
  const words = rows.map((row) => text(row).toLowerCase());
  const places = new Map(rows.map((row, at) => [row, at]));
  const search = h("input", { type: "search", id: id + "-search", autocomplete: "off", spellcheck: "false",
    input: () => { state.most = ROWS; draw(); } });
  const choices = filters.map((filter) => {
    const counts = new Map();
    for (const row of rows) for (const value of new Set(filter.values(row))) counts.set(value, (counts.get(value) || 0) + 1);
    const options = [...counts].sort((a, b) => (a[0] < b[0] ? -1 : 1));
    return h("select", { id: `${id}-${filter.title.toLowerCase()}`, change: () => { state.most = ROWS; draw(); } },
      h("option", { value: "" }, "all"),
      options.map(([value, count]) => h("option", { value }, `${value} (${number(count)})`)));
  });
  const heads = columns.map((column, at) => h("th", { scope: "col", class: column.figure ? "figure" : null, "aria-sort": "none" },
    h("button", { type: "button", class: "sort", click: () => sort(at) }, column.title, h("span", { class: "arrow", "aria-hidden": "true" }))));

  function sort(at) {
    // Figures: largest first.
    const first = Boolean(columns[at].figure);
    state.down = state.column === at ? !state.down : first;
    state.column = at;
    draw();
  }

  function found() {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (row) => wanted.every((word) => words[places.get(row)].includes(word))
      && filters.every((filter, at) => !choices[at].value || filter.values(row).includes(choices[at].value));
    const kept = rows.filter(fits);
    if (state.column === null) return kept;
    const { value } = columns[state.column];
    const sign = state.down ? -1 : 1;
    const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    // Rows without a value are last in both orders; ties keep the order of the bundle.
    return kept.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === null || y === null) return (x === null) - (y === null) || places.get(a) - places.get(b);
      return sign * compare(x, y) || places.get(a) - places.get(b);
    });
  }

  function draw() {
    heads.forEach((head, at) => head.setAttribute("aria-sort",
      state.column !== at ? "none" : state.down ? "descending" : "ascending"));
    const kept = found();
    const shown = kept.slice(0, state.most);
    body.replaceChildren(...shown.map(rowOf));
    more.hidden = shown.length === kept.length;
    status.textContent = kept.length === rows.length
      ? `${number(rows.length)} rows` : `${number(kept.length)} of ${number(rows.length)} rows`;
    if (!more.hidden) status.textContent += `, the first ${number(shown.length)} are shown`;
  }

  function rowOf(row) {
    const line = h("tr", { "data-id": row.id }, columns.map((column, at) => h(at === 0 ? "th" : "td",
      { scope: at === 0 ? "row" : null, class: column.figure ? "figure" : column.class },
      at === 0 && detail ? unfolding(row, column) : column.cell(row))));
    return line;
  }

  function unfolding(row, column) {
    const button = h("button", { type: "button", class: "fold", "aria-expanded": "false", click: () => toggle(button, row) },
      column.cell(row));
    return button;
  }

  function toggle(button, row) {
    const line = button.closest("tr");
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!isOpen));
    if (isOpen) line.nextElementSibling.remove();
    else line.after(h("tr", { class: "more" }, h("td", { colspan: columns.length }, detail(row))));
  }

  function reveal(wanted) {
    if (!body.querySelector(`tr[data-id="${CSS.escape(wanted)}"]`)) {
      search.value = "";
      for (const choice of choices) choice.value = "";
      state.most = Math.max(state.most, rows.length);
      draw();
    }
    const line = body.querySelector(`tr[data-id="${CSS.escape(wanted)}"]`);
    const button = line && line.querySelector("button.fold");
    if (button && button.getAttribute("aria-expanded") === "false") button.click();
    if (line) line.scrollIntoView({ block: "center" });
    if (button) button.focus();
  }

  const label = (control, title) => h("label", {}, h("span", {}, title), control);
  const controls = h("div", { class: "controls" }, label(search, "Find"),
    filters.map((filter, at) => label(choices[at], filter.title)));
  draw();
  if (open) reveal(open);
  const element = h("div", {}, controls, status,
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
      h("table", { class: "rows" }, h("caption", { class: "unseen" }, caption), h("thead", {}, h("tr", {}, heads)), body)),
    more);
  return { element, reveal };
}
