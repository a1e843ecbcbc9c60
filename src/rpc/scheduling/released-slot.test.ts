import { expect, test } from 'vitest'
import { ANONYMOUS } from '../protocol/rpc-client.ts'
import { CallSlots } from './call-slots.ts'
import { ReleasedSlot } from './released-slot.ts'

/** Loads that end when the test says. */
function pendingLoads() {
  const ends: (() => void)[] = []
  return { ends, load: () => new Promise<void>((resolve) => ends.push(resolve)) }
}

function entered(slots: CallSlots): ReleasedSlot {
  expect(slots.enter(ANONYMOUS)).toBe(true)
  return new ReleasedSlot(slots, ANONYMOUS)
}

test('another call runs while one waits for another node, which continues when a slot is free again', async () => {
  const slots = new CallSlots({ limit: 1, maxWaiting: 4 })
  const { ends, load } = pendingLoads()
  const slot = entered(slots)
  let isResumed = false

  const waiting = slot.awaitState(load).then(() => {
    isResumed = true
  })
  const other = entered(slots)
  ends[0]!()
  await new Promise((resolve) => setImmediate(resolve))
  expect(isResumed).toBe(false)
  other.leave()
  await waiting
  slot.leave()

  expect(slots.enter(ANONYMOUS)).toBe(true)
})

test('a call whose state cannot be loaded leaves its slot once', async () => {
  const slots = new CallSlots({ limit: 1, maxWaiting: 4 })
  const slot = entered(slots)

  await expect(slot.awaitState(() => Promise.reject(new Error('unreachable')))).rejects.toThrow('unreachable')
  slot.leave()

  expect(slots.enter(ANONYMOUS)).toBe(true)
  expect(slots.enter(ANONYMOUS)).toBeInstanceOf(Promise)
})

test('calls keep their slots when eight for each slot wait already', async () => {
  const slots = new CallSlots({ limit: 1, maxWaiting: 100 })
  const { ends, load } = pendingLoads()

  const waiting = Array.from({ length: 8 }, () => entered(slots).awaitState(load))
  const keeping = entered(slots)
  waiting.push(keeping.awaitState(load))

  expect(slots.enter(ANONYMOUS)).toBeInstanceOf(Promise)
  expect(ends).toHaveLength(9)
})
