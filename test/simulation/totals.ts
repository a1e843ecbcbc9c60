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
  if (result.failure !== undefined) totals.failed.push({ seed: result.seed, oracle: result.failure.oracle })
}

export function totalsText(totals: Totals): string {
  const { seeds, failed, flashblocks, crashes, simulatedSeconds, seconds, nextSeed, faults } = totals
  const rate = (simulatedSeconds / seconds).toFixed(1)
  const kinds = Object.entries(faults).map(([kind, count]) => `${kind} ${count}`)
  return (
    `${seeds} seeds, ${failed.length} failed, ${flashblocks} flashblocks, ${crashes} crashes; ` +
    `${Math.round(simulatedSeconds)} simulated seconds in ${Math.round(seconds)} s (${rate} per second); ` +
    `the next seed is ${nextSeed}\nfaults: ${kinds.join(', ')}\n`
  )
}

function readFile(file: string | undefined): TotalsFile {
  return file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}
