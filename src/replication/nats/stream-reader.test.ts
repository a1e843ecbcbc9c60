import type { JetStreamManager } from '@nats-io/jetstream'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { StreamReader } from './stream-reader.ts'

/** A stream with messages at positions 1 and 2, of which requests see the first only until `arrive`. */
function laggingStream() {
  let newest = 1
  let requests = 0
  const getMessage = async (_: string, { seq }: { readonly seq: number }) => {
    requests += 1
    return seq <= newest ? { data: Buffer.from('record') } : null
  }
  const manager = { streams: { getMessage } } as unknown as JetStreamManager
  return {
    reader: new StreamReader({ maxBytes: 1_000 }, { manager, stream: 'records' }),
    requests: () => requests,
    arrive: () => {
      newest = 2
    },
  }
}

const ENDS = { first: 1, last: 2 }
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('the end of a stream', () => {
  test('is read again while a former leader answers without its newest message', async () => {
    const clock = new ManualClock({ wall: 0 })
    const { reader, requests, arrive } = laggingStream()

    const settling = reader.settle(ENDS, { clock, intervalMs: 50 })
    await turn()
    arrive()
    clock.moveTo(50)
    await settling

    expect(requests()).toBe(2)
    expect(clock.monotonic()).toBe(50)
  })

  test('is taken as it is after two seconds: the leader has passed the position over', async () => {
    const clock = new ManualClock({ wall: 0 })
    const { reader } = laggingStream()
    let isSettled = false

    const settling = reader.settle(ENDS, { clock, intervalMs: 50 }).then(() => {
      isSettled = true
    })
    for (let time = 50; time < 2_000; time += 50) {
      await turn()
      clock.moveTo(time)
    }
    await turn()
    expect(isSettled).toBe(false)
    clock.moveTo(2_000)
    await settling

    expect(clock.monotonic()).toBe(2_000)
  })

  test('of an empty stream is not read', async () => {
    const { reader, requests } = laggingStream()

    await reader.settle({ first: 1, last: 0 }, { clock: new ManualClock({ wall: 0 }), intervalMs: 50 })

    expect(requests()).toBe(0)
  })
})
