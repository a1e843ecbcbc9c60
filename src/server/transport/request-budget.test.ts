import { expect, test } from 'vitest'
import { RequestBudget, type RequestCharge } from './request-budget.ts'

const MEBIBYTE = 1024 * 1024

/** Senders of a budget, by default of one mebibyte, and their notifications. */
function senders(count: number, limit = MEBIBYTE) {
  const actions: (() => void)[] = []
  const nextRound = (action: () => void) => void actions.push(action)
  const round = () => {
    for (const action of actions.splice(0)) action()
  }
  const budget = new RequestBudget({ limit }, { connections: () => 0, nextRound })
  const events: string[] = []
  const charges: RequestCharge[] = Array.from({ length: count }, (_, index) =>
    budget.begin({ onRoom: () => events.push(`room ${index}`), onRefused: () => events.push(`refused ${index}`) }),
  )
  return { budget, events, charges, round }
}

test('counts what arrives, and complete requests until their response', () => {
  const { budget, charges } = senders(2)

  expect(charges.map((charge) => charge.update(1_000))).toEqual([true, true])
  const release = budget.take(500)
  expect(budget.used).toBe(2_500)
  charges[0]!.update(0)
  charges[1]!.end()
  charges[1]!.end()
  release()

  expect(budget.used).toBe(0)
})

test('senders wait beyond the limit, except for the one that exceeds it first', () => {
  const { budget, charges, events, round } = senders(3)

  expect(charges.map((charge) => charge.update(MEBIBYTE / 2))).toEqual([true, true, false])
  expect(budget.hasRoom()).toBe(false)
  expect(charges[1]!.update(MEBIBYTE)).toBe(true)
  charges[1]!.end()
  round()

  expect(events).toEqual(['room 2'])
})

test('the oldest waiting sender continues when the one that may exceed the limit has ended, room or not', () => {
  const { charges, events, round } = senders(4)
  expect(charges.map((charge) => charge.update(MEBIBYTE))).toEqual([true, false, false, false])

  charges[0]!.end()
  round()

  expect(events).toEqual(['room 1'])
})

test('refuses a sender that stalls while others wait', () => {
  const { budget, charges, events } = senders(3)
  charges[0]!.update(MEBIBYTE / 4)
  charges[1]!.update(MEBIBYTE)
  charges[2]!.update(1_000)

  for (let count = 1; count <= 3; count++) {
    charges[1]!.update(MEBIBYTE + count * 64 * 1024)
    budget.check()
  }

  expect(events).toEqual(['refused 0'])
})

test('refuses a sender that waits too long', () => {
  const { budget, charges, events } = senders(2)
  charges[0]!.update(MEBIBYTE)
  charges[1]!.update(1_000)

  for (let count = 1; count <= 10; count++) {
    charges[0]!.update(MEBIBYTE + count * 64 * 1024)
    budget.check()
  }

  expect(events).toEqual(['refused 1'])
  expect(budget.used).toBe(MEBIBYTE + 640 * 1024)
})

test('refuses no sender while there is room', () => {
  const { budget, charges, events } = senders(1)
  charges[0]!.update(1_000)

  for (let count = 0; count < 100; count++) budget.check()

  expect(events).toEqual([])
})

test('reserves room for a read of each connection, up to half of the limit', () => {
  let connections = 4
  const budget = new RequestBudget({ limit: MEBIBYTE }, { connections: () => connections, nextRound: setImmediate })
  const release = budget.take(MEBIBYTE / 2)

  expect(budget.hasRoom()).toBe(true)
  connections = 1_000
  expect(budget.hasRoom()).toBe(false)
  release()
  expect(budget.hasRoom()).toBe(true)
})

test('large requests continue in rounds of 4 MiB, in the order in which they stopped', () => {
  const { charges, events, round } = senders(130, 1024 * MEBIBYTE)
  expect(charges[0]!.update(4 * MEBIBYTE - 1)).toBe(true)

  expect(charges.slice(1).map((charge) => charge.update(1))).toEqual(Array(129).fill(false))
  expect(events).toEqual([])
  charges[1]!.end()
  round()
  expect(events).toEqual(Array.from({ length: 64 }, (_, index) => `room ${index + 2}`))
  expect(charges[2]!.update(2)).toBe(true)
  round()
  round()

  expect(events).toEqual(Array.from({ length: 128 }, (_, index) => `room ${index + 2}`))
})

test('senders of complete requests are read in rounds, fewer at once when their requests take long', () => {
  const { budget, charges, events, round } = senders(40, 1024 * MEBIBYTE)
  const reads = charges.map((charge) => charge.update(0, MEBIBYTE))

  expect(reads).toEqual([true, true, true, ...Array(37).fill(false)])
  expect(budget.used).toBe(0)
  round()
  expect(events).toEqual(['room 3', 'room 4', 'room 5', 'room 6'])
})

test('bytes that arrive when the work of a round is done are read in the next rounds, in order', () => {
  const { charges, events, round } = senders(4, 1024 * MEBIBYTE)
  expect(charges[0]!.mayRead()).toBe(true)
  charges[0]!.update(0, 4 * MEBIBYTE)

  expect(charges.slice(1).map((charge) => charge.mayRead())).toEqual([false, false, false])
  round()
  expect(events).toEqual(['room 0'])
  round()

  expect(events).toEqual(['room 0', 'room 1', 'room 2', 'room 3'])
  expect(charges[1]!.mayRead()).toBe(true)
})

test('no further sender continues in a round whose work is done', () => {
  const actions: (() => void)[] = []
  const budget = new RequestBudget(
    { limit: 1024 * MEBIBYTE },
    { connections: () => 0, nextRound: (action) => void actions.push(action) },
  )
  const read: number[] = []
  const charges: RequestCharge[] = Array.from({ length: 4 }, (_, index) =>
    budget.begin({
      onRoom() {
        read.push(index)
        charges[index]!.update(0, 4 * MEBIBYTE)
      },
      onRefused: () => undefined,
    }),
  )
  charges[0]!.update(0, 4 * MEBIBYTE)
  for (const charge of charges.slice(1)) charge.mayRead()

  for (const count of [1, 2, 3, 4]) {
    actions.shift()!()
    expect(read).toEqual([0, 1, 2, 3].slice(0, count))
  }
})

test('a client that sends no request is never refused', () => {
  const { budget, charges, events } = senders(3)
  charges[0]!.update(0, 1_000)
  charges[1]!.update(MEBIBYTE)
  expect(charges[2]!.update(1_000)).toBe(false)

  for (let count = 1; count <= 9; count++) {
    charges[1]!.update(MEBIBYTE + count * 64 * 1024)
    budget.check()
  }

  expect(events).toEqual([])
})
