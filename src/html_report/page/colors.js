// The colour of a tile is its main reason, relevance or layer.
const REASONS = {
  pinned: "PI", task: "TA", prompt: "PR", always: "AL", platform: "PL", keyword: "KE",
  error: "ER", files: "FI", custom: "CU", related: "RE", semantic: "SE",
};
// Lower bounds of relevance, from 0 to 1.
const STEPS = [".0", ".2", ".4", ".6", ".8"];

// `all` is the legend.
const COLOURS = {
  reason: {
    of: (tile) => {
      const kinds = tile.candidate ? tile.candidate.reasons.map((reason) => reason.kind) : [];
      const name = Object.keys(REASONS).find((kind) => kinds.includes(kind));
      return name ? { name, letters: REASONS[name], style: "reason-" + name } : plainColour(tile);
    },
    all: Object.keys(REASONS),
  },
  relevance: {
    of: (tile) => {
      const value = tile.candidate ? tile.candidate.relevance : null;
      if (value === null || value === undefined) return plainColour(tile);
      const step = Math.min(STEPS.length - 1, Math.floor(value * STEPS.length));
      return { name: "from 0" + STEPS[step], letters: STEPS[step], style: "relevance-" + step };
    },
    all: STEPS.map((step) => "from 0" + step),
  },
  layer: {
    of: (tile) => {
      const name = layerName(tile.layer);
      return { name, letters: LAYERS[name] || "··", style: "layer-" + name };
    },
    all: Object.keys(LAYERS),
  },
};

// Other texts have neither reason nor relevance.
function plainColour(tile) {
  return { name: tile.candidate ? "none" : "other text", letters: "··", style: "layer-faber" };
}

// In the order of the scale.
function colourLegend(way, tiles) {
  const shown = new Map();
  for (const tile of tiles) {
    const colour = COLOURS[way].of(tile);
    shown.set(colour.name, colour);
  }
  const place = (name) => (COLOURS[way].all.includes(name) ? COLOURS[way].all.indexOf(name) : Infinity);
  const rows = [...shown.values()].sort((a, b) => (place(a.name) < place(b.name) ? -1 : 1));
  return h("ul", { class: "legend", "aria-label": "Colours" }, rows.map((colour) =>
    h("li", {}, h("span", { class: "badge " + colour.style }, colour.letters), " ", colour.name)));
}
