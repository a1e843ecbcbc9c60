import type { ProfileName } from '../forks/chain-profile.ts'
import { NETWORK_FORKS, NETWORK_UPGRADES, type NetworkFork, type NetworkUpgrade } from '../genesis/networks.ts'

/** A fee, and what becomes of it. */
interface FeeRule {
  readonly fee: 'base fee' | 'priority fee' | 'L1 fee' | 'operator fee'
  readonly recipient: string
}

/** A fork of Ethereum or an upgrade of the OP stack or of Base. */
export type Hardfork = NetworkFork | NetworkUpgrade | 'denim'

/** Milliseconds. Without an interval, blocks come without flashblocks. */
export interface BlockSchedule {
  readonly blockTimeMs: number
  readonly flashblockIntervalMs?: number
}

/** One kind of chain, described as data (docs/profiles.md). */
export interface Profile {
  readonly name: ProfileName
  readonly summary: string
  /** Default block times. */
  readonly schedule: BlockSchedule & {
    /** Schedule of the blocks before the newest upgrade, if that is activated later than block 0. */
    readonly before?: BlockSchedule
  }
  /** Whether the time of each block follows from that of block 0, which then has to be near that of the start. */
  readonly needsTimestamp: boolean
  /** Default blocks between latest and finalized, of 200 ms where Denim is scheduled: about two minutes. */
  readonly finalityDepth: number
  /** Newest fork or upgrade that is active from block 0. */
  readonly hardfork: Hardfork
  /** Forks and upgrades that `--hardfork` may name instead. */
  readonly hardforks: readonly Hardfork[]
  /** Deposits with which every block begins. */
  readonly systemTransactions: readonly string[]
  readonly fees: readonly FeeRule[]
  readonly rpc: {
    /** Format of responses. */
    readonly dialect: 'base' | 'ethereum'
    /** Namespaces that other profiles lack. */
    readonly namespaces: readonly string[]
  }
}

export const FLASHBLOCKS_SCHEDULE = { blockTimeMs: 2_000, flashblockIntervalMs: 200 }

const FINALITY_DEPTH = 64

const GAS_FEES: readonly FeeRule[] = [
  { fee: 'base fee', recipient: 'BaseFeeVault' },
  { fee: 'priority fee', recipient: 'SequencerFeeVault' },
]

const OP_FEES: readonly FeeRule[] = [
  ...GAS_FEES,
  { fee: 'L1 fee', recipient: 'L1FeeVault' },
  { fee: 'operator fee', recipient: 'OperatorFeeVault' },
]

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  flashblocks: {
    name: 'flashblocks',
    summary: 'The chain of the interface specification: flashblocks, transactions pay for gas only',
    schedule: FLASHBLOCKS_SCHEDULE,
    needsTimestamp: false,
    finalityDepth: FINALITY_DEPTH,
    hardfork: 'osaka',
    hardforks: NETWORK_FORKS,
    systemTransactions: [],
    fees: GAS_FEES,
    rpc: { dialect: 'base', namespaces: [] },
  },
  op: {
    name: 'op',
    summary: 'A chain of the OP stack with flashblocks: L1 attributes, L1 fee, operator fee, fee vaults, output roots',
    schedule: FLASHBLOCKS_SCHEDULE,
    needsTimestamp: false,
    finalityDepth: FINALITY_DEPTH,
    hardfork: 'karst',
    hardforks: NETWORK_UPGRADES,
    systemTransactions: ['L1 attributes'],
    fees: OP_FEES,
    rpc: { dialect: 'base', namespaces: ['optimism'] },
  },
  denim: {
    name: 'denim',
    summary: 'Base after Denim: canonical blocks every 200 ms, BaseTime, L1 attributes, fees of the OP stack',
    schedule: { blockTimeMs: 200, before: FLASHBLOCKS_SCHEDULE },
    needsTimestamp: true,
    finalityDepth: 10 * FINALITY_DEPTH,
    hardfork: 'denim',
    hardforks: ['denim'],
    systemTransactions: ['L1 attributes', 'BaseTime'],
    fees: OP_FEES,
    rpc: { dialect: 'base', namespaces: ['optimism'] },
  },
  ethereum: {
    name: 'ethereum',
    summary: "The chain of flashblocks, or of a genesis file, with go-ethereum's responses",
    schedule: FLASHBLOCKS_SCHEDULE,
    needsTimestamp: false,
    finalityDepth: FINALITY_DEPTH,
    hardfork: 'osaka',
    hardforks: NETWORK_FORKS,
    systemTransactions: [],
    fees: GAS_FEES,
    rpc: { dialect: 'ethereum', namespaces: [] },
  },
}
