import { describe, expect, test } from 'vitest'
import { sealedBlock } from '../../../test/support/sealed-chain.ts'
import { bytesToHex, EMPTY_BYTES } from '../../primitives/hex.ts'
import { encodeExtraData } from '../block/extra-data.ts'
import type { Header } from '../block/header.ts'
import { EMPTY_REQUESTS_HASH, EMPTY_TRIE_ROOT } from '../constants.ts'
import type { ChainConfig } from '../forks/chain-config.ts'
import type { Fork } from '../forks/forks.ts'
import { createNetwork } from '../genesis/networks.ts'
import { headerFault } from './header-rules.ts'

const GAS_LIMIT = 10_240_000n

/** A layer-1 chain on which one fork is active from block 0 or 1. */
function layer1(fork: Fork, since = 0): ChainConfig {
  return { chainId: 1n, forkBlocks: { [fork]: since }, forkTimes: {}, blobSchedule: {} }
}

/** Block 0 and a valid, empty block 1, from London on. */
function pair(parentChange: Partial<Header> = {}, change: Partial<Header> = {}) {
  const { withdrawalsRoot: _, ...base } = sealedBlock(0).block.header
  const parentHeader: Header = { ...base, gasLimit: GAS_LIMIT, gasUsed: Number(GAS_LIMIT / 2n), ...parentChange }
  const parent = { header: parentHeader, hash: sealedBlock(0).block.hash }
  const header: Header = { ...parentHeader, number: 1, parentHash: parent.hash, timestamp: 12n, ...change }
  return { header, parent }
}

function faultOf(config: ChainConfig, parentChange: Partial<Header> = {}, change: Partial<Header> = {}) {
  const { header, parent } = pair(parentChange, change)
  return headerFault(header, parent, config)
}

test('accepts a valid header', () => {
  expect(faultOf(layer1('paris'))).toBeUndefined()
})

describe('the gas limit of layer 1', () => {
  test.each([
    [GAS_LIMIT + GAS_LIMIT / 1024n - 1n, undefined],
    [GAS_LIMIT + GAS_LIMIT / 1024n, 'gasLimit'],
    [GAS_LIMIT - GAS_LIMIT / 1024n + 1n, undefined],
    [GAS_LIMIT - GAS_LIMIT / 1024n, 'gasLimit'],
  ])('%d after 10240000: fault %s', (gasLimit, member) => {
    expect(faultOf(layer1('paris'), {}, { gasLimit })?.member).toBe(member)
  })

  test('doubles with the first block of London', () => {
    const { baseFeePerGas: _, ...before } = pair({ difficulty: 131_072n }).parent.header
    const london = { ...before, number: 1, parentHash: sealedBlock(0).block.hash, timestamp: 12n }
    const parent = { header: before, hash: london.parentHash }
    const first = { ...london, baseFeePerGas: 1_000_000_000n }
    expect(headerFault({ ...first, gasLimit: 2n * GAS_LIMIT }, parent, layer1('london', 1))).toBeUndefined()
    expect(headerFault(first, parent, layer1('london', 1))).toMatchObject({ member: 'gasLimit' })
  })
})

test('extra data has at most 32 bytes on layer 1', () => {
  expect(faultOf(layer1('paris'), {}, { extraData: new Uint8Array(32) })).toBeUndefined()
  expect(faultOf(layer1('paris'), {}, { extraData: new Uint8Array(33) })).toMatchObject({ member: 'extraData' })
})

test('checks the difficulty of proof of work and ignores the nonce', () => {
  const work = { difficulty: 131_072n, nonce: new Uint8Array(8).fill(1) }
  expect(faultOf(layer1('grayGlacier'), work)).toBeUndefined()
  expect(faultOf(layer1('grayGlacier'), work, { difficulty: 131_073n })).toEqual({
    member: 'difficulty',
    expected: '131072',
    got: '131073',
  })
})

test.each<[Fork, keyof Header]>([
  ['shanghai', 'withdrawalsRoot'],
  ['cancun', 'excessBlobGas'],
])('requires from %s on: %s', (fork, member) => {
  expect(faultOf(layer1(fork))).toMatchObject({ member, got: 'nothing' })
})

test('rejects members of later forks', () => {
  expect(faultOf(layer1('paris'), {}, { requestsHash: EMPTY_REQUESTS_HASH })).toMatchObject({
    member: 'requestsHash',
    expected: 'nothing',
  })
})

describe('layer 2', () => {
  const { config, header } = createNetwork().genesis
  const parameters = { denominator: 100, elasticity: 5 }

  test('requires the 17 bytes of Jovian in the extra data', () => {
    for (const extraData of [EMPTY_BYTES, encodeExtraData(parameters), new Uint8Array(17)]) {
      const fault = faultOf(config, {}, { extraData })
      expect(fault).toMatchObject({ member: 'extraData', got: bytesToHex(extraData) })
    }
  })

  test('accepts any gas limit below 2^63', () => {
    const { timestamp: _, ...rest } = header
    const opening = { ...rest, withdrawalsRoot: EMPTY_TRIE_ROOT, gasLimit: 30_000_000n }
    const next = (gasLimit: bigint) => faultOf(config, opening, { gasLimit })?.member
    expect(next(400_000_000n)).toBeUndefined()
    expect(next(4_999n)).toBe('gasLimit')
    expect(next(2n ** 63n)).toBe('gasLimit')
  })
})
