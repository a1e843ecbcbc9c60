import type { ChainRecord } from '../../state/records/record.ts'

/** Finds the record with which each block begins: the first alteration before it, or else its flashblock 0. */
export class BlockBeginnings {
  /** The newest sealed block if it has alterations. */
  #alteredBlock: number | undefined

  /** The block that begins with the next record, if one does. */
  take(record: ChainRecord): number | undefined {
    switch (record.kind) {
      case 'flashblock': {
        const { number } = record.header
        return record.index === 0 && number - 1 !== this.#alteredBlock ? number : undefined
      }
      case 'alter':
        return this.#altered(record.number)
      case 'unwind':
        this.#alteredBlock = undefined
        return record.alterations && this.#altered(record.number)
      case 'seal':
        this.#alteredBlock = undefined
        return undefined
      case 'pool':
      case 'drop':
      case 'epoch':
        return undefined
      default:
        return record satisfies never
    }
  }

  #altered(number: number): number | undefined {
    if (this.#alteredBlock === number) return undefined
    this.#alteredBlock = number
    return number + 1
  }
}
