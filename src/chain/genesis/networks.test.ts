import { expect, test } from 'vitest'
import { bytesToHex, toAddress } from '../../primitives/hex.ts'
import { DEVELOPMENT_ACCOUNTS, DEVELOPMENT_BALANCE } from '../accounts/development-accounts.ts'
import { includesFork } from '../forks/forks.ts'
import { createNetwork } from './networks.ts'

test('the main network has the documented chain parameters', () => {
  const { name, genesis } = createNetwork()
  expect(name).toBe('main')
  expect(genesis.config.chainId).toBe(31_337n)
  expect(genesis.config.transactionGasCap).toBe(16_777_216n)
  expect(genesis.config.layer2).toEqual({
    eip1559Elasticity: 5,
    eip1559Denominator: 100,
    minBaseFee: 5_000_000n,
    daFootprintGasScalar: 0,
    baseFeeRecipient: '0x4200000000000000000000000000000000000019',
  })
})

test('activates every fork up to Osaka from block 0, and none after it', () => {
  const { forkBlocks, forkTimes } = createNetwork().genesis.config
  const at = { ...forkBlocks, ...forkTimes }
  expect(Object.values(at).every((start) => BigInt(start) === 0n)).toBe(true)
  expect(Object.keys(at)).toHaveLength(18)
  for (const fork of Object.keys(at) as (keyof typeof at)[]) expect(includesFork('osaka', fork)).toBe(true)
})

test('block 0 has the header members of a Jovian block', () => {
  const { header } = createNetwork().genesis
  expect({ ...header, extraData: bytesToHex(header.extraData), nonce: bytesToHex(header.nonce) }).toEqual({
    parentHash: `0x${'00'.repeat(32)}`,
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    miner: '0x4200000000000000000000000000000000000011',
    difficulty: 0n,
    number: 0,
    gasLimit: 400_000_000n,
    gasUsed: 0,
    timestamp: 1_735_689_600n,
    extraData: '0x01000000640000000500000000004c4b40',
    mixHash: `0x${'00'.repeat(32)}`,
    nonce: '0x0000000000000000',
    baseFeePerGas: 5_000_000n,
    blobGasUsed: 0,
    excessBlobGas: 0n,
    parentBeaconBlockRoot: `0x${'00'.repeat(32)}`,
    requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  })
})

test('funds the development accounts, which have no code', () => {
  const { alloc } = createNetwork().genesis
  for (const { address } of DEVELOPMENT_ACCOUNTS) {
    const account = alloc.get(address)!
    expect(account.balance).toBe(DEVELOPMENT_BALANCE)
    expect(account.nonce).toBe(0n)
    expect(account.code).toHaveLength(0)
  }
})

test('gives the same genesis for the same options', () => {
  expect(createNetwork({ name: 'test' })).toEqual(createNetwork({ name: 'test' }))
})

test('gives different genesis states for different chain ids', () => {
  const main = createNetwork({ name: 'main' }).genesis
  const other = createNetwork({ name: 'test' }).genesis
  expect(other.config.chainId).toBe(31_338n)
  expect(other.header).toEqual(main.header)
  expect(other.alloc).not.toEqual(main.alloc)
  expect(createNetwork({ name: 'test', chainId: 31_337n }).genesis).toEqual(main)
})

test('applies options to configuration and header', () => {
  const { config, header } = createNetwork({
    chainId: 7n,
    gasLimit: 30_000_000n,
    elasticity: 6,
    denominator: 250,
    minBaseFee: 1n,
    daFootprintGasScalar: 400,
    transactionGasCap: 1_000_000n,
    coinbase: toAddress(`0x${'11'.repeat(20)}`),
    baseFeeRecipient: toAddress(`0x${'22'.repeat(20)}`),
  }).genesis
  expect(config.chainId).toBe(7n)
  expect(config.transactionGasCap).toBe(1_000_000n)
  expect(config.layer2).toEqual({
    eip1559Elasticity: 6,
    eip1559Denominator: 250,
    minBaseFee: 1n,
    daFootprintGasScalar: 400,
    baseFeeRecipient: `0x${'22'.repeat(20)}`,
  })
  expect(header.gasLimit).toBe(30_000_000n)
  expect(header.miner).toBe(`0x${'11'.repeat(20)}`)
  expect(header.baseFeePerGas).toBe(1n)
  expect(bytesToHex(header.extraData)).toBe('0x01000000fa000000060000000000000001')
})

test.each([
  ['jovian', 400_000_000n, '0x01000000640000000500000000004c4b40'],
  ['denim', 40_000_000n, '0x01000003e80000000500000000004c4b40'],
] as const)('with %s, block 0 has the gas parameters of Base', (upgrade, gasLimit, extraData) => {
  const { header } = createNetwork({ upgrade }).genesis
  expect(header.gasLimit).toBe(gasLimit)
  expect(bytesToHex(header.extraData)).toBe(extraData)
})
