import { compact, grouped, percentOf, shortHex } from '../../live/amount.ts'
import { liveSummary } from '../../live/live-summary.ts'
import { visibilityNow } from '../../live/sent-to-visible.ts'
import { plainText } from './plain-text.ts'
import type { WatchEvent } from './watch-events.ts'
import type { PoolSize, WatchState } from './watch-state.ts'

/** Longest text of a node in a line. */
const MAX_TEXT = 80

/** The line of an event for people; `undefined` for flashblocks, of which a block has many. */
export function eventLine(event: WatchEvent, state: WatchState, at: number): string | undefined {
  const text = eventText(event, state)
  return text === undefined ? undefined : `${new Date(at).toISOString()} ${text}`
}

function eventText(event: WatchEvent, state: WatchState): string | undefined {
  switch (event.kind) {
    case 'connected': {
      const { chainId = 0n, clientVersion = '' } = state.node ?? {}
      return `connected to ${state.url}: chain ${chainId}, ${plainText(clientVersion, MAX_TEXT)}`
    }
    case 'disconnected':
      return `lost the connection to ${state.url}, connecting again`
    case 'blocksOnly':
      return 'the node announces no flashblocks: blocks appear when they are sealed'
    case 'reorganised':
      return `the chain was reorganised from block ${grouped(event.from)}`
    case 'block':
      return blockText(event, state)
    case 'flashblock':
      return undefined
  }
}

function blockText({ block }: Extract<WatchEvent, { kind: 'block' }>, state: WatchState): string {
  const { number, hash, transactionCount, gasUsed, gasLimit, slots, isPartial } = block
  const { latenessP50, latenessP99, visibleP50, visibleP99 } = latencies(state)
  const isWhole = state.live.mode === 'blocks'
  return [
    `block ${grouped(number)} ${shortHex(plainText(hash, 66))}`,
    ...(isWhole ? [] : [`${slots.length} flashblocks${isPartial ? ', partly seen' : ''}`]),
    `${grouped(transactionCount)} transactions`,
    `${compact(Number(gasUsed))} gas${gasLimit > 0n ? `, ${percentOf(gasUsed, gasLimit).toFixed(1)} %` : ''}`,
    ...(latenessP50 === undefined
      ? []
      : [`${isWhole ? 'blocks' : 'slots'} late by ${latenessP50} ms, p99 ${latenessP99} ms`]),
    ...(visibleP50 === undefined ? [] : [`visible after ${visibleP50} ms, p99 ${visibleP99} ms`]),
    ...(poolOf(state) === undefined ? [] : [`pool ${poolText(poolOf(state)!)}`]),
  ].join(' · ')
}

export function poolText({ pending, queued }: PoolSize): string {
  return `${grouped(pending)} pending, ${grouped(queued)} queued`
}

/** Characters that JSON leaves as they are and terminals may obey. */
const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** The line of an event for programs. Unknown members are left out. */
export function eventJson(event: WatchEvent, state: WatchState, at: number): string {
  const json = JSON.stringify({ event: event.kind, at, ...membersOf(event, state) })
  return json.replace(CONTROL, escaped)
}

/** A character as escape sequences of JSON, one for each UTF-16 code unit. */
function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
  }).join('')
}

function membersOf(event: WatchEvent, state: WatchState): object {
  switch (event.kind) {
    case 'connected':
      return { url: state.url, chainId: Number(state.node?.chainId), clientVersion: state.node?.clientVersion }
    case 'disconnected':
      return { url: state.url }
    case 'blocksOnly':
      return {}
    case 'reorganised':
      return { fromBlock: event.from }
    case 'flashblock': {
      const { block, slot } = event
      const { index, transactionCount, gasUsed, latenessMs } = slot
      return { block: block.number, index, transactions: transactionCount, gasUsed: Number(gasUsed), latenessMs }
    }
    case 'block':
      return blockMembers(event, state)
  }
}

function blockMembers({ block }: Extract<WatchEvent, { kind: 'block' }>, state: WatchState): object {
  const { number, hash, transactionCount, gasUsed, gasLimit, slots, isPartial } = block
  const { latenessP50, latenessP99, visibleP50, visibleP99 } = latencies(state)
  return {
    block: number,
    hash,
    transactions: transactionCount,
    gasUsed: Number(gasUsed),
    ...(gasLimit > 0n && { gasLimit: Number(gasLimit) }),
    ...(state.live.mode === 'flashblocks' && { flashblocks: slots.length, isPartial }),
    latenessP50Ms: latenessP50,
    latenessP99Ms: latenessP99,
    sentToVisibleP50Ms: visibleP50,
    sentToVisibleP99Ms: visibleP99,
    pool: poolOf(state),
  }
}

function latencies({ live: { timeline, visibility } }: WatchState) {
  const { latenessP50, latenessP99 } = liveSummary(timeline)
  const { p50: visibleP50, p99: visibleP99 } = visibilityNow(visibility)
  return { latenessP50, latenessP99, visibleP50, visibleP99 }
}

function poolOf({ pool }: WatchState): PoolSize | undefined {
  return pool === 'unavailable' ? undefined : pool
}
