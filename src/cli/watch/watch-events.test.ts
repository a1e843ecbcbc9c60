import { describe, expect, test } from 'vitest'
import { arrivalOf, arrivalsOf, watchState, wholeBlock } from '../../../test/support/watch-states.ts'
import type { FlashblockArrival } from '../../live/flashblock-arrival.ts'
import { Store } from '../../live/store.ts'
import type { TimelineEvent } from '../../live/timeline.ts'
import { eventJson, eventLine } from './event-output.ts'
import { onWatchEvents, type WatchEvent, watchEvents } from './watch-events.ts'
import type { WatchState } from './watch-state.ts'

type Input = FlashblockArrival | TimelineEvent

/** The events of a node that sends one input after the other. */
function eventsOf(inputs: readonly Input[], more: Parameters<typeof watchState>[1] = {}): readonly WatchEvent[] {
  const states = inputs.map((_, index) => watchState(inputs.slice(0, index + 1), more))
  return states.flatMap((state, index) => watchEvents(states[index - 1] ?? watchState([], more), state))
}

function named(events: readonly WatchEvent[]): readonly string[] {
  return events.map((event) => {
    if (event.kind === 'block') return `block ${event.block.number}`
    return event.kind === 'flashblock' ? `${event.block.number}/${event.slot.index}` : event.kind
  })
}

describe('watchEvents', () => {
  test('names each flashblock once, and each block when it is complete', () => {
    const inputs: Input[] = [arrivalOf(1, 0), arrivalOf(1, 1), { kind: 'sealed', number: 1, at: 9 }, arrivalOf(2, 0)]
    expect(named(eventsOf(inputs))).toEqual(['1/0', '1/1', 'block 1', '2/0'])
    const unannounced = [arrivalOf(1, 0), arrivalOf(1, 1), arrivalOf(2, 0)]
    expect(named(eventsOf(unannounced))).toEqual(['1/0', '1/1', 'block 1', '2/0'])
  })

  test('names a block that goes on after a lost connection once', () => {
    const inputs: Input[] = [arrivalOf(1, 0), { kind: 'lost' }, arrivalOf(1, 4), arrivalOf(2, 0)]
    expect(named(eventsOf(inputs))).toEqual(['1/0', '1/4', 'block 1', '2/0'])
  })

  test('names the height from which a reorganisation replaces blocks', () => {
    const other = arrivalOf(2, 0, { payloadId: 'other' })
    expect(eventsOf([...arrivalsOf(1, 2), arrivalOf(3, 0), other]).at(-2)).toEqual({ kind: 'reorganised', from: 2 })
  })

  test('names whole blocks of a node without flashblocks, and says once that it has none', () => {
    expect(named(eventsOf([wholeBlock(1), wholeBlock(2)], { live: { mode: 'blocks' } }))).toEqual([
      'block 1',
      'block 2',
    ])
    const starting = watchState([], { live: { mode: 'starting' } })
    const events = watchEvents(starting, watchState([wholeBlock(1)], { live: { mode: 'blocks' } }))
    expect(named(events)).toEqual(['blocksOnly', 'block 1'])
  })

  test('says when the connection is lost and back', () => {
    const live = watchState([])
    const offline: WatchState = { ...live, connection: { ...live.connection, kind: 'offline' } }
    expect(named(watchEvents(live, offline))).toEqual(['disconnected'])
    expect(named(watchEvents(offline, live))).toEqual(['connected'])
    expect(named(watchEvents({ ...live, node: undefined }, live))).toEqual(['connected'])
  })
})

describe('onWatchEvents', () => {
  /** The events that the listener receives when the node identifies itself after these inputs. */
  function reportedAfter(inputs: readonly Input[]): readonly WatchEvent[] {
    const unknown = { node: undefined }
    const store = new Store(watchState([], unknown))
    const events: WatchEvent[] = []
    onWatchEvents(store, (event) => events.push(event))
    for (const index of inputs.keys()) store.update(() => watchState(inputs.slice(0, index + 1), unknown))
    expect(events).toEqual([])
    store.update(() => watchState(inputs))
    return events
  }

  test('reports `connected` before flashblocks that arrived earlier than the identity of the node', () => {
    expect(named(reportedAfter([arrivalOf(1, 0), arrivalOf(1, 1)]))).toEqual(['connected', '1/0', '1/1'])
  })

  test('reports no flashblocks of blocks that ended before the node identified itself', () => {
    expect(named(reportedAfter([arrivalOf(1, 0), arrivalOf(1, 1), arrivalOf(2, 0)]))).toEqual([
      'connected',
      'block 1',
      '2/0',
    ])
    const other = arrivalOf(2, 0, { payloadId: 'other' })
    expect(named(reportedAfter([...arrivalsOf(1, 2), arrivalOf(3, 0), other]))).toEqual(['connected', 'block 1', '2/0'])
    expect(named(reportedAfter([...arrivalsOf(1, 2), other, { kind: 'lost' }]))).toEqual(['connected'])
  })

  test('reports a block that goes on after a lost connection from where it was left', () => {
    const live = watchState([arrivalOf(1, 0)])
    const store = new Store(live)
    const events: WatchEvent[] = []
    onWatchEvents(store, (event) => events.push(event))
    const lost: Input[] = [arrivalOf(1, 0), { kind: 'lost' }]
    store.update(() => ({ ...watchState(lost), connection: { ...live.connection, kind: 'offline' } }))
    store.update(() => watchState(lost))
    store.update(() => watchState([...lost, arrivalOf(1, 4)]))
    expect(named(events)).toEqual(['disconnected', 'connected', '1/4'])
  })
})

describe('the output of events', () => {
  const state = watchState(arrivalsOf(1, 2))
  const [block] = eventsOf([...arrivalsOf(1, 1), arrivalOf(2, 0)]).filter(({ kind }) => kind === 'block')

  test('is a line for people per block', () => {
    expect(eventLine(block!, state, 0)).toBe(
      '1970-01-01T00:00:00.000Z block 1 0x19bbbb…bbbbbb · 10 flashblocks · 45 transactions · 450k gas, 45.0 % · ' +
        'slots late by 0 ms, p99 0 ms · pool 12 pending, 1,234 queued',
    )
    expect(eventLine(eventsOf([arrivalOf(1, 0)])[0]!, state, 0)).toBeUndefined()
  })

  test('is JSON for programs', () => {
    expect(JSON.parse(eventJson(block!, state, 5))).toEqual({
      event: 'block',
      at: 5,
      block: 1,
      hash: `0x19${'b'.repeat(62)}`,
      transactions: 45,
      gasUsed: 450_000,
      gasLimit: 1_000_000,
      flashblocks: 10,
      isPartial: false,
      latenessP50Ms: 0,
      latenessP99Ms: 0,
      pool: { pending: 12, queued: 1_234 },
    })
    expect(JSON.parse(eventJson(eventsOf([arrivalOf(1, 0)])[0]!, state, 5))).toEqual({
      event: 'flashblock',
      at: 5,
      block: 1,
      index: 0,
      transactions: 0,
      gasUsed: 0,
    })
  })

  test.each(['\u001b[2J', '\u009b31m', '\n', '\u202e', '\u{e0001}'])(
    'keeps %j of a node from controlling a terminal',
    (hostile) => {
      const connected = { ...state, node: { chainId: 1n, clientVersion: hostile } }
      const line = eventLine({ kind: 'connected' }, connected, 0)!
      const json = eventJson({ kind: 'connected' }, connected, 0)
      expect(line + json).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      expect(JSON.parse(json).clientVersion).toBe(hostile)
    },
  )
})
