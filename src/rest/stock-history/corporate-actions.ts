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
import type { ChainReads } from '../tokenized-stocks/chain-source.ts'
import { readFunctions } from '../tokenized-stocks/function-reads.ts'
import { functionRead, MAX_FEATURES, outputOf } from '../tokenized-stocks/token-reads.ts'
import type { HistoryBlocks } from './block-times.ts'

/** How a multiplier came out: it applies later, applies or has applied, or was withdrawn before its time. */
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
  /** `undefined` for a schedule that the token has without an event, such as one of block 0. */
  readonly source: ActionSource | undefined
}

/** The log that tells an action. */
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
 * events on the chain, not its length. Later events decide how a schedule came out, also those behind the range.
 *
 * @throws StatusError `notFound` when logs of the range are not kept; `deadlineExceeded`; as the reads
 */
export async function readActions(
  reads: ChainReads,
  { token, range, start, pageSize, newest }: Options,
): Promise<ActionPage> {
  const from = Math.max(range.first, start?.blockNumber ?? 0)
  if (from > range.last) return { actions: [], next: undefined }
  const page = new ActionsPage({ start, range, pageSize })
  const query: LogQuery = { addresses: [token], topics: [ACTION_EVENTS] }
  const since = await reads.scanLogs({ query, from, to: newest.number, visit: (match) => page.add(match) })
  if (since === undefined) {
    throw new StatusError('deadlineExceeded', 'the search took too long: name a later `from`, or a smaller page_size')
  }
  if (since > from) {
    const message = `the logs before block ${since} are not kept here, or cannot be searched: name ${since}, or a later block, as \`from\``
    throw new StatusError('notFound', message)
  }
  const { actions, next } = page.result(newest.timestamp)
  const isWhole = range.first === 0 && start === undefined && range.last === newest.number && next === undefined
  if (!isWhole) return { actions, next }
  const untold = await scheduleWithoutEvent(reads, token, newest.timestamp)
  const isTold = actions.some(
    ({ content, effectiveAt }) => content.kind === 'multiplier' && effectiveAt === untold?.effectiveAt,
  )
  return { actions: untold === undefined || isTold ? actions : [untold, ...actions], next: undefined }
}

/** The newest schedule in the state of a token, for those that began with one. */
async function scheduleWithoutEvent(reads: ChainReads, token: Address, now: bigint): Promise<LoggedAction | undefined> {
  const results = await readFunctions(reads, [
    { to: token, ...functionRead('newUIMultiplier()') },
    { to: token, ...functionRead('effectiveAt()') },
  ])
  const [multiplier, effectiveAt] = results.map((result) => wordAt(outputOf(result), 0))
  if (multiplier === undefined || effectiveAt === undefined || effectiveAt === 0n) return undefined
  const status = effectiveAt > now ? 'scheduled' : 'effective'
  return { source: undefined, effectiveAt, content: { kind: 'multiplier', status, multiplier, previous: undefined } }
}

/** Collects the actions of a page, and follows the last schedule until it is known how it came out. */
class ActionsPage {
  readonly #start: LogPlace | undefined
  readonly #last: number
  readonly #pageSize: number
  /** Whether no log of the token is before the page. */
  readonly #isFirst: boolean
  readonly #actions: LoggedAction[] = []
  /** Place of the newest schedule among the actions, until a later event decides it. */
  #undecided: number | undefined
  #hasMultiplier = false
  #next: LogPlace | undefined

  constructor({ start, range, pageSize }: Pick<Options, 'start' | 'range' | 'pageSize'>) {
    this.#start = start
    this.#last = range.last
    this.#pageSize = pageSize
    this.#isFirst = start === undefined && range.first === 0
  }

  /** @returns whether later logs are needed */
  add(match: LogMatch): boolean {
    const start = this.#start
    if (start !== undefined && match.blockNumber === start.blockNumber && match.logIndex < start.logIndex) return true
    const isCollecting = this.#next === undefined && match.blockNumber <= this.#last
    const isOfMultiplier = MULTIPLIER_EVENTS.includes(match.log.topics[0]!)
    if (isOfMultiplier) this.#decide(match.blockTimestamp)
    // A cancellation is the status of its schedule, which may be on an earlier page; one of block 0 has no event.
    const isTold = match.log.topics[0] === UI_MULTIPLIER_CANCELLED && (this.#hasMultiplier || !this.#isFirst)
    this.#hasMultiplier ||= isOfMultiplier
    if (isCollecting && !isTold && !this.#merge(match)) this.#collect(match)
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
