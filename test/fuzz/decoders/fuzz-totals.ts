import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** A run of one target. */
export interface TargetRun {
  readonly minutes: number
  readonly executions: number
  /** Characters of code that ran. */
  readonly covered: number
  /** Inputs that each reach code of their own. */
  readonly inputs: number
  /** Absent when the decoder passed. */
  readonly failure?: Finding
}

export interface Finding {
  /** The smallest input found, in hexadecimal; absent when the process ended instead of reporting one. */
  readonly input?: string
  readonly error: string
}

/** Counts of one target over many runs. */
export interface TargetTotals {
  readonly nextSeed: number
  readonly executions: number
  readonly minutes: number
  readonly findings: readonly Finding[]
}

/** Counts by the names of targets. */
export type FuzzTotals = Readonly<Record<string, TargetTotals>>

/** @returns counts of earlier sittings, none without a file */
export function readFuzzTotals(file: string | undefined): FuzzTotals {
  return file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

export function writeFuzzTotals(file: string, totals: FuzzTotals): void {
  writeFileSync(file, `${JSON.stringify(totals, undefined, 2)}\n`)
}

/** @param seed of the run */
export function addRun(totals: TargetTotals | undefined, run: TargetRun, seed: number): TargetTotals {
  const before = totals ?? { executions: 0, minutes: 0, findings: [] }
  return {
    nextSeed: seed + 1,
    executions: before.executions + run.executions,
    minutes: before.minutes + run.minutes,
    findings: run.failure === undefined ? before.findings : [...before.findings, run.failure],
  }
}

/** A table in Markdown. */
export function totalsTable(totals: FuzzTotals): string {
  const rows = Object.entries(totals).map(([name, { executions, minutes, findings }]) => [
    name,
    executions.toLocaleString('en'),
    minutes.toFixed(1),
    findings.length,
  ])
  const header = [
    ['target', 'executions', 'minutes', 'findings'],
    ['---', '---', '---', '---'],
  ]
  return [...header, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}
