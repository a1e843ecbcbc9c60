import { describe, expect, test } from 'vitest'
import { createNodeEvents } from '../view/events.ts'
import { untilShown } from './node-core.ts'

describe('a node that follows others', () => {
  test('does not wait for a head when it has failed', async () => {
    const events = createNodeEvents()
    const failure = new Error('the disk is full')

    const opening = untilShown({ isShown: false, events }, () => events.emit('failed', failure), undefined)

    await expect(opening).rejects.toBe(failure)
    expect(events.listenerCount('failed')).toBe(0)
  })
})
