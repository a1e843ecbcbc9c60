import type { JetStreamManager } from '@nats-io/jetstream'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { isElecting } from './nats-failure.ts'
import { StreamReader } from './stream-reader.ts'

/** A stream with messages at positions 1 and 2, of which requests see the first only until `arrive`. */
function laggingStream() {
  let present: readonly number[] = [1]
  let requests = 0
  let created = ''
  const getMessage = async (_: string, { seq }: { readonly seq: number }) => {
    requests += 1
    return present.includes(seq) ? { data: Buffer.from('record') } : null
  }
  const info = async () => ({ created, state: { first_seq: present[0], last_seq: present.at(-1) } })
  const manager = { streams: { getMessage, info } } as unknown as JetStreamManager
  return {
    reader: new StreamReader({ maxBytes: 1_000 }, { manager, stream: 'records' }),
    requests: () => requests,
    arrive: () => {
      present = [1, 2]
    },
    /** The messages at these positions are there from now on. */
    become: (positions: readonly number[], creation = '') => {
      present = positions
      created = creation
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

describe('a message that is not there', () => {
  test('is not taken for missing while a former leader answers, which lacks newer ones as well', async () => {
    const { reader, become } = laggingStream()
    become([1, 2, 3])
    await reader.message(3)

    become([1])

    await expect(reader.message(2)).rejects.toSatisfy(isElecting)
    await expect(reader.message(3)).rejects.toSatisfy(isElecting)
    become([1, 2, 3])
    expect(await reader.message(2)).toMatchObject({ streamSequence: 2 })
  })

  test('is missing when a newer one is there: the leader has passed its position over', async () => {
    const { reader, become } = laggingStream()
    become([1, 3])
    await reader.message(3)

    expect(await reader.message(2)).toBeUndefined()
  })

  test('is missing in another stream of the same name', async () => {
    const { reader, become } = laggingStream()
    become([1, 2, 3])
    await reader.message(3)
    become([1], 'later')
    await reader.ends()

    expect(await reader.message(2)).toBeUndefined()
  })

  test('is not missing when the newest one was there while the reader settled', async () => {
    const { reader, become } = laggingStream()
    become([1, 2, 3])
    await reader.settle(await reader.ends(), { clock: new ManualClock({ wall: 0 }), intervalMs: 50 })

    become([1, 2])

    await expect(reader.message(3)).rejects.toSatisfy(isElecting)
  })

  test('is not missing because a former leader names an earlier end', async () => {
    const { reader, become } = laggingStream()
    become([1, 2, 3])
    await reader.message(3)
    become([1])
    await reader.ends()

    await expect(reader.message(2)).rejects.toSatisfy(isElecting)
  })

  test('is missing when the end stays lower for two seconds: the stream has lost messages', async () => {
    const clock = new ManualClock({ wall: 0 })
    const { reader, become } = laggingStream()
    become([1, 2, 3])
    await reader.message(3)
    become([1])

    const settling = reader.settle(await reader.ends(), { clock, intervalMs: 50 })
    for (let time = 50; time <= 2_000; time += 50) {
      await turn()
      clock.moveTo(time)
    }
    await settling

    expect(await reader.message(2)).toBeUndefined()
  })
})
