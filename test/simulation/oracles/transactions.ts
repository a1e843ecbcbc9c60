import type { Actor } from '../world/scheduler.ts'

/** A transaction that a client sends. */
export interface Transfer {
  readonly hash: string
  readonly sender: string
  readonly nonce: bigint
  /** Priority fee in wei per gas: a replacement needs a higher one. */
  readonly tip: bigint
}

/** A transaction that a client sent. */
export interface SentTransaction extends Transfer {
  /** Its place among all sent ones. */
  readonly number: number
}

interface Acknowledged {
  readonly transaction: SentTransaction
  /** Transactions that had been sent by then. */
  readonly sentBefore: number
}

/** A transaction that a node reported as dropped. */
interface Drop {
  /** Transactions that had been sent by then. */
  readonly sentBefore: number
  readonly life: Actor
}

/** Says whether a node has a transaction, in a block or in its pool. */
export type Find = (hash: string) => 'included' | 'pooled' | undefined

/** The transactions of all clients, and the answers and reports about them. */
export class SentTransactions {
  readonly #bySlot = new Map<string, SentTransaction[]>()
  readonly #byHash = new Map<string, SentTransaction>()
  readonly #acknowledged = new Map<string, Acknowledged>()
  readonly #dropped = new Map<string, Drop>()
  /** Hashes of transactions whose drop a durable record has. */
  readonly #recordedDrops = new Set<string>()
  /** By sender and nonce: the newest transaction that an unwinding may have taken back. */
  readonly #withdrawn = new Map<string, number>()
  #sends = 0
  acknowledgements = 0
  /** Calls that may change which transactions are expected. */
  changes = 0

  send(transfer: Transfer): SentTransaction {
    this.changes += 1
    this.#sends += 1
    const sent = { ...transfer, number: this.#sends }
    const slot = slotOf(sent)
    this.#bySlot.set(slot, [...(this.#bySlot.get(slot) ?? []), sent])
    this.#byHash.set(sent.hash, sent)
    return sent
  }

  acknowledge(transaction: SentTransaction): void {
    this.changes += 1
    this.acknowledgements += 1
    // The response may arrive after its block was unwound.
    if (transaction.number <= (this.#withdrawn.get(slotOf(transaction)) ?? 0)) return
    this.#acknowledged.set(transaction.hash, { transaction, sentBefore: this.#sends })
  }

  drop(hash: string, life: Actor): void {
    this.changes += 1
    this.#dropped.set(hash, { sentBefore: this.#sends, life })
  }

  /** A durable record has the drops: they outlive the node that reported them. */
  recordDrops(hashes: readonly string[]): void {
    for (const hash of hashes) this.#recordedDrops.add(hash)
  }

  /** A leader records drops with its next flashblock: the next life has the transactions in its pool until then. */
  end(life: Actor): void {
    this.changes += 1
    for (const [hash, drop] of this.#dropped) {
      if (drop.life === life && !this.#recordedDrops.has(hash)) this.#dropped.delete(hash)
    }
  }

  /** Whether a node reported the transaction as dropped, and no client sent it again. */
  isDropped(hash: string): boolean {
    const drop = this.#dropped.get(hash)
    return drop !== undefined && (this.#byHash.get(hash)?.number ?? Number.POSITIVE_INFINITY) <= drop.sentBefore
  }

  /** Whether it is acknowledged, and no other one may have taken its place. */
  isExpected({ hash, ...transfer }: SentTransaction): boolean {
    const isAlone = this.#bySlot.get(slotOf({ hash, ...transfer }))?.length === 1
    return isAlone && this.#acknowledged.has(hash) && !this.#dropped.has(hash)
  }

  /** Transactions of unwound blocks do not return; nothing is promised of those that they replaced. */
  withdraw(hashes: readonly string[]): void {
    this.changes += 1
    for (const hash of hashes) {
      const sent = this.#byHash.get(hash)
      this.#dropped.delete(hash)
      if (sent === undefined) continue
      const slot = slotOf(sent)
      this.#withdrawn.set(slot, this.#sends)
      for (const other of this.#bySlot.get(slot)!) this.#acknowledged.delete(other.hash)
    }
  }

  /** Acknowledged transactions that are not in a block yet. */
  unincluded(find: Find): readonly SentTransaction[] {
    const isIncluded = (hash: string) => find(hash) === 'included'
    return this.#openOnes(isIncluded)
  }

  /** Acknowledged transactions that a node neither has nor reported. */
  lost(find: Find): readonly SentTransaction[] {
    return this.#openOnes((hash) => find(hash) !== undefined)
  }

  #openOnes(isFound: (hash: string) => boolean): readonly SentTransaction[] {
    return [...this.#acknowledged.values()]
      .filter(({ transaction: { hash } }) => !isFound(hash) && !this.#dropped.has(hash))
      .filter((acknowledged) => !this.#replacements(acknowledged).some(({ hash }) => isFound(hash)))
      .map(({ transaction }) => transaction)
  }

  /**
   * Others of the same sender and nonce that may be there instead without a report: sent before the acknowledgement, or
   * with a higher fee. One with the same fee that was sent later is refused, unless the acknowledged one is lost.
   */
  #replacements({ transaction, sentBefore }: Acknowledged): readonly SentTransaction[] {
    return this.#bySlot
      .get(slotOf(transaction))!
      .filter(({ hash }) => hash !== transaction.hash)
      .filter(({ number, tip }) => number <= sentBefore || tip > transaction.tip)
  }
}

function slotOf({ sender, nonce }: Transfer): string {
  return `${sender} ${nonce}`
}
