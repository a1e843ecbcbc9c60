import { expect, test } from 'vitest'
import type { NumberedLogs } from '../../node/log/record-history.ts'
import { type Address, toAddress, toHash, ZERO_HASH } from '../../primitives/hex.ts'
import { bigintToHash, bigintToWord } from '../../primitives/quantity.ts'
import { FollowedChain, FollowedLogs } from './followed-chain.ts'

const TOKEN = toAddress(`0x${'57'.repeat(20)}`)
const AWAITED = toAddress(`0x${'58'.repeat(20)}`)
const TRANSFER = toHash('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
const [ALICE, BOB] = [bigintToHash(1n), bigintToHash(2n)]
const STATE = { totalSupply: 0n, decimals: 0, multiplier: 1n, pausedFeatures: [], scheduled: undefined }
const FOLLOWED = {
  states: new Map([[TOKEN, STATE]]),
  feeds: new Map(),
  withoutMultiplier: new Set<Address>(),
  awaited: new Set([AWAITED]),
  factory: undefined,
}

const transfer = (address: Address, from = ZERO_HASH, to = ALICE) => ({
  address,
  topics: [TRANSFER, from, to],
  data: bigintToWord(5n),
})

function flashblock(
  sequence: number,
  number: number,
  index: number,
  parentHash = ZERO_HASH,
  address = TOKEN,
): NumberedLogs {
  const logs = [{ log: transfer(address), logIndex: 0, transactionHash: ZERO_HASH }]
  return { sequence, record: { kind: 'flashblock', number, index, parentHash, hash: ZERO_HASH, timestamp: 0n, logs } }
}

const newChain = (readAt = 0) => new FollowedChain({ base: 0, maxPoints: 10, readAt }, FOLLOWED)

test('keeps mints and burns, not transfers between accounts', () => {
  const logs = new FollowedLogs(FOLLOWED)

  expect(logs.isWanted(transfer(TOKEN))).toBe(true)
  expect(logs.isWanted(transfer(TOKEN, ALICE, ZERO_HASH))).toBe(true)
  expect(logs.isWanted(transfer(TOKEN, ALICE, BOB))).toBe(false)
  expect(logs.isWanted({ ...transfer(TOKEN), topics: [] })).toBe(false)
})

test.each([
  ['of a block above the next one', flashblock(2, 3, 0)],
  ['of the open block with another parent', flashblock(2, 1, 1, ALICE)],
  ['of a later flashblock of another block', flashblock(2, 2, 1)],
])('does not apply a record %s', (_, record) => {
  const chain = newChain()
  chain.apply(flashblock(1, 1, 0))

  expect(chain.apply(record)).toBeUndefined()
})

test('an awaited token ends the events only when it appears after the tokens were read', () => {
  const [before, after] = [newChain(1), newChain(0)].map((chain) =>
    chain.apply(flashblock(1, 1, 0, ZERO_HASH, AWAITED)),
  )

  expect(before).toEqual({ removed: [], added: [] })
  expect(after).toBeUndefined()
})
