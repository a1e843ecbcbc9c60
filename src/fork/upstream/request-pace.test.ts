import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { RequestPace } from './request-pace.ts'

test('calls start at the permitted rate, in order', async () => {
  const clock = new ManualClock({ wall: 0 })
  const pace = new RequestPace({ perSecond: 10 }, { clock })
  const started: string[] = []
  const ask = async (name: string, calls: number) => {
    await pace.turn(calls)
    started.push(name)
  }
  const moveTo = (instant: number) => {
    clock.moveTo(instant)
    return new Promise((resolve) => setImmediate(resolve))
  }

  const all = [ask('first', 5), ask('second', 1), ask('third', 1)]

  await moveTo(499)
  expect(started).toEqual(['first'])
  await moveTo(500)
  expect(started).toEqual(['first', 'second'])
  await moveTo(600)
  expect(started).toEqual(['first', 'second', 'third'])
  await Promise.all(all)
})

test('time without calls is not saved up', () => {
  const clock = new ManualClock({ wall: 0 })
  const pace = new RequestPace({ perSecond: 10 }, { clock })
  clock.moveTo(60_000)
  expect(pace.turn(1)).toBeUndefined()
  expect(pace.turn(1)).toBeInstanceOf(Promise)
})

test('without a limit every call starts at once', () => {
  const pace = new RequestPace({}, { clock: new ManualClock({ wall: 0 }) })
  expect(pace.turn(1_000_000)).toBeUndefined()
})
