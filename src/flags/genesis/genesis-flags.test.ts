import { expect, test } from 'vitest'
import { MESSAGE_PASSER_ADDRESS, NO_TRANSACTION_GAS_CAP, TRANSACTION_GAS_CAP } from '../../chain/constants.ts'
import { denimActivation } from '../../chain/forks/denim-schedule.ts'
import { forkActivations } from '../../chain/genesis/fork-activations.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { DEMO_STOCKS } from '../../chain/predeploys/demo-stocks.ts'
import { toAddress, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { GENESIS_FLAGS } from '../chain-flags.ts'
import { fallbacksOf } from '../flag.ts'
import { gasLimitOf } from './chain-parameters.ts'
import { type GenesisOptions, genesisOf } from './genesis-flags.ts'
import { dialectOf, profileOf } from './profile-options.ts'

const DEFAULTS: GenesisOptions = fallbacksOf(GENESIS_FLAGS)

function stocksIn({ alloc }: Genesis) {
  return DEMO_STOCKS.filter(({ address }) => alloc.has(toAddress(address)))
}

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

test('the profile op has its own block 0, and the upgrade of --hardfork', async () => {
  expect(await genesisOf('main', { ...DEFAULTS, profile: 'op' })).toEqual(createNetwork({ upgrade: 'karst' }).genesis)
  const azul = await genesisOf('main', { ...DEFAULTS, profile: 'op', hardfork: 'azul' })
  expect(azul.config.forkTimes).toHaveProperty('osaka')
  expect(azul.config.layer2?.upgradeTimes).toHaveProperty('azul')
  expect(await genesisOf('main', { ...DEFAULTS, profile: 'ethereum' })).toEqual(
    createNetwork({ hasBlobs: true }).genesis,
  )
})

test('blob transactions exist with --profile ethereum and --compat anvil, on chains that are no OP stack', async () => {
  const hasBlobs = async (flags: Partial<GenesisOptions>) =>
    (await genesisOf('main', { ...DEFAULTS, ...flags })).config.layer2?.hasBlobs === true

  expect(await hasBlobs({ profile: 'ethereum' })).toBe(true)
  expect(await hasBlobs({ compat: 'anvil' })).toBe(true)
  expect(await hasBlobs({ compat: 'hardhat' })).toBe(false)
  expect(await hasBlobs({ compat: 'anvil', profile: 'op' })).toBe(false)
  expect(await hasBlobs({})).toBe(false)
})

test('--hardfork denim chooses the profile denim, and --system-transactions the profile op', async () => {
  const ofFlags = (flags: Partial<GenesisOptions>) => genesisOf('main', { ...DEFAULTS, ...flags })

  expect(await ofFlags({ hardfork: 'denim' })).toEqual(await ofFlags({ profile: 'denim' }))
  expect(await ofFlags({ systemTransactions: true })).toEqual(await ofFlags({ profile: 'op' }))
  expect(await ofFlags({ profile: 'flashblocks', systemTransactions: false })).toEqual(await ofFlags({}))
  expect(await ofFlags({ profile: 'denim', systemTransactions: true })).toEqual(await ofFlags({ profile: 'denim' }))
})

test('--denim-after delays the activation, and block 0 has the gas limit before it', async () => {
  const { config, header } = await genesisOf('main', { ...DEFAULTS, profile: 'denim', denimAfter: 7n })

  expect(denimActivation(config)).toBe(4n)
  expect(header.gasLimit).toBe(400_000_000n)
  expect(gasLimitOf(DEFAULTS, config)).toBe(400_000_000n)
  const { config: denim } = await genesisOf('main', { ...DEFAULTS, profile: 'denim' })
  expect(gasLimitOf(DEFAULTS, denim)).toBe(40_000_000n)
})

test.each([
  [{ profile: 'op' as const, hardfork: 'prague' as const }, /which has ecotone, fjord/],
  [{ hardfork: 'jovian' as const }, /use it with --profile op/],
  [{ profile: 'denim' as const, hardfork: 'prague' as const }, /use it without --profile$/],
  [{ profile: 'denim' as const, hardfork: 'azul' as const }, /use it with --profile op/],
  [{ profile: 'op' as const, hardfork: 'denim' as const }, /use it with --profile denim/],
  [{ profile: 'op' as const, hardfork: 'bedrock' as const }, /import them with --genesis/],
  [{ hardfork: 'canyon' as const }, /import them with --genesis/],
  [{ profile: 'op' as const, systemTransactions: false }, /--no-system-transactions contradicts the profile op/],
  [
    { profile: 'ethereum' as const, systemTransactions: true },
    /--system-transactions contradicts the profile ethereum/,
  ],
  [{ profile: 'op' as const, hardfork: 'isthmus' as const, minBaseFee: 5n }, /a minimum base fee from Jovian on/],
])('a hardfork of another profile is refused (%#)', async (flags, message) => {
  await expect(genesisOf('main', { ...DEFAULTS, ...flags })).rejects.toThrow(message)
})

test.each([
  [{ profile: 'op' as const }, 1_000_000n],
  [{ profile: 'denim' as const }, 2_000_000n],
  [{ profile: 'denim' as const, denimAfter: 7n }, 20_000_000n],
])('a gas limit below that of the opening transactions is refused (%#)', async (flags, lowest) => {
  const accepted = await genesisOf('main', { ...DEFAULTS, ...flags, gasLimit: lowest })
  expect(accepted.header.gasLimit).toBe(lowest)
  const refused = genesisOf('main', { ...DEFAULTS, ...flags, gasLimit: lowest - 1n })
  await expect(refused).rejects.toThrow(`--gas-limit ${lowest - 1n} is below ${lowest}`)
})

test.each([
  [{ dialect: 'base' as const }, 'flashblocks', 'base'],
  [{ dialect: 'ethereum' as const }, 'ethereum', 'ethereum'],
  [{ dialect: 'base' as const, profile: 'ethereum' as const }, 'ethereum', 'ethereum'],
  [{ dialect: 'base' as const, profile: 'op' as const }, 'op', 'base'],
  [{ dialect: 'ethereum' as const, profile: 'op' as const }, 'op', 'ethereum'],
])('--dialect ethereum is an alias of the profile (%#)', (flags, profile, dialect) => {
  const all = { profile: undefined, ...flags }
  expect(profileOf(all)).toBe(profile)
  expect(dialectOf(all)).toBe(dialect)
})

test.each([
  [{}, undefined],
  [{ codeSizeLimit: 30_000 }, 30_000],
  [{ codeSizeLimit: 30_000, disableCodeSizeLimit: true }, 0x7fff_ffff],
  [{ compat: 'anvil' as const, disableCodeSizeLimit: true }, 0x7fff_ffff],
])('flags determine the size of code (%#)', async (flags, expected) => {
  const { config } = await genesisOf('main', { ...DEFAULTS, ...flags })

  expect(config.codeSizeLimit).toBe(expected)
})

test.each([
  [{}, 'osaka'],
  [{ compat: 'anvil' as const }, 'bpo1'],
  [{ compat: 'anvil' as const, hardfork: 'cancun' as const }, 'cancun'],
  [{ compat: 'hardhat' as const }, 'osaka'],
  [{ profile: 'op' as const }, 'osaka karst'],
])('the default rules are those of today: %o has %s', async (flags, activations) => {
  const { config } = await genesisOf('main', { ...DEFAULTS, ...flags })

  expect(forkActivations(config)).toBe(activations)
})

test('--compat gives block 0 the chain parameters of the reproduced node, which other flags replace', async () => {
  const anvil = await genesisOf('main', { ...DEFAULTS, compat: 'anvil' })
  expect(anvil.header).toMatchObject({ gasLimit: 30_000_000n, baseFeePerGas: 10n ** 9n, miner: ZERO_ADDRESS })
  expect(anvil.config.layer2).toMatchObject({ eip1559Elasticity: 2, eip1559Denominator: 8, minBaseFee: 0n })
  expect(anvil.config.layer2).not.toHaveProperty('baseFeeRecipient')
  // Anvil has the rules of Osaka without the cap of EIP-7825.
  expect(anvil.config.transactionGasCap).toBe(NO_TRANSACTION_GAS_CAP)
  expect(anvil.alloc.has(MESSAGE_PASSER_ADDRESS)).toBe(false)
  expect(stocksIn(anvil)).toEqual([])
  expect(stocksIn(createNetwork().genesis)).toHaveLength(DEMO_STOCKS.length)

  const hardhat = await genesisOf('main', { ...DEFAULTS, compat: 'hardhat', hardfork: 'osaka', baseFee: 7n })
  expect(hardhat.header).toMatchObject({ gasLimit: 60_000_000n, baseFeePerGas: 7n })
  expect(hardhat.config.transactionGasCap).toBe(TRANSACTION_GAS_CAP)
  const unnamed = await genesisOf('main', { ...DEFAULTS, compat: 'hardhat' })
  expect(unnamed.config.transactionGasCap).toBe(NO_TRANSACTION_GAS_CAP)
})

test.each([
  [undefined, TRANSACTION_GAS_CAP],
  ['osaka', TRANSACTION_GAS_CAP],
  ['prague', undefined],
] as const)('--compat hardhat3 has the gas cap of Hardhat 3 with the fork %s', async (hardfork, cap) => {
  const { config } = await genesisOf('main', { ...DEFAULTS, compat: 'hardhat3', hardfork })

  expect(config.transactionGasCap).toBe(cap)
})

test('refuses a genesis file that is no regular file', async () => {
  await expect(genesisOf('main', { ...DEFAULTS, genesis: '/dev/zero' })).rejects.toThrow(
    'the genesis file /dev/zero cannot be used: /dev/zero is no regular file',
  )
})
