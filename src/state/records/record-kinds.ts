import type { DroppedTransaction } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { StateDiff } from '../state-diff.ts'
import type { ChainRecord } from './record.ts'

// What code that does not apply records needs to know about their kinds. A new kind does not compile without its row.

type Kind = ChainRecord['kind']

interface Traits {
  readonly subject: 'chain' | 'pool' | 'leader'
  /** Whether another block is the newest sealed one after it. */
  readonly movesTip: boolean
}

const TRAITS = {
  flashblock: { subject: 'chain', movesTip: false },
  seal: { subject: 'chain', movesTip: true },
  unwind: { subject: 'chain', movesTip: true },
  alter: { subject: 'chain', movesTip: false },
  pool: { subject: 'pool', movesTip: false },
  drop: { subject: 'pool', movesTip: false },
  epoch: { subject: 'leader', movesTip: false },
} as const satisfies Record<Kind, Traits>

type RecordWith<Trait extends Partial<Traits>> = Extract<
  ChainRecord,
  { kind: { [K in Kind]: (typeof TRAITS)[K] extends Trait ? K : never }[Kind] }
>

/** A record of the blocks and of the state after them. */
export type ChainChange = RecordWith<{ subject: 'chain' }>
/** A record of the pool. */
export type PoolChange = RecordWith<{ subject: 'pool' }>
/** A record that makes another block the newest sealed one: a seal, or an unwind to an earlier block. */
export type TipChange = RecordWith<{ movesTip: true }>

export function isChainChange(record: ChainRecord): record is ChainChange {
  return TRAITS[record.kind].subject === 'chain'
}

export function isPoolChange(record: ChainRecord): record is PoolChange {
  return TRAITS[record.kind].subject === 'pool'
}

export function movesTip(record: ChainRecord): record is TipChange {
  return TRAITS[record.kind].movesTip
}

/** The block to which a record belongs, or after which it changes the state. */
export function heightOf(record: ChainChange): number {
  return record.kind === 'flashblock' ? record.header.number : record.number
}

/** The state changes in a record; `undefined`: none. */
export function stateChangeOf(record: ChainRecord): StateDiff | undefined {
  switch (record.kind) {
    case 'flashblock':
    case 'alter':
      return record.diff
    case 'unwind':
      return record.alterations
    case 'seal':
    case 'pool':
    case 'drop':
    case 'epoch':
      return undefined
    default:
      return record satisfies never
  }
}

/** Transactions that records add to the pool, and those that they drop. */
export function poolChangesOf(records: readonly PoolChange[]) {
  const pooled: PoolTransaction[] = []
  const dropped: DroppedTransaction[] = []
  for (const record of records) {
    switch (record.kind) {
      case 'pool':
        for (const transaction of record.transactions) pooled.push(transaction)
        break
      case 'drop':
        for (const transaction of record.transactions) dropped.push(transaction)
        break
      default:
        record satisfies never
    }
  }
  return { pooled, dropped }
}

/** Updates values by sealed height: a seal sets the value of its height, an unwind deletes those above its target. */
export function noteSeal<Value>(seals: Map<number, Value>, record: TipChange, value: Value): void {
  switch (record.kind) {
    case 'seal':
      seals.set(record.number, value)
      break
    case 'unwind':
      for (const number of seals.keys()) if (number > record.number) seals.delete(number)
      break
    default:
      record satisfies never
  }
}

/**
 * Whether records begin with block 1, so that they contain the whole chain; `undefined`: this one does not tell. The
 * records of an imported chain begin above its imported blocks.
 */
export function beginsWithBlock1(record: ChainRecord): boolean | undefined {
  return record.kind === 'flashblock' ? record.index === 0 && record.header.number === 1 : undefined
}

/** Whether an unwind to this height removes the effect of an earlier record. */
export function isUndoneBy(record: ChainRecord, unwoundTo: number): boolean {
  switch (record.kind) {
    case 'flashblock':
    case 'seal':
      return heightOf(record) > unwoundTo
    case 'alter':
      // An unwind removes the alterations of its block.
      return record.number >= unwoundTo
    case 'unwind':
    case 'pool':
    case 'drop':
    case 'epoch':
      return false
    default:
      return record satisfies never
  }
}
