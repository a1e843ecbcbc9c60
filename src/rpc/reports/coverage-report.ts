import type { CodeHits } from '../../engine/trace/profile/coverage-tracer.ts'
import { type Address, bytesToHex, type Hash, type Hex } from '../../primitives/hex.ts'
import { MAX_REPORTED_ADDRESSES } from './gas-report.ts'

/** Instructions of one code that ran. */
export interface CodeCoverage {
  /** Code of a contract, or code that creates one, with its arguments. */
  readonly kind: 'runtime' | 'creation'
  readonly codeHash: Hash
  readonly code: Hex
  readonly addresses: readonly Address[]
  /** Program counters of the instructions that ran, ascending, each with how often it ran. */
  readonly hits: readonly Count[]
  /** Program counters of the conditional jumps that ran, each with how often it jumped. */
  readonly jumps: readonly Count[]
}

type Count = readonly [programCounter: number, count: number]

interface Entry extends Pick<CodeCoverage, 'kind' | 'codeHash' | 'code'> {
  readonly addresses: Set<Address>
  readonly hits: Map<number, number>
  readonly jumps: Map<number, number>
}

interface ReportBudget {
  /** @throws TraceTooLargeError */
  spend(bytes: number): void
}

/** JSON bytes of an entry for a code or an address, and of one program counter. */
const ENTRY_BYTES = 300
const COUNT_BYTES = 16

/** How often each instruction of each code ran. */
export class CoverageReport {
  readonly #budget: ReportBudget
  readonly #codes = new Map<string, Entry>()

  /** @param budget bounds the size of the report */
  constructor(budget: ReportBudget) {
    this.#budget = budget
  }

  add(codes: Iterable<CodeHits>): void {
    for (const { address, hits, jumps, ...code } of codes) {
      const entry = this.#entryOf(code)
      if (address !== undefined && entry.addresses.size < MAX_REPORTED_ADDRESSES) entry.addresses.add(address)
      this.#addCounts(entry.hits, hits)
      this.#addCounts(entry.jumps, jumps)
    }
  }

  codes(): readonly CodeCoverage[] {
    const sorted = (counts: ReadonlyMap<number, number>) => [...counts].sort(([a], [b]) => a - b)
    return Array.from(this.#codes.values(), ({ addresses, hits, jumps, ...code }) => ({
      ...code,
      addresses: [...addresses],
      hits: sorted(hits),
      jumps: sorted(jumps),
    }))
  }

  #addCounts(sums: Map<number, number>, counts: ReadonlyMap<number, number>): void {
    for (const [programCounter, count] of counts) {
      const before = sums.get(programCounter)
      if (before === undefined) this.#budget.spend(COUNT_BYTES)
      sums.set(programCounter, (before ?? 0) + count)
    }
  }

  #entryOf({ kind, hash, code }: Pick<CodeHits, 'kind' | 'hash' | 'code'>): Entry {
    const key = `${kind} ${hash}`
    const known = this.#codes.get(key)
    if (known !== undefined) return known
    this.#budget.spend(ENTRY_BYTES + 2 * code.length)
    const counts = { hits: new Map<number, number>(), jumps: new Map<number, number>() }
    const entry = { kind, codeHash: hash, code: bytesToHex(code), addresses: new Set<Address>(), ...counts }
    this.#codes.set(key, entry)
    return entry
  }
}
