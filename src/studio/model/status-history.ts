import { dropText, type TransactionCondition, waitText } from './transaction-status.ts'

/** A condition of a transaction that lasted until the next one. */
export interface StatusEntry {
  readonly condition: TransactionCondition
  /** Unix time in milliseconds; `undefined` if it was so before this page looked. */
  readonly at: number | undefined
}

/** Times at which this page, or else its node, saw something happen to the transaction. */
export interface SeenTimes {
  readonly now: number
  /** When it was sent, or announced as pooled. */
  readonly sentAt: number | undefined
  readonly flashblockAt: number | undefined
  readonly sealedAt: number | undefined
}

/** Entries of one transaction. */
const MAX_ENTRIES = 30
/** Transactions that are remembered; those that were seen first are forgotten first. */
const MAX_TRANSACTIONS = 200

/** The history with a condition at its end; the same one if nothing changed. Bounded: the oldest waits leave. */
export function nextHistory(
  before: readonly StatusEntry[],
  condition: TransactionCondition,
  times: SeenTimes,
): readonly StatusEntry[] {
  const last = before.at(-1)
  if (last !== undefined && isSame(last.condition, condition)) return before
  const missed = missedEntries(before, condition, times)
  return [...before, ...missed, { condition, at: timeOf(condition, times, before.length > 0) }].slice(-MAX_ENTRIES)
}

/** Steps that the transaction took between two reads of its status, with the times that the live timeline has. */
function missedEntries(
  before: readonly StatusEntry[],
  { status, blockNumber, flashblockIndex, finality }: TransactionCondition,
  { sentAt, flashblockAt, sealedAt }: SeenTimes,
): readonly StatusEntry[] {
  if (status === 'pooled' || status === 'unknown') return []
  const isKnown = (...known: TransactionCondition['status'][]) =>
    before.some((entry) => known.includes(entry.condition.status))
  const isSealed = status === 'sealed'
  const missed: readonly (false | StatusEntry)[] = [
    before.length === 0 && { condition: { status: 'pooled' }, at: sentAt },
    isSealed && !isKnown('preconfirmed', 'sealed') && flashblockIndex !== undefined
      ? { condition: { status: 'preconfirmed', blockNumber, flashblockIndex }, at: flashblockAt }
      : false,
    isSealed &&
      isAdvanced(finality) &&
      !isKnown('sealed') && {
        condition: { status: 'sealed', blockNumber },
        at: sealedAt,
      },
  ]
  return missed.filter((entry) => entry !== false).filter(({ at }) => at !== undefined)
}

/** @param isWatched whether this page saw an earlier condition, so that this one began a moment ago */
function timeOf({ status, finality }: TransactionCondition, times: SeenTimes, isWatched: boolean): number | undefined {
  const { now, sentAt, flashblockAt, sealedAt } = times
  const begun = isWatched ? now : undefined
  switch (status) {
    case 'pooled':
      // The reason of a wait changes while the transaction stays pooled.
      return isWatched ? now : sentAt
    case 'preconfirmed':
      return flashblockAt ?? begun
    case 'sealed':
      return isAdvanced(finality) ? begun : (sealedAt ?? begun)
    default:
      return begun
  }
}

function isAdvanced(finality: string | undefined): boolean {
  return finality === 'safe' || finality === 'finalized'
}

function isSame(a: TransactionCondition, b: TransactionCondition): boolean {
  return (
    a.status === b.status &&
    a.waitsFor === b.waitsFor &&
    a.blockNumber === b.blockNumber &&
    a.finality === b.finality &&
    a.reason === b.reason
  )
}

/** An entry in words. */
export function entryText(condition: TransactionCondition): string {
  const { status, blockNumber, flashblockIndex, finality } = condition
  switch (status) {
    case 'unknown':
      return 'The node did not know it.'
    case 'pooled':
      return waitText(condition) || 'It was sent, or announced as pooled.'
    case 'preconfirmed':
      return `Pre-confirmed${flashblockIndex === undefined ? '' : ` in flashblock ${flashblockIndex}`} of block ${blockNumber}.`
    case 'sealed':
      if (finality === 'finalized') return `Block ${blockNumber} is final.`
      return finality === 'safe' ? `Block ${blockNumber} is safe.` : `Sealed in block ${blockNumber}.`
    case 'dropped':
      return `Dropped. ${dropText(condition)}`
  }
}

/** What this page saw of transactions; views that are opened again go on with it. */
export class StatusHistories {
  readonly #entries = new Map<string, readonly StatusEntry[]>()

  /** Notes a condition. @returns the history with it */
  observe(hash: string, condition: TransactionCondition, times: SeenTimes): readonly StatusEntry[] {
    const entries = nextHistory(this.#entries.get(hash) ?? [], condition, times)
    this.#entries.set(hash, entries)
    if (this.#entries.size > MAX_TRANSACTIONS) this.#entries.delete(this.#entries.keys().next().value!)
    return entries
  }
}
