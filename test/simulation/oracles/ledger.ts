import { createHash } from 'node:crypto'
import { decodeRecord } from '../../../src/state/records/record.ts'
import type { NodeAccess } from '../guest/node-access.ts'
import type { ShownBlock, ShownFlashblock } from '../guest/simulation.ts'
import { ChainHistory, type KnownBlock } from './chain-history.ts'
import { type Oracle, SimulationFailure } from './failure.ts'
import { SentTransactions } from './transactions.ts'

/** Everything that became visible outside the nodes, which no node may contradict later. */
export class Ledger {
  readonly transactions = new SentTransactions()
  readonly #history = new ChainHistory()
  readonly #records = new Map<number, string>()
  /** Sealed blocks of all eras by hash. */
  readonly #sealed = new Map<string, ShownBlock>()
  /** Sealed blocks that a node has taken back. */
  readonly #takenBack = new Set<string>()
  /** Whether nodes may open a block without transactions anew, as those do that mine on demand. */
  mayReopen = false
  /** Whether a node may mine on demand: reads of `pending` are forecasts then, which filters do not report. */
  minesOnDemand = false
  /** The first broken promise. */
  failure: SimulationFailure | undefined
  flashblocks = 0
  /** Times that blocks were taken back. */
  unwindings = 0
  /** The newest record that may have left a node. */
  newestRecord = 0
  /** Number and index of the newest flashblock. */
  newest = { number: 0, index: -1 }

  fail(oracle: Oracle, message: string, cause?: unknown): void {
    this.failure ??= new SimulationFailure(oracle, message, cause)
  }

  /** A sealed block that a node showed at any time. */
  sealedBlock(hash: string): ShownBlock | undefined {
    return this.#sealed.get(hash)
  }

  /** Whether a sealed block was taken back: a node that mines on request or reverts its clock may build it again. */
  mayRepeat(hash: string): boolean {
    return this.#takenBack.has(hash)
  }

  /** A durable record of a node. */
  record(node: string, sequence: number, payload: Uint8Array): void {
    const digest = createHash('sha256').update(payload).digest('hex')
    const known = this.#records.get(sequence)
    if (known !== undefined) {
      if (known !== digest) this.fail('records', `record ${sequence} of ${node} differs from the one before`)
      return
    }
    this.#records.set(sequence, digest)
    if (sequence > this.newestRecord) this.#follow(sequence, payload)
    this.newestRecord = Math.max(this.newestRecord, sequence)
  }

  flashblock(node: string, shown: ShownFlashblock, sequence: number): void {
    const { number, index, hash, transactions } = shown
    const block = this.#history.block(number, sequence)
    const known = block.announce(shown)
    if (known === undefined) this.flashblocks += 1
    else if (known !== hash) {
      this.fail('preconfirmed', `flashblock ${number}/${index} of ${node} is ${hash}, before it was ${known}`)
    }
    this.#extend(node, block, shown)
    if (block.sealed !== undefined && !beginsWith(block.sealed.transactions, transactions)) {
      this.fail('preconfirmed', `flashblock ${number}/${index} of ${node} is not in the sealed block`)
    }
    if (!this.#history.isNewest(sequence)) return
    const dropped = transactions.find((one) => this.transactions.isDropped(one))
    if (dropped !== undefined) {
      this.fail(
        'dropped',
        `flashblock ${number}/${index} of ${node} includes ${dropped}, which was reported as dropped`,
      )
    }
    if (number > this.newest.number || (number === this.newest.number && index > this.newest.index)) {
      this.newest = { number, index }
    }
  }

  sealed(node: string, shown: ShownBlock, sequence: number): void {
    const block = this.#history.block(shown.number, sequence)
    if (block.sealed !== undefined && block.sealed.hash !== shown.hash) {
      this.fail('sealed', `block ${shown.number} of ${node} is ${shown.hash}, before it was ${block.sealed.hash}`)
    }
    block.sealed ??= shown
    this.#sealed.set(shown.hash, shown)
    if (!beginsWith(shown.transactions, block.announced)) {
      this.fail('preconfirmed', `block ${shown.number} of ${node} was sealed without announced transactions`)
    }
  }

  /** A node announces that sealed blocks are gone. */
  unwound(node: string, hashes: readonly string[]): void {
    for (const hash of hashes) this.#takenBack.add(hash)
    if (hashes.length === 0 || this.unwindings > 0) return
    this.fail('sealed', `${node} announces that block ${hashes[0]} is gone, and nobody unwound it`)
  }

  /**
   * Compares the chain of a node that has just opened, or at the end.
   *
   * @param through the newest block that it must have, and all acknowledged transactions; `undefined`: it may be behind
   */
  compare(node: string, access: NodeAccess, through: number | undefined): void {
    const latest = access.latest()
    for (const [number, { sealed, announced }] of this.#history.through(latest, access.sequence())) {
      const found = access.block(number)
      if (found === undefined) this.fail('sealed', `${node} lost block ${number}`)
      else if (sealed !== undefined && found.hash !== sealed.hash) {
        this.fail('sealed', `block ${number} of ${node} is ${found.hash}, before it was ${sealed.hash}`)
      } else if (!beginsWith(found.transactions, announced)) {
        this.fail('preconfirmed', `block ${number} of ${node} lacks announced transactions`)
      }
    }
    if (through === undefined) return
    if (through > latest + 1) this.fail('preconfirmed', `${node} ends with block ${latest}, ${through} was announced`)
    const [lost] = this.transactions.lost(access.find)
    if (lost !== undefined) this.fail('acknowledged', `${node} lost the acknowledged transaction ${lost.hash}`)
  }

  /** The first look at a record: what it says of the chain holds for all nodes that have applied it. */
  #follow(sequence: number, payload: Uint8Array): void {
    const record = decodeRecord(payload)
    if (record.kind === 'flashblock') {
      if (record.index === 0) this.#open(record.header.number, sequence)
      const { recorded } = this.#history.block(record.header.number, sequence)
      for (const { hash } of record.transactions) recorded.add(hash)
    } else if (record.kind === 'drop') {
      this.transactions.recordDrops(record.transactions.map(({ hash }) => hash))
    } else if (record.kind === 'unwind') {
      this.unwindings += 1
      this.transactions.withdraw(this.#history.begin(sequence, record.number))
      this.newest = { number: record.number, index: -1 }
    } else if (record.kind === 'alter') {
      // A flashblock with index 0 follows, which replaces an open block without transactions.
      this.#replaceEmpty(record.number, sequence)
    }
  }

  #open(number: number, sequence: number): void {
    if (this.mayReopen && this.#history.block(number, sequence).isOpened) this.#replaceEmpty(number - 1, sequence)
    this.#history.block(number, sequence).isOpened = true
  }

  /** A record takes the place of the open block above a height. */
  #replaceEmpty(height: number, sequence: number): void {
    const [taken] = this.#history.begin(sequence, height)
    if (taken !== undefined) this.fail('preconfirmed', `record ${sequence} replaces a block that has ${taken}`)
  }

  #extend(node: string, block: KnownBlock, { number, index, transactions }: ShownFlashblock): void {
    const [short, long] = [block.announced, transactions].sort((one, other) => one.length - other.length)
    if (!beginsWith(long!, short!)) {
      this.fail('preconfirmed', `flashblock ${number}/${index} of ${node} moves announced transactions`)
    }
    block.announced = long!
  }
}

function beginsWith(list: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((item, index) => list[index] === item)
}
