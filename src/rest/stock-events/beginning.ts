import type { NumberedLogs } from '../../node/log/record-history.ts'
import type { Address, Hash } from '../../primitives/hex.ts'

/** The record from which changes are followed: the first flashblock of a block. */
export interface Beginning {
  readonly sequence: number
  readonly number: number
  readonly parentHash: Hash
}

interface Options {
  /** The oldest block with state. */
  readonly oldestState: number
  /** Followed tokens. */
  readonly tokens: { has(token: Address): boolean }
}

/**
 * The oldest record from which the changes of tokens can be followed to the newest one: the state before its block is
 * known, no later record unwinds that state, and none changes a token from outside.
 */
export function beginningIn(records: readonly NumberedLogs[], { oldestState, tokens }: Options): Beginning | undefined {
  let found: Beginning | undefined
  let lowest = oldestState + 1
  const isTouched = (altered: ReadonlySet<Address>) => [...altered].some((address) => tokens.has(address))
  for (const { sequence, record } of records) {
    switch (record.kind) {
      case 'flashblock': {
        const { number, parentHash, index } = record
        if (index === 0 && number >= lowest && number < (found?.number ?? Number.POSITIVE_INFINITY)) {
          found = { sequence, number, parentHash }
        }
        break
      }
      case 'unwind':
      case 'alter':
        if (isTouched(record.altered)) {
          // The change applies between this block and the next one.
          lowest = record.number + 2
          found = undefined
        }
        if (record.kind === 'unwind' && record.number + 1 < (found?.number ?? 0)) found = undefined
        break
      default:
    }
  }
  return found
}
