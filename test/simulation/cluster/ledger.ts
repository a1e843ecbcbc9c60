import { createHash } from 'node:crypto'
import type { NodeAccess } from '../guest/node-access.ts'
import type { ShownBlock, ShownFlashblock } from '../guest/simulation.ts'
import { type Oracle, SimulationFailure } from './failure.ts'

interface KnownBlock {
  /** Flashblocks by index. */
  readonly flashblocks: Map<number, ShownFlashblock>
  /** The longest list of transactions that was announced. */
  transactions: readonly string[]
  sealed: ShownBlock | undefined
}

/** A transaction that a client sent. */
export interface SentTransaction {
  readonly hash: string
  readonly sender: string
  readonly nonce: bigint
  /** Priority fee in wei per gas: a replacement needs a higher one. */
  readonly tip: bigint
}

interface Acknowledged {
  readonly transaction: SentTransaction
  /** Transactions that had been sent by then. */
  readonly sentBefore: number
}

/** Everything that became visible outside the nodes, which no node may contradict later. */
export class Ledger {
  readonly #blocks = new Map<number, KnownBlock>()
  readonly #records = new Map<number, string>()
  readonly #acknowledged = new Map<string, Acknowledged>()
  readonly #dropped = new Set<string>()
  readonly #sent = new Map<string, { readonly transaction: SentTransaction; readonly number: number }[]>()
  #sends = 0
  /** The first broken promise. */
  failure: SimulationFailure | undefined
  flashblocks = 0
  /** The newest record that may have left a node. */
  newestRecord = 0
  /** Number and index of the newest flashblock. */
  newest = { number: 0, index: -1 }

  get acknowledged(): number {
    return this.#acknowledged.size
  }

  fail(oracle: Oracle, message: string, cause?: unknown): void {
    this.failure ??= new SimulationFailure(oracle, message, cause)
  }

  sending(transaction: SentTransaction): void {
    const slot = slotOf(transaction)
    this.#sends += 1
    this.#sent.set(slot, [...(this.#sent.get(slot) ?? []), { transaction, number: this.#sends }])
  }

  acknowledge(transaction: SentTransaction): void {
    this.#acknowledged.set(transaction.hash, { transaction, sentBefore: this.#sends })
  }

  drop(hash: string): void {
    this.#dropped.add(hash)
  }

  record(node: string, sequence: number, payload: Uint8Array): void {
    const digest = createHash('sha256').update(payload).digest('hex')
    this.newestRecord = Math.max(this.newestRecord, sequence)
    const known = this.#records.get(sequence)
    if (known === undefined) this.#records.set(sequence, digest)
    else if (known !== digest) this.fail('records', `record ${sequence} of ${node} differs from the one before`)
  }

  flashblock(node: string, shown: ShownFlashblock): void {
    const { number, index, hash, transactions } = shown
    const block = this.#block(number)
    const known = block.flashblocks.get(index)
    if (known === undefined) {
      this.flashblocks += 1
      block.flashblocks.set(index, shown)
    } else if (known.hash !== hash) {
      this.fail('preconfirmed', `flashblock ${number}/${index} of ${node} is ${hash}, before it was ${known.hash}`)
    }
    this.#extend(node, block, shown)
    if (block.sealed !== undefined && !beginsWith(block.sealed.transactions, transactions)) {
      this.fail('preconfirmed', `flashblock ${number}/${index} of ${node} is not in the sealed block`)
    }
    if (number > this.newest.number || (number === this.newest.number && index > this.newest.index)) {
      this.newest = { number, index }
    }
  }

  sealed(node: string, shown: ShownBlock): void {
    const block = this.#block(shown.number)
    if (block.sealed !== undefined && block.sealed.hash !== shown.hash) {
      this.fail('sealed', `block ${shown.number} of ${node} is ${shown.hash}, before it was ${block.sealed.hash}`)
    }
    block.sealed ??= shown
    if (!beginsWith(shown.transactions, block.transactions)) {
      this.fail('preconfirmed', `block ${shown.number} of ${node} was sealed without announced transactions`)
    }
  }

  /**
   * Compares the chain of a node that has just opened, or at the end.
   *
   * @param through the newest block that it must have, and all acknowledged transactions; `undefined`: it may be behind
   */
  compare(node: string, access: NodeAccess, through: number | undefined): void {
    const latest = access.latest()
    for (const [number, { sealed, transactions }] of this.#blocks) {
      if (number > latest) continue
      const found = access.block(number)
      if (found === undefined) this.fail('sealed', `${node} lost block ${number}`)
      else if (sealed !== undefined && found.hash !== sealed.hash) {
        this.fail('sealed', `block ${number} of ${node} is ${found.hash}, before it was ${sealed.hash}`)
      } else if (!beginsWith(found.transactions, transactions)) {
        this.fail('preconfirmed', `block ${number} of ${node} lacks announced transactions`)
      }
    }
    if (through === undefined) return
    if (through > latest + 1) this.fail('preconfirmed', `${node} ends with block ${latest}, ${through} was announced`)
    for (const acknowledged of this.#acknowledged.values()) {
      if (!this.#isAccountedFor(acknowledged, access)) {
        this.fail('acknowledged', `${node} lost the acknowledged transaction ${acknowledged.transaction.hash}`)
      }
    }
  }

  /** Acknowledged transactions that are not in a block yet. */
  unincluded(access: NodeAccess): readonly SentTransaction[] {
    const isIncluded = ({ hash }: SentTransaction) => access.find(hash) === 'included'
    return [...this.#acknowledged.values()]
      .filter(({ transaction }) => !isIncluded(transaction) && !this.#dropped.has(transaction.hash))
      .filter((acknowledged) => !this.#replacements(acknowledged).some(isIncluded))
      .map(({ transaction }) => transaction)
  }

  #isAccountedFor(acknowledged: Acknowledged, access: NodeAccess): boolean {
    const { hash } = acknowledged.transaction
    if (access.find(hash) !== undefined || this.#dropped.has(hash)) return true
    return this.#replacements(acknowledged).some((replacement) => access.find(replacement.hash) !== undefined)
  }

  /**
   * Others of the same sender and nonce that may be there instead without a report: sent before the acknowledgement, or
   * with a higher fee. One with the same fee that was sent later is refused, unless the acknowledged one is lost.
   */
  #replacements({ transaction, sentBefore }: Acknowledged): readonly SentTransaction[] {
    return (this.#sent.get(slotOf(transaction)) ?? [])
      .filter((sent) => sent.transaction.hash !== transaction.hash)
      .filter((sent) => sent.number <= sentBefore || sent.transaction.tip > transaction.tip)
      .map((sent) => sent.transaction)
  }

  #block(number: number): KnownBlock {
    const known = this.#blocks.get(number) ?? { flashblocks: new Map(), transactions: [], sealed: undefined }
    this.#blocks.set(number, known)
    return known
  }

  #extend(node: string, block: KnownBlock, { number, index, transactions }: ShownFlashblock): void {
    const [short, long] = [block.transactions, transactions].sort((one, other) => one.length - other.length)
    if (!beginsWith(long!, short!)) {
      this.fail('preconfirmed', `flashblock ${number}/${index} of ${node} moves announced transactions`)
    }
    block.transactions = long!
  }
}

function slotOf({ sender, nonce }: SentTransaction): string {
  return `${sender} ${nonce}`
}

function beginsWith(list: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((item, index) => list[index] === item)
}
