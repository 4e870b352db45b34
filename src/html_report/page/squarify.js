// A squarified treemap (Bruls, Huizing, van Wijk 2000): areas by weight, in rows of almost squares.
function squarify(items, rectangle) {
  const sorted = items.filter((item) => item.weight > 0);
  sorted.sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1));
  let total = sorted.reduce((sum, item) => sum + item.weight, 0);
  const placed = [];
  let { x, y, width, height } = rectangle;
  let at = 0;
  while (at < sorted.length) {
    const scale = (width * height) / Math.max(total, 1e-9);
    const side = Math.min(width, height);
    let row = 0;
    let sum = 0;
    let worst = Infinity;
    while (at + row < sorted.length) {
      const next = sum + sorted[at + row].weight;
      const ratio = worstRatio(sorted[at], sorted[at + row], next, scale, side);
      if (row > 0 && ratio > worst) break;
      worst = ratio;
      sum = next;
      row += 1;
    }
    const thickness = side > 0 ? (sum * scale) / side : 0;
    let along = 0;
    for (const item of sorted.slice(at, at + row)) {
      const length = sum > 0 ? (item.weight / sum) * side : 0;
      placed.push({ item, ...(width >= height
        ? { x, y: y + along, width: thickness, height: length }
        : { x: x + along, y, width: length, height: thickness }) });
      along += length;
    }
    if (width >= height) { x += thickness; width -= thickness; }
    else { y += thickness; height -= thickness; }
    total -= sum;
    at += row;
  }
  return placed;
}

// The largest ratio of sides in a row.
function worstRatio(largest, smallest, sum, scale, side) {
  const area = sum * scale;
  const square = side * side;
  const of = (item) => item.weight * scale;
  return Math.max((square * of(largest)) / (area * area), (area * area) / (square * of(smallest)));
}
