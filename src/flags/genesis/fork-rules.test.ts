import { describe, expect, test } from 'vitest'
import { encodeExtraData } from '../../chain/block/extra-data.ts'
import type { Header } from '../../chain/block/header.ts'
import { nextBaseFee } from '../../chain/fees/base-fee.ts'
import { hasBlobs } from '../../chain/forks/chain-config.ts'
import { forkAt } from '../../chain/forks/fork-schedule.ts'
import { layer2RulesAt } from '../../chain/forks/layer2-rules.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { fallbacksOf } from '../flag.ts'
import { START_FLAGS } from '../start-flags.ts'
import { type ForkedBlockFacts, forkRules } from './fork-rules.ts'
import { forkedGenesis } from './forked-genesis.ts'

const DEFAULTS = fallbacksOf(START_FLAGS)
const NOW = 1_795_880_000n
const HOLOCENE = encodeExtraData({ denominator: 250, elasticity: 6 })

function header(members: Partial<Header> = {}): Header {
  const { header: block0 } = createNetwork().genesis
  return { ...forkedHeader(block0), number: 20_000_000, timestamp: NOW, extraData: new Uint8Array(), ...members }
}

function forkedHeader(block0: ReturnType<typeof createNetwork>['genesis']['header']): Header {
  const root = block0.parentHash
  return { ...block0, stateRoot: root, transactionsRoot: root, receiptsRoot: root, logsBloom: new Uint8Array(256) }
}

function rulesOfChain(chainId: bigint, facts: Partial<ForkedBlockFacts> = {}, flags: Partial<typeof DEFAULTS> = {}) {
  return forkRules({ ...DEFAULTS, ...flags }, { chainId, header: header(), ...facts })
}

describe('the rules of a fork', () => {
  test.each<readonly [chainId: bigint, time: bigint, name: string, reason: string]>([
    [1n, NOW, 'bpo2', 'of Ethereum'],
    [1n, 1_764_798_551n, 'osaka', 'of Ethereum'],
    [1n, 1_764_798_550n, 'prague', 'of Ethereum'],
    [560_048n, NOW, 'bpo2', 'of Hoodi'],
    [10n, NOW, 'karst', 'of OP Mainnet'],
    [10n, 1_764_691_201n, 'jovian', 'of OP Mainnet'],
    [8_453n, NOW, 'denim', 'of Base'],
    [252n, NOW, 'granite', 'of Fraxtal'],
  ])('of chain %s at %s are %s, %s', (chainId, timestamp, name, reason) => {
    expect(rulesOfChain(chainId, { header: header({ timestamp }) })).toMatchObject({ name, reason })
  })

  test('are those of Osaka on a chain that is beyond it, which is said', () => {
    const before = rulesOfChain(11_155_111n, { header: header({ timestamp: 1_791_294_815n }) })
    expect(before.missing).toBeUndefined()

    expect(rulesOfChain(11_155_111n)).toMatchObject({ name: 'bpo2', missing: 'the rules of Amsterdam' })
  })

  test('are the oldest ones that blocks can be built with before them, which is said', () => {
    const early = { number: 13_000_000, timestamp: 1_630_000_000n }
    expect(rulesOfChain(1n, { header: header(early) })).toMatchObject({
      name: 'shanghai',
      missing: 'the rules of london',
    })
    expect(
      rulesOfChain(11_155_111n, { header: header({ number: 1_450_408, timestamp: 1_655_733_599n }) }),
    ).toMatchObject({
      missing: 'the rules of london',
    })
    const { upgradeTimes, missing } = rulesOfChain(10n, { header: header({ timestamp: 1_700_000_000n }) })
    expect({ upgradeTimes, missing }).toEqual({ missing: expect.stringContaining('regolith') })
  })

  test.each([42_220n, 11_142_220n])(
    'the rules of a fork of Celo (%s) name the precompile of Celo that is missing',
    (chainId) => {
      expect(rulesOfChain(chainId).missing).toContain('0xfd')
    },
  )

  test.each<readonly [Partial<typeof DEFAULTS>, string]>([
    [{ hardfork: 'jovian', profile: 'op' }, 'by --hardfork jovian'],
    [{ profile: 'op' }, 'by --profile op'],
    [{ systemTransactions: false }, 'by --no-system-transactions'],
    [{ systemTransactions: true }, 'by --system-transactions'],
  ])('name the flag that was given: %o', (flags, reason) => {
    expect(rulesOfChain(10n, {}, flags).reason).toBe(reason)
  })

  test.each([
    ['jovian', new Uint8Array(), 'jovian'],
    ['isthmus', HOLOCENE, 'isthmus'],
    ['ecotone', HOLOCENE, 'holocene'],
    ['ecotone', new Uint8Array(), 'ecotone'],
  ] as const)(
    'of an unknown chain with attributes of %s follow from header and selector (%#)',
    (layout, extraData, name) => {
      const rules = rulesOfChain(777n, { attributes: layout, header: header({ extraData }) })

      expect(rules).toMatchObject({ name, reason: expect.stringContaining('--hardfork') })
      expect(rules.upgradeTimes).toHaveProperty(name)
    },
  )

  test('of any other unknown chain are those of Osaka, and say how to name others', () => {
    expect(rulesOfChain(777n)).toEqual({ name: 'osaka', reason: expect.stringContaining('--hardfork'), fork: 'osaka' })
  })

  test.each([
    [{ hardfork: 'cancun' as const }, 'cancun', false],
    [{ hardfork: 'jovian' as const }, 'jovian', true],
    [{ hardfork: 'denim' as const }, 'denim', true],
    [{ profile: 'op' as const }, 'karst', true],
    [{ profile: 'ethereum' as const }, 'osaka', false],
    [{ systemTransactions: false }, 'osaka', false],
  ])('are those that flags name: %o has %s', (flags, name, isOpStack) => {
    const rules = rulesOfChain(10n, {}, flags)

    expect(rules.name).toBe(name)
    expect(rules.upgradeTimes !== undefined).toBe(isOpStack)
  })
})

