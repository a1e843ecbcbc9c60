import type { LogMatch, LogQuery } from '../../chain/receipt/log-query.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import type { LogPlace } from '../http/range-parameters.ts'
import { StatusError } from '../http/status.ts'
import {
  ANNOUNCEMENT,
  announcementIn,
  END_ANNOUNCEMENT,
  FEATURES_PAUSED,
  FEATURES_UNPAUSED,
  MULTIPLIER_UPDATED,
  UI_MULTIPLIER_CANCELLED,
  UI_MULTIPLIER_UPDATED,
} from '../stock-events/log-changes.ts'
import type { AnnouncementAction } from '../stock-events/token-state.ts'
import { decodeWords, wordAt } from '../tokenized-stocks/abi.ts'
import type { ChainReads, LogScan } from '../tokenized-stocks/chain-source.ts'
import { readFunctions } from '../tokenized-stocks/function-reads.ts'
import { functionRead, MAX_FEATURES, outputOf } from '../tokenized-stocks/token-reads.ts'
import type { HistoryBlocks } from './block-times.ts'

/** `cancelled`: withdrawn, or replaced by another multiplier, before its time. */
export type MultiplierStatus = 'scheduled' | 'effective' | 'cancelled'

type ActionContent =
  | {
      readonly kind: 'multiplier'
      readonly status: MultiplierStatus
      /** Shares per token, with 18 decimals. */
      readonly multiplier: bigint
      /** `undefined` where the event does not name it. */
      readonly previous: bigint | undefined
    }
  | AnnouncementAction
  /** Ordinals of the features that the log names. */
  | { readonly kind: 'paused' | 'unpaused'; readonly features: readonly number[] }

/** A corporate action of a token. */
export interface LoggedAction {
  readonly content: ActionContent
  /** Unix seconds: when a multiplier applies, otherwise the time of the block. */
  readonly effectiveAt: bigint
  /** `undefined` for a schedule without an event, such as one of block 0. */
  readonly source: ActionSource | undefined
}

/** The log of an action. */
interface ActionSource extends LogPlace {
  readonly blockHash: Hash
  /** Unix seconds. */
  readonly timestamp: bigint
  readonly transactionHash: Hash
}

const MULTIPLIER_EVENTS: readonly Hash[] = [MULTIPLIER_UPDATED, UI_MULTIPLIER_UPDATED, UI_MULTIPLIER_CANCELLED]
const ACTION_EVENTS: readonly Hash[] = [
  ...MULTIPLIER_EVENTS,
  FEATURES_PAUSED,
  FEATURES_UNPAUSED,
  ANNOUNCEMENT,
  END_ANNOUNCEMENT,
]

interface Options {
  readonly token: Address
  readonly range: HistoryBlocks
  /** The log with which the page begins. Default: the first one of the range. */
  readonly start: LogPlace | undefined
  readonly pageSize: number
  /** Number and time of the block of the response. */
  readonly newest: { readonly number: number; readonly timestamp: bigint }
}

/** A page of actions, and the place of the next page; `undefined` if it is the last one. */
interface ActionPage {
  readonly actions: readonly LoggedAction[]
  readonly next: LogPlace | undefined
}

/**
 * Corporate actions of a token in the order of the chain, from the log index: the cost follows the number of these
 * events on the chain, not its length. Later events decide the status of a schedule, also those behind the range. A
 * schedule without an event is the first entry of a range that begins with block 0.
 *
 * @throws StatusError `notFound` when logs of the range are not kept; `deadlineExceeded`; as the reads
 */
export async function readActions(
  reads: ChainReads,
  { token, range, start, pageSize, newest }: Options,
): Promise<ActionPage> {
  const from = Math.max(range.first, start?.blockNumber ?? 0)
  if (from > range.last) return { actions: [], next: undefined }
  const isFirstPage = range.first === 0 && start === undefined
  const schedule = isFirstPage ? await scheduleWithoutEvent(reads, token, newest) : undefined
  const before: readonly LoggedAction[] = schedule === undefined ? [] : [schedule]
  // A page that begins later than the chain may follow any event of the multiplier.
  const hasMultiplier = range.first > 0 || (start !== undefined && (await hasMultiplierBefore(reads, token, start)))
  const page = new ActionsPage({ start, last: range.last, pageSize: pageSize - before.length, hasMultiplier })
  const query: LogQuery = { addresses: [token], topics: [ACTION_EVENTS] }
  await searchLogs(reads, { query, from, to: newest.number, visit: (match) => page.add(match) })
  const { actions, next } = page.result(newest.timestamp)
  return { actions: [...before, ...actions], next }
}

