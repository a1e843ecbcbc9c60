import { describe, expect, it } from 'vitest'
import { type ChainConfig, hasBlobs } from './chain-config.ts'
import { FORKS, type Fork, forkDefinition, includesFork, UNSUPPORTED_FORK_KEYS } from './forks.ts'
import { type Rules, rulesOf } from './rules.ts'

/** Each fork with what activates it and its members of go-ethereum's genesis.json, in the order of params/config.go. */
const TABLE: readonly (readonly [Fork, 'genesis' | 'block' | 'time', readonly string[]])[] = [
  ['frontier', 'genesis', []],
  ['homestead', 'block', ['homesteadBlock']],
  ['tangerineWhistle', 'block', ['eip150Block']],
  ['spuriousDragon', 'block', ['eip158Block', 'eip155Block']],
  ['byzantium', 'block', ['byzantiumBlock']],
  ['constantinople', 'block', ['constantinopleBlock']],
  ['petersburg', 'block', ['petersburgBlock', 'constantinopleBlock']],
  ['istanbul', 'block', ['istanbulBlock']],
  ['muirGlacier', 'block', ['muirGlacierBlock']],
  ['berlin', 'block', ['berlinBlock']],
  ['london', 'block', ['londonBlock']],
  ['arrowGlacier', 'block', ['arrowGlacierBlock']],
  ['grayGlacier', 'block', ['grayGlacierBlock']],
  ['paris', 'block', ['mergeNetsplitBlock']],
  ['shanghai', 'time', ['shanghaiTime', 'canyonTime']],
  ['cancun', 'time', ['cancunTime', 'ecotoneTime']],
  ['prague', 'time', ['pragueTime', 'isthmusTime']],
  ['osaka', 'time', ['osakaTime']],
  ['bpo1', 'time', ['bpo1Time']],
  ['bpo2', 'time', ['bpo2Time']],
]

/** The first fork of each rule, by the EIP that the rule names and the meta EIP of the fork. */
const FIRST_FORKS: { readonly [Rule in keyof Rules]: Fork } = {
  hasCreationGas: 'homestead',
  hasProportionalDifficulty: 'homestead',
  removesEmptyAccounts: 'spuriousDragon',
  hasReceiptStatus: 'byzantium',
  hasUncleDifficulty: 'byzantium',
  hasByzantiumReward: 'byzantium',
  hasConstantinopleReward: 'constantinople',
  hasCheaperCalldata: 'istanbul',
  hasCheaperBn254: 'istanbul',
  hasAccessLists: 'berlin',
  hasCheaperModexp: 'berlin',
  hasBaseFee: 'london',
  hasReducedRefunds: 'london',
  isProofOfStake: 'paris',
  hasWithdrawals: 'shanghai',
  hasWarmCoinbase: 'shanghai',
  hasInitcodeLimit: 'shanghai',
  hasBlobFee: 'cancun',
  hasBeaconRoot: 'cancun',
  hasHistoryContract: 'prague',
  hasCalldataFloor: 'prague',
  hasRequests: 'prague',
  hasTransactionGasCap: 'osaka',
  hasCellProofs: 'osaka',
  hasBlobReservePrice: 'osaka',
  hasBlockSizeLimit: 'osaka',
  hasBoundedModexp: 'osaka',
}

describe('the forks', () => {
  it('are in the order of activation', () => {
    expect(FORKS).toEqual(TABLE.map(([name]) => name))
  })

  it.each(TABLE)('schedule %s by %s with the members of go-ethereum', (fork, activation, genesisKeys) => {
    expect(forkDefinition(fork)).toMatchObject({ name: fork, activation, genesisKeys })
  })

  it('change the blob parameters with Cancun (EIP-4844) and Prague (EIP-7691) alone', () => {
    const changes = FORKS.filter((fork) => forkDefinition(fork).blobSchedule !== undefined)
    expect(changes.map((fork) => [fork, forkDefinition(fork).blobSchedule])).toEqual([
      ['cancun', { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n }],
      ['prague', { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n }],
    ])
  })

  it('include themselves and those before them', () => {
    for (const [index, fork] of FORKS.entries()) {
      expect(FORKS.filter((other) => includesFork(fork, other))).toEqual(FORKS.slice(0, index + 1))
    }
  })

  it('that are not implemented are known by name, so that a genesis file with them is refused', () => {
    expect(UNSUPPORTED_FORK_KEYS).toEqual(
      expect.arrayContaining(['bpo3Time', 'amsterdamTime', 'verkleTime', 'ubtTime']),
    )
    const keys = TABLE.flatMap(([, , genesisKeys]) => genesisKeys)
    expect(UNSUPPORTED_FORK_KEYS.filter((key) => keys.includes(key))).toEqual([])
  })
})

describe('a rule', () => {
  it.each(Object.entries(FIRST_FORKS))('%s holds from %s on', (rule, first) => {
    const holds = FORKS.filter((fork) => new Map(Object.entries(rulesOf(fork))).get(rule))
    expect(holds).toEqual(FORKS.slice(FORKS.indexOf(first)))
  })
})

describe('blob transactions', () => {
  const layer2: NonNullable<ChainConfig['layer2']> = {
    eip1559Elasticity: 6,
    eip1559Denominator: 250,
    minBaseFee: 0n,
    daFootprintGasScalar: 0,
  }

  it.each([
    ['exist on layer 1', undefined, true],
    ['do not exist on layer 2', layer2, false],
    ['exist on a development chain that stands for layer 1', { ...layer2, hasBlobs: true }, true],
  ])('%s', (_, rules, expected) => {
    expect(hasBlobs({ ...(rules && { layer2: rules }) })).toBe(expected)
  })
})
