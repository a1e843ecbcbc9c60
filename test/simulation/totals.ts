import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { SimulationMode, SimulationResult } from './simulate.ts'

/** Counts over many seeds. */
export interface Totals {
  nextSeed: number
  seeds: number
  flashblocks: number
  crashes: number
  simulatedSeconds: number
  seconds: number
  /** Faults by kind. */
  faults: Record<string, number>
  /** Faults by what they hit, and by kind: absent in files of earlier runs. */
  faultsByRole?: Record<string, Record<string, number>>
  /** Seeds that broke a promise. */
  failed: { readonly seed: number; readonly oracle: string }[]
}

type TotalsFile = Partial<Record<SimulationMode, Totals>>

/** @param from the first seed where the file has none of this mode */
export function readTotals(file: string | undefined, mode: SimulationMode, from: number): Totals {
  const none = { nextSeed: from, seeds: 0, flashblocks: 0, crashes: 0, simulatedSeconds: 0, seconds: 0 }
  return readFile(file)[mode] ?? { ...none, faults: {}, failed: [] }
}

export function writeTotals(file: string, mode: SimulationMode, totals: Totals): void {
  writeFileSync(file, `${JSON.stringify({ ...readFile(file), [mode]: totals }, undefined, 2)}\n`)
}

export function addResult(totals: Totals, result: SimulationResult, seconds: number): void {
  totals.nextSeed = result.seed + 1
  totals.seeds += 1
  totals.flashblocks += result.flashblocks
  totals.crashes += result.crashes
  totals.simulatedSeconds += result.simulatedMs / 1_000
  totals.seconds += seconds
  for (const [kind, count] of Object.entries(result.faults)) totals.faults[kind] = (totals.faults[kind] ?? 0) + count
  for (const [role, counts] of Object.entries(result.faultsByRole)) {
    const ofRole = totals.faultsByRole?.[role] ?? {}
    const sums = Object.entries(counts).map(([kind, count]) => [kind, (ofRole[kind] ?? 0) + count])
    totals.faultsByRole = { ...totals.faultsByRole, [role]: { ...ofRole, ...Object.fromEntries(sums) } }
  }
  if (result.failure !== undefined) totals.failed.push({ seed: result.seed, oracle: result.failure.oracle })
}

export function totalsText(totals: Totals): string {
  const { seeds, failed, flashblocks, crashes, simulatedSeconds, seconds, nextSeed, faults } = totals
  const rate = (simulatedSeconds / seconds).toFixed(1)
  const roles = Object.entries(totals.faultsByRole ?? {}).map(([role, counts]) => `  ${role}: ${countsText(counts)}\n`)
  return (
    `${seeds} seeds, ${failed.length} failed, ${flashblocks} flashblocks, ${crashes} crashes; ` +
    `${Math.round(simulatedSeconds)} simulated seconds in ${Math.round(seconds)} s (${rate} per second); ` +
    `the next seed is ${nextSeed}\nfaults: ${countsText(faults)}\n${roles.join('')}`
  )
}

function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ')
}

function readFile(file: string | undefined): TotalsFile {
  return file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}
