import { expect } from 'vitest'
import type { Block } from '../../src/chain/block/block.ts'
import type { Receipt } from '../../src/chain/receipt/receipt.ts'
import { encodeReceipt } from '../../src/chain/receipt/receipt-codec.ts'
import type { PoolTransaction } from '../../src/chain/transaction/transaction.ts'
import type { SoloHandle } from '../../src/node/roles/node-handle.ts'
import { PENDING } from '../../src/node/view/block-reference.ts'
import type { View } from '../../src/node/view/view.ts'
import { bytesToHex, type Hash } from '../../src/primitives/hex.ts'

interface AnnouncedFlashblock {
  readonly index: number
  /** Partial hash of the block. */
  readonly hash: Hash
  /** Receipts of the block so far. */
  readonly transactions: readonly Hash[]
  readonly receipts: readonly string[]
}

/** Records everything that a node announced, which later nodes on its directory must preserve. */
export class Announced {
  readonly acknowledged = new Map<Hash, PoolTransaction>()
  /** By block number, in index order. */
  readonly flashblocks = new Map<number, AnnouncedFlashblock[]>()
  readonly sealed = new Map<number, Hash>()
  sequence = 0
  readonly #dropped = new Set<Hash>()
  readonly #sent: PoolTransaction[] = []

  /** Subscribes to a node that was just opened. */
  follow(node: SoloHandle): void {
    const { events } = node
    // The initial head was announced before listeners could be added.
    const { pending } = node.view().head
    this.#add(node.view(), pending.index, pending.block, pending.receipts)
    events.on('flashblock', ({ view, layer, block }) => {
      const { head } = view
      const built = head.pending.block === block ? head.pending : head.recent.find((recent) => recent.block === block)!
      this.#add(view, layer.index, block, built.receipts)
    })
    events.on('sealed', ({ block }) => this.sealed.set(block.header.number, block.hash))
    // Replaced, or found invalid.
    events.on('dropped', ({ hash }) => {
      this.acknowledged.delete(hash)
      this.#dropped.add(hash)
    })
  }

  /** A transaction was sent; it may or may not be acknowledged. */
  sending(transaction: PoolTransaction): void {
    this.#sent.push(transaction)
  }

  /** A transaction was acknowledged. */
  acknowledge(transaction: PoolTransaction): void {
    // A replacement may have been included before the acknowledgement.
    if (!this.#dropped.has(transaction.hash)) this.acknowledged.set(transaction.hash, transaction)
  }

  /** Forgets everything above a block that is about to be unwound, and what transactions there replaced. */
  forgetAbove(number: number, view: View): void {
    const isAbove = (hash: Hash) => {
      const found = view.transaction(hash)
      return found?.kind === 'included' && found.block.block.header.number > number
    }
    for (const [hash, transaction] of this.acknowledged) {
      if ([hash, ...this.#rivals(transaction)].some(isAbove)) this.acknowledged.delete(hash)
    }
    for (const height of this.flashblocks.keys()) if (height > number) this.flashblocks.delete(height)
    for (const height of this.sealed.keys()) if (height > number) this.sealed.delete(height)
  }

  /** Fails if anything announced is missing or changed. */
  check(view: View): void {
    const { head } = view
    expect(head.sequence).toBeGreaterThanOrEqual(this.sequence)
    for (const [hash, transaction] of this.acknowledged) {
      if (view.transaction(hash) !== undefined) continue
      if (this.#rivals(transaction).every((rival) => view.transaction(rival) === undefined)) {
        expect.fail(`the acknowledged transaction ${hash} is lost`)
      }
    }
    for (const [number, hash] of this.sealed) {
      expect(view.block({ kind: 'number', number })?.block.hash, `sealed block ${number}`).toBe(hash)
    }
    for (const [number, flashblocks] of this.flashblocks) {
      const isOpen = number === head.pending.block.header.number
      const found = view.block(isOpen ? PENDING : { kind: 'number', number })
      if (found === undefined) expect.fail(`block ${number} is lost`)
      const transactions = found.block.transactions.map(({ hash }) => hash)
      const receipts = found.receipts.map(encoded)
      const newest = flashblocks.at(-1)!
      expect(transactions.slice(0, newest.transactions.length), `block ${number}`).toEqual(newest.transactions)
      expect(receipts.slice(0, newest.receipts.length)).toEqual(newest.receipts)
      if (isOpen) expect(head.pending.index).toBeGreaterThanOrEqual(newest.index)
      for (const { hash, index } of flashblocks) {
        const named = view.block({ kind: 'hash', hash, requireCanonical: false })
        expect(named?.block.header.number, `flashblock ${index} of block ${number} by its hash`).toBe(number)
      }
    }
  }

  /** Sent transactions with the same sender and nonce: a replacement may be durable before it is acknowledged. */
  #rivals({ hash, from, nonce }: PoolTransaction): readonly Hash[] {
    const rivals = this.#sent.filter((other) => other.hash !== hash && other.from === from && other.nonce === nonce)
    return rivals.map((rival) => rival.hash)
  }

  #add(view: View, index: number, block: Block, receipts: readonly Receipt[]): void {
    const { number } = block.header
    const flashblocks = this.flashblocks.get(number) ?? []
    this.flashblocks.set(number, flashblocks)
    const transactions = block.transactions.map(({ hash }) => hash)
    // The head of a restarted node was announced by the previous one.
    if (flashblocks.at(-1)?.index !== index) {
      flashblocks.push({ index, hash: block.hash, transactions, receipts: receipts.map(encoded) })
    }
    this.sequence = Math.max(this.sequence, view.head.sequence)
  }
}

function encoded(receipt: Receipt): string {
  return bytesToHex(encodeReceipt(receipt))
}
