import type { Ledger } from './ledger.ts'

/** A log as JSON-RPC returns it. */
export interface WireLog {
  readonly blockHash: string
  readonly transactionHash: string
  readonly logIndex: string
  readonly removed: boolean
}

/** Logs that a filter has reported: each is added once and removed once, and they are those of the chain. */
export class FollowedLogs {
  readonly #name: string
  readonly #ledger: Ledger
  readonly #known: Set<string>

  /** @param present logs of the range when the filter was created */
  constructor(name: string, present: readonly WireLog[], ledger: Ledger) {
    this.#name = name
    this.#ledger = ledger
    this.#known = new Set(present.map(keyOf))
  }

  take(changes: readonly WireLog[]): void {
    for (const log of changes) {
      const key = keyOf(log)
      if (this.#known.has(key) !== log.removed) {
        this.#fail(
          `reported the ${log.removed ? 'removal' : 'log'} ${key} ${log.removed ? 'without the log' : 'twice'}`,
        )
      }
      if (log.removed) this.#known.delete(key)
      else this.#known.add(key)
    }
  }

  /** @param present logs of the range in the view from which the last changes were read */
  compare(present: readonly WireLog[]): void {
    const expected = new Set(present.map(keyOf))
    const missing = [...expected].find((key) => !this.#known.has(key))
    const surplus = [...this.#known].find((key) => !expected.has(key))
    if (missing !== undefined) this.#fail(`did not report the log ${missing}`)
    if (surplus !== undefined) this.#fail(`did not report the removal of ${surplus}`)
  }

  #fail(message: string): void {
    this.#ledger.fail('filters', `${this.#name} ${message}`)
  }
}

function keyOf({ transactionHash, logIndex }: WireLog): string {
  return `${transactionHash} ${Number(logIndex)}`
}

/** The number and hash of a block as JSON-RPC returns it. */
export interface BlockHead {
  readonly number: string
  readonly hash: string
}

/** Blocks that a filter has reported: each once, and the newest of each height is the chain. */
export class FollowedBlocks {
  readonly #name: string
  readonly #ledger: Ledger
  readonly #first: number
  readonly #reported = new Set<string>()
  readonly #byHeight = new Map<number, string>()

  /** @param latest newest block when the filter was created */
  constructor(name: string, latest: number, ledger: Ledger) {
    this.#name = name
    this.#first = latest + 1
    this.#ledger = ledger
  }

  take(changes: readonly string[]): void {
    for (const hash of changes) {
      if (this.#reported.has(hash) && !this.#ledger.mayRepeat(hash)) this.#fail(`reported block ${hash} twice`)
      this.#reported.add(hash)
      const block = this.#ledger.sealedBlock(hash)
      if (block === undefined) this.#fail(`reported block ${hash}, which no node has sealed`)
      else this.#byHeight.set(block.number, hash)
    }
  }

  /** @param latest newest block in the view from which the last changes were read */
  compare(latest: BlockHead): void {
    const height = Number(latest.number)
    if (height < this.#first) return
    if (this.#byHeight.get(height) !== latest.hash) this.#fail(`did not report block ${height} ${latest.hash}`)
    this.#checkChain(height)
  }

  /** Each block stands on the one that was reported before it. */
  #checkChain(height: number): void {
    for (let number = height; number > this.#first; number -= 1) {
      const hash = this.#byHeight.get(number)
      const parent = hash === undefined ? undefined : this.#ledger.sealedBlock(hash)?.parentHash
      if (parent !== this.#byHeight.get(number - 1)) {
        this.#fail(`reported for block ${number - 1} another one than the parent of ${number}`)
        return
      }
    }
  }

  #fail(message: string): void {
    this.#ledger.fail('filters', `${this.#name} ${message}`)
  }
}