describe('the parameters of a fork', () => {
  test('schedule the coming upgrades of its chain', async () => {
    const facts = { point: { chainId: 10n }, reading: { header: header({ timestamp: 1_764_691_201n }) } }

    const { config } = await forkedGenesis(DEFAULTS, facts)

    expect(layer2RulesAt(config, 1_783_526_400n)?.upgrade).toBe('jovian')
    expect(layer2RulesAt(config, 1_783_526_401n)?.upgrade).toBe('karst')
    expect([1_783_526_400n, 1_783_526_401n].map((time) => forkAt(config, 1, time))).toEqual(['prague', 'osaka'])
  })

  test('count the blob gas of a block of Ethereum apart from its gas, and have its blobs', async () => {
    const block = header({ baseFeePerGas: 1_000_000_000n, gasLimit: 60_000_000n, gasUsed: 0, blobGasUsed: 45_000_000 })

    const { config } = await forkedGenesis(DEFAULTS, { point: { chainId: 1n }, reading: { header: block } })

    expect(hasBlobs(config)).toBe(true)
    expect(nextBaseFee(block, config)).toBe(875_000_000n)
  })

  test.each([
    [{}, 1n, undefined],
    [{ transactionGasCap: 5n }, 1n, 5n],
    [{ transactionGasCap: 0n }, 1n, 2n ** 64n - 1n],
    [{ compat: 'anvil' as const }, 1n, 2n ** 64n - 1n],
    [{ compat: 'hardhat' as const }, 10n, undefined],
  ])('bound the gas of a transaction as the chain does, unless flags differ (%o)', async (flags, chainId, cap) => {
    const facts = { point: { chainId }, reading: { header: header() } }

    expect((await forkedGenesis({ ...DEFAULTS, ...flags }, facts)).config.transactionGasCap).toBe(cap)
  })
})