/** @throws StatusError `notFound` when logs of the range are not kept; `deadlineExceeded`; as the reads */
async function searchLogs(reads: ChainReads, scan: LogScan): Promise<void> {
  const since = await reads.scanLogs(scan)
  if (since === undefined) {
    throw new StatusError('deadlineExceeded', 'the search took too long: name a later `from`, or a smaller page_size')
  }
  if (since > scan.from) {
    const advice = `name ${since}, or a later block, as \`from\``
    throw new StatusError('notFound', `the logs before block ${since} are not kept or cannot be searched: ${advice}`)
  }
}

/** The newest schedule in the state of a token, unless an event reported it. */
async function scheduleWithoutEvent(
  reads: ChainReads,
  token: Address,
  newest: Options['newest'],
): Promise<LoggedAction | undefined> {
  const results = await readFunctions(reads, [
    { to: token, ...functionRead('newUIMultiplier()') },
    { to: token, ...functionRead('effectiveAt()') },
  ])
  const [multiplier, effectiveAt] = results.map((result) => wordAt(outputOf(result), 0))
  if (multiplier === undefined || effectiveAt === undefined || effectiveAt === 0n) return undefined
  const isItsEvent = (match: LogMatch) => actionIn(match)?.effectiveAt === effectiveAt
  if (await hasMultiplierEvent(reads, token, newest.number, isItsEvent)) return undefined
  const status = effectiveAt > newest.timestamp ? 'scheduled' : 'effective'
  return { source: undefined, effectiveAt, content: { kind: 'multiplier', status, multiplier, previous: undefined } }
}

function hasMultiplierBefore(reads: ChainReads, token: Address, place: LogPlace): Promise<boolean> {
  const isBefore = (match: LogMatch) => match.blockNumber < place.blockNumber || match.logIndex < place.logIndex
  return hasMultiplierEvent(reads, token, place.blockNumber, isBefore)
}

/** Whether the blocks up to `to` have a matching event of the multiplier. */
async function hasMultiplierEvent(
  reads: ChainReads,
  token: Address,
  to: number,
  matches: (match: LogMatch) => boolean,
): Promise<boolean> {
  let isFound = false
  const visit = (match: LogMatch) => {
    isFound ||= matches(match)
    return !isFound
  }
  await searchLogs(reads, { query: { addresses: [token], topics: [MULTIPLIER_EVENTS] }, from: 0, to, visit })
  return isFound
}

interface PageOptions extends Pick<Options, 'start' | 'pageSize'> {
  /** The last block of the range. */
  readonly last: number
  /** Whether an event of the multiplier is before the page, or may be. */
  readonly hasMultiplier: boolean
}

/** Collects the actions of a page, and follows the last schedule until its status is known. */
class ActionsPage {
  readonly #start: LogPlace | undefined
  readonly #last: number
  readonly #pageSize: number
  readonly #actions: LoggedAction[] = []
  /** Place of the newest schedule among the actions, until a later event decides it. */
  #undecided: number | undefined
  /** Whether an event of the multiplier is before the next log, or may be. */
  #hasMultiplier: boolean
  #next: LogPlace | undefined

  constructor({ start, last, pageSize, hasMultiplier }: PageOptions) {
    this.#start = start
    this.#last = last
    this.#pageSize = pageSize
    this.#hasMultiplier = hasMultiplier
  }

