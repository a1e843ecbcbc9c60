import type { Fork } from '../forks/forks.ts'
import type { UpgradeTimes } from '../forks/upgrades.ts'
import op from './op-networks.json' with { type: 'json' }

/** A public chain whose rules follow from its chain id and the time. Times in Unix seconds. */
export interface KnownNetwork {
  readonly chainId: number
  readonly name: string
  readonly blockTimeSeconds: number
  /** Upgrades of an OP-stack chain. Absent: a network of Ethereum. */
  readonly upgradeTimes?: UpgradeTimes
  /** EIP-1559 parameters of an OP-stack chain before its headers have them (Holocene). */
  readonly feeParameters?: { readonly elasticity: number; readonly denominator: number }
  /** Forks of a network of Ethereum. */
  readonly forkTimes?: Readonly<Partial<Record<Fork, bigint>>>
  /** Forks up to Paris. Those that are absent were active from block 0. */
  readonly forkBlocks?: Readonly<Partial<Record<Fork, number>>>
  /** The first fork whose rules this node does not have: those of the fork before it apply. */
  readonly unsupported?: { readonly name: string; readonly time: bigint }
  /** Rules of the chain's own that this node does not have at any time. */
  readonly missing?: string
}

/** Members are those of the genesis files of go-ethereum (params/config.go). */
const ETHEREUM_NETWORKS: readonly KnownNetwork[] = [
  {
    chainId: 1,
    name: 'Ethereum',
    blockTimeSeconds: 12,
    forkBlocks: {
      homestead: 1_150_000,
      tangerineWhistle: 2_463_000,
      spuriousDragon: 2_675_000,
      byzantium: 4_370_000,
      constantinople: 7_280_000,
      petersburg: 7_280_000,
      istanbul: 9_069_000,
      muirGlacier: 9_200_000,
      berlin: 12_244_000,
      london: 12_965_000,
      arrowGlacier: 13_773_000,
      grayGlacier: 15_050_000,
      paris: 15_537_394,
    },
    forkTimes: {
      shanghai: 1_681_338_455n,
      cancun: 1_710_338_135n,
      prague: 1_746_612_311n,
      osaka: 1_764_798_551n,
      bpo1: 1_765_290_071n,
      bpo2: 1_767_747_671n,
    },
  },
  {
    chainId: 11_155_111,
    name: 'Sepolia',
    blockTimeSeconds: 12,
    forkBlocks: { london: 0, paris: 1_450_409 },
    forkTimes: {
      shanghai: 1_677_557_088n,
      cancun: 1_706_655_072n,
      prague: 1_741_159_776n,
      osaka: 1_760_427_360n,
      bpo1: 1_761_017_184n,
      bpo2: 1_761_607_008n,
    },
    unsupported: { name: 'Amsterdam', time: 1_791_294_816n },
  },
  {
    chainId: 560_048,
    name: 'Hoodi',
    blockTimeSeconds: 12,
    forkTimes: {
      shanghai: 0n,
      cancun: 0n,
      prague: 1_742_999_832n,
      osaka: 1_761_677_592n,
      bpo1: 1_762_365_720n,
      bpo2: 1_762_955_544n,
    },
  },
]

/** Base's own upgrades follow Jovian (base/base, crates/common/chains). */
const BASE_NETWORKS: readonly KnownNetwork[] = [
  {
    chainId: 8_453,
    name: 'Base',
    blockTimeSeconds: 2,
    feeParameters: { elasticity: 6, denominator: 250 },
    upgradeTimes: {
      bedrock: 0n,
      regolith: 0n,
      canyon: 1_704_992_401n,
      ecotone: 1_710_374_401n,
      fjord: 1_720_627_201n,
      granite: 1_726_070_401n,
      holocene: 1_736_445_601n,
      isthmus: 1_746_806_401n,
      jovian: 1_764_691_201n,
      azul: 1_779_991_200n,
      beryl: 1_782_410_400n,
      cobalt: 1_790_791_200n,
      denim: 1_793_901_600n,
    },
  },
  {
    chainId: 84_532,
    name: 'Base Sepolia',
    blockTimeSeconds: 2,
    feeParameters: { elasticity: 10, denominator: 250 },
    upgradeTimes: {
      bedrock: 0n,
      regolith: 0n,
      canyon: 1_699_981_200n,
      ecotone: 1_708_534_800n,
      fjord: 1_716_998_400n,
      granite: 1_723_478_400n,
      holocene: 1_732_633_200n,
      isthmus: 1_744_905_600n,
      jovian: 1_763_568_001n,
      azul: 1_776_708_000n,
      beryl: 1_781_805_600n,
      cobalt: 1_790_186_400n,
      denim: 1_792_605_600n,
    },
  },
]

/** Rules that Celo adds to the OP stack (specs.celo.org). */
const CELO_RULES = 'the transfer precompile 0xfd and transactions that pay fees in other currencies (type 0x7b)'
const CELO_CHAIN_IDS: ReadonlySet<number> = new Set([42_220, 11_142_220])

const OP_NETWORKS: readonly KnownNetwork[] = op.networks.map(
  ({ chainId, name, blockTimeSeconds, elasticity, denominator, upgradeTimes }) => ({
    chainId,
    name,
    blockTimeSeconds,
    feeParameters: { elasticity, denominator },
    upgradeTimes: { bedrock: 0n, regolith: 0n, ...timesOf(upgradeTimes) },
    ...(CELO_CHAIN_IDS.has(chainId) && { missing: CELO_RULES }),
  }),
)

/** Every network that is known by its chain id. */
export const KNOWN_NETWORKS: readonly KnownNetwork[] = [...ETHEREUM_NETWORKS, ...BASE_NETWORKS, ...OP_NETWORKS]

const BY_CHAIN_ID: ReadonlyMap<bigint, KnownNetwork> = new Map(
  KNOWN_NETWORKS.map((network) => [BigInt(network.chainId), network]),
)

/** @example knownNetwork(10n)?.upgradeTimes?.karst // 1783526401n */
export function knownNetwork(chainId: bigint): KnownNetwork | undefined {
  return BY_CHAIN_ID.get(chainId)
}

function timesOf(upgradeTimes: Readonly<Record<string, number | undefined>>): UpgradeTimes {
  const times = Object.entries(upgradeTimes).filter((entry): entry is [string, number] => entry[1] !== undefined)
  return Object.fromEntries(times.map(([name, time]) => [name, BigInt(time)]))
}
