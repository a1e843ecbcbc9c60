import { expect, test } from 'vitest'
import { RequestBudget, type RequestCharge } from './request-budget.ts'

const MEBIBYTE = 1024 * 1024

/** Senders of a budget of one mebibyte, and what they were told. */
function senders(count: number) {
  const budget = new RequestBudget({ limit: MEBIBYTE }, { connections: () => 0 })
  const events: string[] = []
  const charges: RequestCharge[] = Array.from({ length: count }, (_, index) =>
    budget.begin({ onRoom: () => events.push(`room ${index}`), onRefused: () => events.push(`refused ${index}`) }),
  )
  return { budget, events, charges }
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
  const { budget, charges, events } = senders(3)

  expect(charges.map((charge) => charge.update(MEBIBYTE / 2))).toEqual([true, true, false])
  expect(budget.hasRoom()).toBe(false)
  expect(charges[1]!.update(MEBIBYTE)).toBe(true)
  charges[1]!.end()

  expect(events).toEqual(['room 2'])
})

test('the oldest waiting sender continues when the one that may exceed the limit has ended, room or not', () => {
  const { charges, events } = senders(4)
  expect(charges.map((charge) => charge.update(MEBIBYTE))).toEqual([true, false, false, false])

  charges[0]!.end()

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
  const budget = new RequestBudget({ limit: MEBIBYTE }, { connections: () => connections })
  const release = budget.take(MEBIBYTE / 2)

  expect(budget.hasRoom()).toBe(true)
  connections = 1_000
  expect(budget.hasRoom()).toBe(false)
  release()
  expect(budget.hasRoom()).toBe(true)
})
