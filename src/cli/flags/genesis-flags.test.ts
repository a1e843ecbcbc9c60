import { expect, test } from 'vitest'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { GENESIS_FLAGS } from './chain-flags.ts'
import { fallbacksOf } from './flag.ts'
import { type GenesisOptions, genesisOf } from './genesis-flags.ts'

const DEFAULTS: GenesisOptions = fallbacksOf(GENESIS_FLAGS)

test('the defaults are those of the networks themselves', async () => {
  expect(await genesisOf('main', DEFAULTS)).toEqual(createNetwork().genesis)
  expect(await genesisOf('test', DEFAULTS)).toEqual(createNetwork({ name: 'test' }).genesis)
})

test('the test network has the chain id after that of the main network', async () => {
  const options = { ...DEFAULTS, chainId: 1_000n }

  expect((await genesisOf('main', options)).config.chainId).toBe(1_000n)
  expect((await genesisOf('test', options)).config.chainId).toBe(1_001n)
})

test('accounts, balance, base fee, fork and gas cap determine block 0', async () => {
  const { alloc, config, header } = await genesisOf('main', {
    ...DEFAULTS,
    accounts: 2,
    balance: 5n,
    mnemonic: 'legal winner thank year wave sausage worth useful legal winner thank yellow',
    baseFee: 7n,
    hardfork: 'cancun',
    transactionGasCap: 0n,
  })

  const funded = [...alloc].filter(([, { balance }]) => balance === 5n * 10n ** 18n)
  expect(funded).toHaveLength(2)
  expect(header.baseFeePerGas).toBe(7n)
  expect(header.requestsHash).toBeUndefined()
  expect(config.forkTimes).toEqual({ shanghai: 0n, cancun: 0n })
  expect(config.transactionGasCap).toBeUndefined()
})
