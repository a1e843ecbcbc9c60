import type { Log } from '../../chain/receipt/log.ts'
import type { LogQuery } from '../../chain/receipt/log-query.ts'
import { type Address, type Hash, hexToBytes, ZERO_ADDRESS, ZERO_HASH } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { bytesToBigint, wordToAddress } from '../../primitives/quantity.ts'
import { decodeString, decodeWords, wordAt } from '../tokenized-stocks/abi.ts'
import { LAST_SECOND, MAX_FEATURES, MAX_TEXT_BYTES } from '../tokenized-stocks/token-reads.ts'
import type { AnnouncementAction, TokenChange, TokenState } from './token-state.ts'

/** Events of B20, ERC-20 and ERC-8056. */
export const TRANSFER = topicOf('Transfer(address,address,uint256)')
export const FEATURES_PAUSED = topicOf('Paused(address,uint8[])')
export const FEATURES_UNPAUSED = topicOf('Unpaused(address,uint8[])')
export const MULTIPLIER_UPDATED = topicOf('MultiplierUpdated(uint256)')
export const UI_MULTIPLIER_UPDATED = topicOf('UIMultiplierUpdated(uint256,uint256,uint256)')
export const UI_MULTIPLIER_CANCELLED = topicOf('UIMultiplierUpdateCancelled(uint256,uint256)')
export const ANNOUNCEMENT = topicOf('Announcement(address,string,string,string)')
export const END_ANNOUNCEMENT = topicOf('EndAnnouncement(string)')
/** Event of B20's factory. */
const CREATED = topicOf('B20Created(address,uint8,string,string,uint8,bytes)')
/** Event of a Chainlink aggregator. */
const ANSWER_UPDATED = topicOf('AnswerUpdated(int256,uint256,uint256)')

const FOLLOWED_EVENTS: ReadonlySet<Hash> = new Set([
  TRANSFER,
  FEATURES_PAUSED,
  FEATURES_UNPAUSED,
  MULTIPLIER_UPDATED,
  UI_MULTIPLIER_UPDATED,
  UI_MULTIPLIER_CANCELLED,
  ANNOUNCEMENT,
  END_ANNOUNCEMENT,
  CREATED,
  ANSWER_UPDATED,
])

const WAD = 10n ** 18n
/** Bytes of the description of an announcement. */
export const MAX_DESCRIPTION_BYTES = 4_096
/** Sign bit of an int256. */
const SIGN = 1n << 255n

function topicOf(signature: string): Hash {
  return keccakHash(Buffer.from(signature))
}

/** A token that the factory created: without supply, 1 share per token. */
export function newTokenIn({ topics, data }: Log): { readonly token: Address; readonly state: TokenState } | undefined {
  const [event, token] = topics
  const decimals = wordAt(data, 2)
  if (event !== CREATED || token === undefined || decimals === undefined || decimals > 255n) return undefined
  return {
    token: addressIn(token),
    state: {
      totalSupply: 0n,
      decimals: Number(decimals),
      multiplier: WAD,
      pausedFeatures: [],
      scheduled: undefined,
    },
  }
}

/** A price that a log of a feed announces; `undefined` for other logs and for what is no price. */
export function priceIn({ topics, data }: Log, decimals: number): Extract<TokenChange, { kind: 'price' }> | undefined {
  const [event, current] = topics
  const updatedAt = wordAt(data, 0)
  if (event !== ANSWER_UPDATED || current === undefined || updatedAt === undefined) return undefined
  const answer = wordIn(current)
  if (answer === 0n || answer >= SIGN || updatedAt === 0n || updatedAt > LAST_SECOND) return undefined
  return { kind: 'price', answer, decimals, updatedAt }
}

/** Whether changes may follow from a log. Most logs are transfers between accounts, which change no supply. */
export function isRelevant({ topics }: Log): boolean {
  const [event, from, to] = topics
  if (event === undefined || !FOLLOWED_EVENTS.has(event)) return false
  return event !== TRANSFER || from === ZERO_HASH || to === ZERO_HASH
}

/** Queries that find the relevant logs of these contracts: no transfers between accounts. */
export function relevantLogs(addresses: readonly Address[]): readonly LogQuery[] {
  const others = [...FOLLOWED_EVENTS].filter((event) => event !== TRANSFER)
  return [[[TRANSFER], [ZERO_HASH]], [[TRANSFER], [], [ZERO_HASH]], [others]].map((topics) => ({ addresses, topics }))
}