  /** @returns whether later logs are needed */
  add(match: LogMatch): boolean {
    const start = this.#start
    if (start !== undefined && match.blockNumber === start.blockNumber && match.logIndex < start.logIndex) return true
    const isCollecting = this.#next === undefined && match.blockNumber <= this.#last
    const isOfMultiplier = MULTIPLIER_EVENTS.includes(match.log.topics[0]!)
    if (isOfMultiplier) this.#decide(match.blockTimestamp)
    // A cancellation is the status of its schedule, which may be on an earlier page; one of block 0 has no event.
    const isStatus = match.log.topics[0] === UI_MULTIPLIER_CANCELLED && this.#hasMultiplier
    this.#hasMultiplier ||= isOfMultiplier
    if (isCollecting && !isStatus && !this.#merge(match)) this.#collect(match)
    return (this.#next === undefined && match.blockNumber <= this.#last) || this.#undecided !== undefined
  }

  result(now: bigint): ActionPage {
    this.#decideLast(now)
    return { actions: this.#actions, next: this.#next }
  }

  #collect(match: LogMatch): void {
    const action = actionIn(match)
    if (action === undefined) return
    if (this.#actions.length === this.#pageSize) {
      this.#next = { blockNumber: match.blockNumber, logIndex: match.logIndex }
      return
    }
    this.#actions.push(action)
    const { content } = action
    if (content.kind === 'multiplier' && content.status === 'scheduled') this.#undecided = this.#actions.length - 1
  }

  /** B20 announces a multiplier that applies at once with two events. */
  #merge({ log, blockNumber, transactionHash }: LogMatch): boolean {
    const [event] = log.topics
    const action = this.#actions.at(-1)
    if (event !== UI_MULTIPLIER_UPDATED || action?.content.kind !== 'multiplier') return false
    const isSame =
      action.source?.transactionHash === transactionHash &&
      action.source.blockNumber === blockNumber &&
      action.content.previous === undefined &&
      action.content.multiplier === wordAt(log.data, 1) &&
      action.effectiveAt === wordAt(log.data, 2)
    if (!isSame) return false
    const content = { ...action.content, previous: wordAt(log.data, 0) }
    this.#actions[this.#actions.length - 1] = { ...action, content }
    return true
  }

  /** A token has one schedule at most: each event of its multiplier ends the one before it. */
  #decide(timestamp: bigint): void {
    if (this.#undecided === undefined) return
    const { effectiveAt } = this.#actions[this.#undecided]!
    this.#setStatus(effectiveAt <= timestamp ? 'effective' : 'cancelled')
  }

  #decideLast(now: bigint): void {
    if (this.#undecided === undefined) return
    if (this.#actions[this.#undecided]!.effectiveAt <= now) this.#setStatus('effective')
  }

  #setStatus(status: MultiplierStatus): void {
    const index = this.#undecided!
    const action = this.#actions[index]!
    if (action.content.kind === 'multiplier')
      this.#actions[index] = { ...action, content: { ...action.content, status } }
    this.#undecided = undefined
  }
}

/** `undefined`: the log says nothing of its own. */
function actionIn(match: LogMatch): LoggedAction | undefined {
  const { log, blockNumber, blockHash, blockTimestamp: timestamp, transactionHash, logIndex } = match
  const source = { blockNumber, logIndex, blockHash, timestamp, transactionHash }
  const place = { source, effectiveAt: timestamp }
  const { data } = log
  switch (log.topics[0]) {
    case MULTIPLIER_UPDATED: {
      const multiplier = wordAt(data, 0)
      if (multiplier === undefined) return undefined
      return { ...place, content: { kind: 'multiplier', status: 'effective', multiplier, previous: undefined } }
    }
    case UI_MULTIPLIER_UPDATED: {
      const [previous, multiplier, effectiveAt] = [0, 1, 2].map((index) => wordAt(data, index))
      if (multiplier === undefined || effectiveAt === undefined) return undefined
      const status = effectiveAt > timestamp ? 'scheduled' : 'effective'
      return { ...place, effectiveAt, content: { kind: 'multiplier', status, multiplier, previous } }
    }
    case FEATURES_PAUSED:
    case FEATURES_UNPAUSED: {
      const features = (decodeWords(data, MAX_FEATURES) ?? []).filter((feature) => feature <= 255n).map(Number)
      return { ...place, content: { kind: log.topics[0] === FEATURES_PAUSED ? 'paused' : 'unpaused', features } }
    }
    case ANNOUNCEMENT:
    case END_ANNOUNCEMENT:
      return { ...place, content: announcementIn(log) }
    case UI_MULTIPLIER_CANCELLED: {
      const [multiplier, effectiveAt] = [0, 1].map((index) => wordAt(data, index))
      if (multiplier === undefined || effectiveAt === undefined) return undefined
      const content: ActionContent = { kind: 'multiplier', status: 'cancelled', multiplier, previous: undefined }
      return { ...place, effectiveAt, content }
    }
    default:
      return undefined
  }
}
