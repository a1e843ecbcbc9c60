import { expect, test } from 'vitest'
import { type Address, bytesToHex, toAddress } from '../../primitives/hex.ts'
import type { BlockReads } from '../tokenized-stocks/chain-source.ts'
import { EMPTY_REGISTRY, type RegisteredToken } from '../tokenized-stocks/registry.ts'
import { readFollowed, statesBefore } from './read-followed.ts'

const addressOf = (byte: string) => toAddress(`0x${byte.repeat(20)}`)
const [PAUSED, TOKEN, EMPTY, FOREIGN] = ['11', '22', '33', '44'].map(addressOf) as [Address, Address, Address, Address]
const NO_SUCH_FUNCTION = '0x32f614f6'
const NOTHING = new Uint8Array()
const AT = { timestamp: 0n }

/** Each function of the token returns 6; the paused contract refuses them; the foreign one lacks them. */
const READS: BlockReads = {
  call: async (calls) =>
    calls.map(({ to, data }) => {
      if (to === TOKEN) return { kind: 'returned', output: new Uint8Array(32).fill(6, 31) }
      if (to === EMPTY) return { kind: 'returned', output: NOTHING }
      const isPaused = to === PAUSED && bytesToHex(data) !== NO_SUCH_FUNCTION
      return { kind: 'failed', message: isPaused ? 'paused' : 'execution reverted', data: NOTHING }
    }),
  code: async (addresses) => addresses.map((address) => (address === EMPTY ? NOTHING : new Uint8Array([0x60]))),
  close: () => undefined,
}

const registered = (address: Address): RegisteredToken => ({
  address,
  chainId: undefined,
  symbol: '',
  name: '',
  isin: '',
  iconUrl: '',
  navFeed: undefined,
})
const OPTIONS = {
  chainId: 1n,
  registry: { ...EMPTY_REGISTRY, tokens: [PAUSED, TOKEN, EMPTY, FOREIGN].map(registered) },
  factory: undefined,
}

test('awaits addresses without code, and leaves out tokens that refuse a read and contracts that are no tokens', async () => {
  const { states, awaited, unread } = await readFollowed(READS, AT, OPTIONS)

  expect([...states.keys()]).toEqual([TOKEN])
  expect([...awaited]).toEqual([EMPTY])
  expect(unread.map(({ address }) => address)).toEqual([PAUSED, FOREIGN])
})

test('an earlier block at which a token refuses a read does not give it a supply of 0', async () => {
  const { states } = await readFollowed(READS, AT, OPTIONS)
  const state = states.get(TOKEN)!
  const later = new Map([PAUSED, TOKEN, EMPTY].map((address) => [address, state]))
  const earlier = await statesBefore(READS, AT, { states: later }, OPTIONS)

  expect(earlier.states.get(TOKEN)).toEqual(state)
  expect(earlier.states.get(EMPTY)).toMatchObject({ totalSupply: 0n })
  expect(earlier.states.has(PAUSED)).toBe(false)
  expect(earlier.refused.map(({ address }) => address)).toEqual([PAUSED])
})
