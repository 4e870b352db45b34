// Tokens of contexts: in the bundle by section, or cut by reason.

// Text that belongs to no context has a tile of its own.
function treemapSections() {
  const own = { system: "prompt, task or flow", catalog: "catalog", history: "past messages",
    message: "request and input" };
  const told = lines.find((line) => line.part === "prompt" && line.origin);
  return sectionFigures().filter((row) => row.used > 0).map((row) => {
    const inside = explain.candidates.filter((one) =>
      one.state === "selected" && one.packing && one.packing.section === row.name);
    const tiles = inside.map((one) => ({ name: one.id, weight: one.tokens, layer: one.layer, candidate: one }));
    const rest = row.used - tiles.reduce((sum, tile) => sum + tile.weight, 0);
    if (rest > 0) {
      const layer = row.name === "system" && told ? told.origin.layer : null;
      tiles.push({ name: own[row.name] || "headings between contexts", weight: rest, layer });
    }
    return { name: row.name, weight: row.used, tiles };
  });
}

// Requested contexts that are not in full, with their missing tokens.
function treemapCut() {
  const groups = new Map();
  for (const one of explain.candidates) {
    const missing = one.full_tokens === null ? 0 : one.full_tokens - (one.state === "selected" ? one.tokens : 0);
    const left = one.left_out.length > 0 ? one.left_out[0].reason : "excluded";
    const name = one.state === "selected" ? (one.level === "detailed" ? null : "shortened: " + one.level)
      : one.state === "excluded" ? "left out: " + left
      : one.reasons.length > 0 ? "only in the catalog" : null;
    if (name === null || missing <= 0) continue;
    const group = groups.get(name) || { name, weight: 0, tiles: [] };
    group.weight += missing;
    group.tiles.push({ name: one.id, weight: missing, layer: one.layer, candidate: one });
    groups.set(name, group);
  }
  return [...groups.values()].sort((a, b) => b.weight - a.weight);
}

