/** The value below which a share of the samples lies. */
export function percentile(samples, share) {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Prints rows of text as aligned columns. */
export function printTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)))
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => String(cell).padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
}

/** Slope of the line through points `[x, y]` with the least squares. */
export function slope(points) {
  const mean = (axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const spread = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
  return points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0) / spread
}
