// Places nodes in columns and rows, so that equal graphs give equal pictures.
const CELL = { width: 212, height: 36, gap: 10, between: 76 };
// Short columns are centred in at most so many rows, to be seen without scrolling.
const MIDDLE = 14;

// Sorts each column by the middle of the neighbours in columns before, except those in `keep`.
function layout(columns, edges, keep) {
  const places = new Map();
  const beside = new Map();
  for (const edge of edges) {
    for (const [one, other] of [[edge.from, edge.to], [edge.to, edge.from]]) {
      if (!beside.has(one)) beside.set(one, []);
      beside.get(one).push(other);
    }
  }
  const rows = Math.max(1, ...columns.map((column) => column.length));
  const pitch = CELL.height + CELL.gap;
  columns.forEach((column, at) => {
    const middle = (node) => {
      const rows = (beside.get(node) || []).filter((other) => places.has(other)).map((other) => places.get(other).y);
      return rows.length > 0 ? rows.reduce((sum, y) => sum + y, 0) / rows.length : Infinity;
    };
    const sorted = keep.includes(at) ? column.slice() : column
      .map((node, order) => ({ node, order, middle: middle(node) }))
      .sort((a, b) => (a.middle === b.middle ? a.order - b.order : a.middle - b.middle))
      .map((one) => one.node);
    const top = Math.max(0, ((Math.min(rows, MIDDLE) - sorted.length) * pitch) / 2);
    sorted.forEach((node, row) => places.set(node, {
      x: at * (CELL.width + CELL.between), y: top + row * pitch,
    }));
  });
  return {
    places,
    width: columns.length * (CELL.width + CELL.between) - CELL.between,
    height: rows * pitch - CELL.gap,
  };
}

// From the side of one cell to the side of the other; within a column a bow.
function path(from, to) {
  const y1 = from.y + CELL.height / 2;
  const y2 = to.y + CELL.height / 2;
  if (from.x === to.x) {
    const x = from.x + CELL.width;
    const out = x + Math.min(70, 20 + Math.abs(y2 - y1) / 6);
    return `M${x} ${y1}C${out} ${y1} ${out} ${y2} ${x} ${y2}`;
  }
  const forward = from.x < to.x;
  const x1 = forward ? from.x + CELL.width : from.x;
  const x2 = forward ? to.x : to.x + CELL.width;
  const bend = (x2 - x1) / 2;
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
