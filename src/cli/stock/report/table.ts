/** A column of a table. */
export interface TableColumn<Row> {
  readonly title: string
  readonly cell: (row: Row) => string
  /** Right-aligns numbers. */
  readonly isNumber?: true
}

/** Lines of a table, the titles first. */
export function tableLines<Row>(columns: readonly TableColumn<Row>[], rows: readonly Row[]): readonly string[] {
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ cell }) => cell(row)))]
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)))
  const padded = (cell: string, column: number) =>
    columns[column]!.isNumber ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)
  return cells.map((line) => line.map(padded).join('  ').trimEnd())
}
