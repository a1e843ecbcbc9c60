import type { FileCoverage } from './coverage.ts'
import { type CoverageTotals, coverageTotals, percentage } from './lcov.ts'

const TITLES = ['', 'lines', 'functions', 'branches']

/** Coverage as text: a line for each file, and one for all of them. */
export function coverageTable(files: readonly FileCoverage[]): string {
  const rows = [
    TITLES,
    ...files.map((file) => [file.path, ...shares(coverageTotals([file]))]),
    ['all files', ...shares(coverageTotals(files))],
  ]
  const widths = TITLES.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  '))
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

function shares({ lines, functions, branches }: CoverageTotals): readonly string[] {
  return [lines, functions, branches].map(([hit, found]) =>
    found === 0 ? '-' : `${percentage([hit, found]).toFixed(1)} % (${hit}/${found})`,
  )
}