function treemap() {
  const views = { "in the bundle": treemapSections(), cut: treemapCut() };
  let sections = views["in the bundle"];
  const area = h("div", { class: "treemap", role: "group",
    "aria-label": "Tokens by section and context. Arrow keys move between tiles." });
  const detail = h("div", { class: "detail quiet", "aria-live": "polite" },
    "Point at a tile, or go to one with Tab and the arrow keys, to see what it is.");
  const crumbs = h("div", { class: "crumbs", role: "group", "aria-label": "Zoom into a section" });
  const key = h("div", {});
  const state = { zoom: null, view: "in the bundle", way: "reason" };
  const choice = (id, title, names, change) => h("label", {}, h("span", {}, title),
    h("select", { id, change }, names.map((name) => h("option", { value: name }, name))));
  const controls = h("div", { class: "controls" },
    choice("map-view", "Show", Object.keys(views), (event) => {
      state.view = event.target.value;
      state.zoom = null;
      sections = views[state.view];
      draw();
    }),
    choice("map-colour", "Colour by", Object.keys(COLOURS), (event) => {
      state.way = event.target.value;
      draw();
    }));

  function tell(tile, inside) {
    const one = tile.candidate;
    const isCut = state.view === "cut";
    const share = ((100 * tile.weight) / Math.max(1, explain.report.summary.limit)).toFixed(1);
    const children = [h("strong", {}, tile.name), " ", badge(tile.layer), ` ${layerName(tile.layer)}, `
      + (isCut ? `${inside.name}: ${tokens(tile.weight)} cut of ${number(one.full_tokens)}`
        : `in ${inside.name}: ${tokens(tile.weight)}, ${share} % of the budget`)];
    if (one) {
      const relevance = one.relevance === null ? "" : `relevance ${one.relevance}; `;
      children.push(`; ${relevance}${one.verdict}. `, reasonsShort(one.reasons) + ". ", ways(one.id, "map"));
    }
    detail.classList.remove("quiet");
    detail.replaceChildren(...children);
  }

  function zoom(name, focus) {
    state.zoom = name;
    draw();
    if (focus) (area.querySelector("button.tile") || area).focus();
  }

  function draw() {
    const width = area.clientWidth || 1000;
    const height = area.clientHeight || 480;
    area.replaceChildren();
    key.replaceChildren(colourLegend(state.way, sections.flatMap((one) => one.tiles)));
    if (sections.length === 0) area.append(h("p", { class: "nothing" }, "Nothing was cut: each requested context is in the bundle in full."));
    const shown = sections.filter((one) => state.zoom === null || one.name === state.zoom);
    crumbs.replaceChildren(...[null, ...sections.map((one) => one.name)].map((name) =>
      h("button", { type: "button", class: "small", "aria-pressed": String(state.zoom === name),
        click: () => { zoom(name); crumbs.querySelector("[aria-pressed=true]").focus(); } }, name || (state.view === "cut" ? "all" : "all sections"))));
    for (const placed of squarify(shown, { x: 0, y: 0, width, height })) drawSection(placed, width, height);
    const first = area.querySelector("button.tile");
    if (first) first.tabIndex = 0;
  }

  function put(element, box, width, height) {
    element.style.left = (100 * box.x) / width + "%";
    element.style.top = (100 * box.y) / height + "%";
    element.style.width = (100 * box.width) / width + "%";
    element.style.height = (100 * box.height) / height + "%";
    area.append(element);
  }

  function drawSection({ item, ...box }, width, height) {
    const strip = box.height > 60 && box.width > 40 ? 22 : 0;
    if (strip) {
      const name = h("button", { type: "button", class: "strip",
        "aria-label": `Section ${item.name}, ${tokens(item.weight)}: zoom in`,
        click: () => zoom(state.zoom === null ? item.name : null, true) },
        h("span", {}, item.name), h("span", {}, number(item.weight)));
      put(name, { ...box, height: strip }, width, height);
    }
    const inner = { x: box.x, y: box.y + strip, width: box.width, height: Math.max(0, box.height - strip) };
    const groups = new Map();
    for (const tile of item.tiles) {
      const { name } = COLOURS[state.way].of(tile);
      const group = groups.get(name) || { name, weight: 0, tiles: [] };
      group.weight += tile.weight;
      group.tiles.push(tile);
      groups.set(name, group);
    }
    for (const { item: group, ...place } of squarify([...groups.values()], inner)) {
      for (const { item: tile, ...spot } of squarify(group.tiles, place)) {
        put(drawTile(tile, item, spot), spot, width, height);
      }
    }
  }

  function drawTile(tile, inside, spot) {
    const colour = COLOURS[state.way].of(tile);
    const words = tile.name.split("/");
    const room = spot.width > 54 ? Math.floor((spot.height - 6) / 16) : 0;
    const narrow = room === 0 && spot.width > 26 && spot.height > 20;
    const label = [room > 2 || narrow ? h("span", { class: "code" }, colour.letters) : null,
      room > 0 ? h("span", { class: "name" }, words[words.length - 1]) : null,
      room > 1 ? h("span", { class: "size" }, number(tile.weight)) : null];
    const level = tile.candidate && tile.candidate.level !== "detailed" ? ", " + tile.candidate.level : "";
    const button = h("button", { type: "button", class: `tile ${colour.style}`, tabindex: -1,
      title: `${tile.name}: ${tokens(tile.weight)}`,
      "aria-label": `${tile.name}, ${inside.name}, ${colour.name}, ${tokens(tile.weight)}${level}`,
      focus: () => { rove(button); tell(tile, inside); },
      mouseenter: () => tell(tile, inside),
      click: () => tell(tile, inside) }, label);
    return button;
  }

  function rove(button) {
    for (const other of area.querySelectorAll("button.tile")) other.tabIndex = other === button ? 0 : -1;
  }

  // The nearest tile in that direction.
  function beside(button, dx, dy) {
    const middle = (one) => {
      const box = one.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    };
    const [x, y] = middle(button);
    let best = null;
    let least = Infinity;
    for (const other of area.querySelectorAll("button.tile")) {
      const [ox, oy] = middle(other);
      const ahead = (ox - x) * dx + (oy - y) * dy;
      const aside = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
      const cost = ahead + 2 * aside;
      if (other !== button && ahead > 1 && cost < least) { best = other; least = cost; }
    }
    return best;
  }

  area.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key === "Escape" && state.zoom !== null) return zoom(null, true);
    if (!(event.key in steps) || !event.target.classList.contains("tile")) return undefined;
    event.preventDefault();
    const next = beside(event.target, ...steps[event.key]);
    if (next) next.focus();
    return undefined;
  });
  new ResizeObserver(() => {
    const held = area.contains(document.activeElement);
    if (!held) draw();
  }).observe(area);
  const part = section("map", "Treemap",
    "The area of a tile is its tokens: those in the bundle, or those that were cut.",
    controls, key, crumbs, area, detail);
  return { part, draw };
}
