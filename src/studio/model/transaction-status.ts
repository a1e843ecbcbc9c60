import { momentText, numberOf } from '../../live/amount.ts'

/** A step in the life of a transaction. */
export interface StatusStep {
  readonly label: string
  readonly details: string
  readonly state: 'done' | 'current' | 'ahead' | 'failed'
}

export interface TransactionCondition {
  readonly status: 'unknown' | 'pooled' | 'preconfirmed' | 'sealed' | 'dropped'
  readonly waitsFor?: string | undefined
  readonly blockNumber?: number | undefined
  readonly flashblockIndex?: number | undefined
  /** When the node showed that flashblock, and the sealed block; Unix milliseconds by the clock of the node. */
  readonly preconfirmedAt?: number | undefined
  readonly sealedAt?: number | undefined
  readonly finality?: string | undefined
  readonly reason?: string | undefined
  readonly replacedBy?: string | undefined
  readonly details?: string | undefined
}

const WAITS: Readonly<Record<string, string>> = {
  flashblock: 'It is executable and waits for the next flashblock.',
  nonceGap: 'It waits for a transaction of the sender with a lower nonce.',
  predecessor: 'It waits for an earlier transaction of the sender that is pooled.',
  baseFee: 'Its maximum fee is below the base fee of the block.',
  balance: 'The sender cannot pay its value and gas yet.',
  gasRoom: 'It needs more gas than the open block has left.',
  predicates: 'One of its predicates does not hold.',
  dataFootprint: 'Its data need more room than the open block has left.',
}

const REASONS: Readonly<Record<string, string>> = {
  replaced: 'A transaction of the same sender and nonce replaced it.',
  nonceUsed: 'Another transaction of the sender with this nonce was included.',
  insufficientFunds: 'The sender can no longer pay for it.',
  evicted: 'The pool was full and others pay more.',
  expired: 'It waited longer than the pool keeps transactions, or its predicates allow no later block.',
  removed: 'It was removed on request.',
  invalid: 'It became invalid.',
  reorganised: 'A reorganisation undid it, and it did not fit into the new chain.',
}

/** Reads a result of `tickertape_transactionStatus`. */
export function transactionCondition(json: unknown): TransactionCondition {
  const members = (json ?? {}) as Readonly<Record<string, unknown>>
  const { status, waitsFor, blockNumber, finality, reason, replacedBy, details } = members
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return {
    status: (['pooled', 'preconfirmed', 'sealed', 'dropped'] as const).find((one) => one === status) ?? 'unknown',
    waitsFor: text((waitsFor as { reason?: unknown } | undefined)?.reason),
    blockNumber: numberOf(blockNumber),
    flashblockIndex: numberOf(members.flashblockIndex),
    preconfirmedAt: numberOf(members.preconfirmedAt),
    sealedAt: numberOf(members.sealedAt),
    finality: text(finality),
    reason: text(reason),
    replacedBy: text(replacedBy),
    details: text(details),
  }
}

/** The condition as far as a receipt and the transaction tell it, for nodes without the method. */
export function inferredCondition(blockNumber: number | undefined, isPooled: boolean): TransactionCondition {
  if (blockNumber !== undefined) return { status: 'sealed', blockNumber }
  return { status: isPooled ? 'pooled' : 'unknown' }
}

const SHORT_WAITS: Readonly<Record<string, string>> = {
  flashblock: 'the next flashblock',
  nonceGap: 'a lower nonce',
  predecessor: 'the one before it',
  baseFee: 'a lower base fee',
  balance: 'funds of the sender',
  gasRoom: 'room for its gas',
  predicates: 'its predicates',
  dataFootprint: 'room for its data',
}

/** `waitText` in few words, for tables. */
export function shortWaitText({ status, waitsFor }: TransactionCondition): string {
  return status === 'pooled' ? (SHORT_WAITS[waitsFor ?? ''] ?? waitsFor ?? '') : ''
}

/** Why a pooled transaction waits; empty for any other. */
export function waitText({ status, waitsFor }: TransactionCondition): string {
  return status === 'pooled' ? (WAITS[waitsFor ?? ''] ?? waitsFor ?? '') : ''
}

/** Why a transaction was dropped. */
export function dropText({ reason, details }: TransactionCondition): string {
  return [REASONS[reason ?? ''] ?? reason ?? 'The node does not say why.', details].filter(Boolean).join(' ')
}

/** The life of a transaction as steps: pool, flashblock, block, finality. */
export function statusSteps(condition: TransactionCondition): readonly StatusStep[] {
  const { status, blockNumber, flashblockIndex, preconfirmedAt, sealedAt, finality } = condition
  if (status === 'dropped') {
    return [
      { label: 'In the pool', details: '', state: 'done' },
      { label: 'Dropped', details: dropText(condition), state: 'failed' },
    ]
  }
  if (status === 'unknown') {
    return [{ label: 'Unknown', details: 'The node does not know this transaction.', state: 'failed' }]
  }
  const reached = { pooled: 0, preconfirmed: 1, sealed: 2 }[status]
  const stateOf = (step: number) => (step < reached ? 'done' : step === reached ? 'current' : 'ahead')
  const isFinal = finality === 'finalized'
  const slot = flashblockIndex === undefined ? '' : `Flashblock ${flashblockIndex} of block ${blockNumber}`
  const seal = blockNumber === undefined ? '' : `Block ${blockNumber}`
  const at = (text: string, moment: number | undefined) =>
    [text, moment === undefined ? '' : momentText(moment)].filter(Boolean).join(' · ')
  return [
    {
      label: 'In the pool',
      details: waitText(condition),
      state: stateOf(0),
    },
    { label: 'Pre-confirmed', details: reached >= 1 ? at(slot, preconfirmedAt) : '', state: stateOf(1) },
    {
      label: 'Sealed',
      details: reached >= 2 ? at(seal, sealedAt) : '',
      state: finality === undefined ? stateOf(2) : reached >= 2 ? 'done' : 'ahead',
    },
    ...(finality === undefined && reached < 2
      ? []
      : [
          {
            label: isFinal ? 'Final' : finality === 'safe' ? 'Safe' : 'Not final yet',
            details: '',
            state: isFinal ? ('done' as const) : finality === 'safe' ? ('current' as const) : ('ahead' as const),
          },
        ]),
  ]
}
