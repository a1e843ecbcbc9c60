import type { ShownBlock, ShownFlashblock } from '../guest/simulation.ts'

/** A block as it became visible. */
export class KnownBlock {
  /** Hashes by index. */
  readonly flashblocks = new Map<number, string>()
  /** Transactions that a durable record includes. */
  readonly recorded = new Set<string>()
  /** The longest list of transactions that was announced. */
  announced: readonly string[] = []
  sealed: ShownBlock | undefined
  /** Whether a durable record opens it. */
  isOpened = false

  /** @returns the hash that was announced for the flashblock before; `undefined`: it is new */
  announce({ index, hash }: ShownFlashblock): string | undefined {
    const known = this.flashblocks.get(index)
    if (known === undefined) this.flashblocks.set(index, hash)
    return known
  }
}

/** The chain between two records that replace blocks. */
class Era {
  /** The record with which it begins. */
  readonly from: number
  readonly #before: Era | undefined
  /** The newest block that it has in common with the era before. */
  readonly #common: number
  readonly #blocks = new Map<number, KnownBlock>()

  constructor(from: number, before: Era | undefined, common: number) {
    this.from = from
    this.#before = before
    this.#common = common
  }

  block(number: number): KnownBlock {
    if (this.#before !== undefined && number <= this.#common) return this.#before.block(number)
    const known = this.#blocks.get(number) ?? new KnownBlock()
    this.#blocks.set(number, known)
    return known
  }

  /** Numbers of its blocks above a height. */
  above(height: number): readonly number[] {
    const common = this.#before === undefined ? [] : this.#before.above(height).filter((one) => one <= this.#common)
    return [...common, ...[...this.#blocks.keys()].filter((number) => number > height)]
  }
}

/** All blocks that became visible. A node that has not applied the record of an era shows the one before. */
export class ChainHistory {
  readonly #eras: Era[] = [new Era(0, undefined, 0)]

  /** The block as a node shows it whose newest record is `sequence`. */
  block(number: number, sequence: number): KnownBlock {
    return this.#at(sequence).block(number)
  }

  /** Blocks up to `latest` that a node with this newest record must have. */
  *through(latest: number, sequence: number): Iterable<readonly [number: number, block: KnownBlock]> {
    const era = this.#at(sequence)
    for (const number of era.above(-1)) if (number <= latest) yield [number, era.block(number)]
  }

  isNewest(sequence: number): boolean {
    return this.#at(sequence) === this.#eras.at(-1)
  }

  /**
   * Begins an era with a record that replaces the blocks above a height.
   *
   * @returns transactions of the replaced blocks
   */
  begin(sequence: number, number: number): readonly string[] {
    const before = this.#eras.at(-1)!
    this.#eras.push(new Era(sequence, before, number))
    return before.above(number).flatMap((taken) => [...before.block(taken).recorded])
  }

  #at(sequence: number): Era {
    return this.#eras.findLast(({ from }) => from <= sequence)!
  }
}