/** The token after a log of it, and what changed; `undefined`: nothing that has an event. */
export function changeIn(
  log: Log,
  before: TokenState,
  timestamp: bigint,
): { readonly after: TokenState; readonly change: TokenChange } | undefined {
  switch (log.topics[0]) {
    case TRANSFER:
      return supplyChange(log, before)
    case FEATURES_PAUSED:
    case FEATURES_UNPAUSED:
      return pauseChange(log, before)
    case MULTIPLIER_UPDATED:
      return multiplierChange(before, wordAt(log.data, 0))
    case UI_MULTIPLIER_UPDATED:
      return updatedMultiplier(log, before, timestamp)
    case UI_MULTIPLIER_CANCELLED:
      return cancelledMultiplier(log, before)
    case ANNOUNCEMENT:
    case END_ANNOUNCEMENT:
      return { after: before, change: { kind: 'corporate_action', action: announcementIn(log) } }
    default:
      return undefined
  }
}

function supplyChange({ topics, data }: Log, before: TokenState) {
  const [, from, to] = topics
  const amount = wordAt(data, 0)
  if (from === undefined || to === undefined || amount === undefined || amount === 0n) return undefined
  const isMint = addressIn(from) === ZERO_ADDRESS
  if (isMint === (addressIn(to) === ZERO_ADDRESS)) return undefined
  const difference = isMint ? amount : -amount
  const change: TokenChange = { kind: 'supply', difference }
  return { after: { ...before, totalSupply: before.totalSupply + difference }, change }
}

function pauseChange({ topics, data }: Log, before: TokenState) {
  const features = (decodeWords(data, MAX_FEATURES) ?? []).filter((feature) => feature <= 255n).map(Number)
  const others = before.pausedFeatures.filter((feature) => !features.includes(feature))
  const pausedFeatures =
    topics[0] === FEATURES_PAUSED ? [...others, ...new Set(features)].sort((a, b) => a - b) : others
  if (pausedFeatures.length === before.pausedFeatures.length) return undefined
  const change: TokenChange = { kind: 'pause' }
  return { after: { ...before, pausedFeatures }, change }
}

/** The multiplier applies now. */
export function multiplierChange(before: TokenState, multiplier: bigint | undefined) {
  if (multiplier === undefined || multiplier === 0n || multiplier === before.multiplier) return undefined
  const change: TokenChange = { kind: 'multiplier' }
  return { after: { ...before, multiplier, scheduled: undefined }, change }
}

/** ERC-8056: the event announces a schedule, or a multiplier that applies at once. */
function updatedMultiplier({ data }: Log, before: TokenState, timestamp: bigint) {
  const multiplier = wordAt(data, 1)
  const effectiveAt = wordAt(data, 2)
  if (multiplier === undefined || effectiveAt === undefined) return undefined
  if (effectiveAt <= timestamp) return multiplierChange(before, multiplier)
  const scheduled = { multiplier, effectiveAt }
  const change: TokenChange = { kind: 'corporate_action', action: { kind: 'multiplier_scheduled', next: scheduled } }
  return { after: { ...before, scheduled }, change }
}

function cancelledMultiplier({ data }: Log, before: TokenState) {
  const multiplier = wordAt(data, 0)
  const effectiveAt = wordAt(data, 1)
  if (multiplier === undefined || effectiveAt === undefined) return undefined
  const next = { multiplier, effectiveAt }
  const change: TokenChange = { kind: 'corporate_action', action: { kind: 'multiplier_cancelled', next } }
  return { after: { ...before, scheduled: undefined }, change }
}

/** The action of a log of `Announcement` or `EndAnnouncement`. */
export function announcementIn({ topics, data }: Log): AnnouncementAction {
  const announcement = decodeString(data, MAX_TEXT_BYTES)
  if (topics[0] === END_ANNOUNCEMENT) return { kind: 'announcement_ended', announcement }
  const description = decodeString(data, MAX_DESCRIPTION_BYTES, 1)
  return { kind: 'announced', announcement, description, uri: decodeString(data, MAX_TEXT_BYTES, 2) }
}

function wordIn(topic: Hash): bigint {
  return bytesToBigint(hexToBytes(topic))
}

function addressIn(topic: Hash): Address {
  return wordToAddress(wordIn(topic))
}
