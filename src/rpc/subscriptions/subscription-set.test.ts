import { expect, test } from 'vitest'
import type { ConstantChannel } from './channel.ts'
import { SubscriptionSet } from './subscription-set.ts'

const CHANNEL: ConstantChannel = { key: 'syncing', event: undefined, criteria: 0, message: 'x'.repeat(100) }

test('keeps no subscription whose first message exceeds what the connection may hold', () => {
  let overflows = 0
  const set = new SubscriptionSet(
    { maxSubscriptions: 10, maxSubscribedCriteria: 10, maxHeldBytes: 99 },
    {
      hub: { join: () => () => undefined },
      randomBytes: (size) => new Uint8Array(size).fill(1),
      send: () => expect.unreachable('a closed connection receives nothing'),
      onOverflow: () => {
        overflows += 1
      },
    },
  )
  const scope = set.scope()

  expect(() => scope.open(CHANNEL)).toThrow('the connection is closed')

  scope.activate()
  expect(set.isClosed).toBe(true)
  expect(overflows).toBe(1)
  expect(scope.close(`0x${'01'.repeat(16)}`)).toBe(false)
})
