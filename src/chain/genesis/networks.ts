import { type Address, EMPTY_BYTES, ZERO_HASH } from '../../primitives/hex.ts'
import { DEVELOPMENT_ACCOUNTS, DEVELOPMENT_BALANCE, type DevelopmentAccount } from '../accounts/development-accounts.ts'
import { headerFeeParameters } from '../block/header-fee-parameters.ts'
import {
  BASE_FEE_VAULT_ADDRESS,
  EMPTY_REQUESTS_HASH,
  EMPTY_UNCLES_HASH,
  NO_TRANSACTION_GAS_CAP,
  SEQUENCER_FEE_VAULT_ADDRESS,
  TRANSACTION_GAS_CAP,
} from '../constants.ts'
import type { ChainConfig } from '../forks/chain-config.ts'
import { DENIM_SCALING } from '../forks/denim-schedule.ts'
import { type Fork, includesFork } from '../forks/forks.ts'
import { layer2RulesOf } from '../forks/layer2-rules.ts'
import { rulesOf } from '../forks/rules.ts'
import { forkOfUpgrade, includesUpgrade, UPGRADES, type Upgrade, type UpgradeTimes } from '../forks/upgrades.ts'
import type { GenesisAccount, Predeploy } from '../predeploys/predeploy.ts'
import type { Genesis } from './genesis.ts'
import { type ContractOptions, genesisPredeploys } from './genesis-predeploys.ts'

export type NetworkName = 'main' | 'test'

/** Forks that our networks can have as the newest one. */
export const NETWORK_FORKS = ['shanghai', 'cancun', 'prague', 'osaka', 'bpo1'] as const
export type NetworkFork = (typeof NETWORK_FORKS)[number]

/** Upgrades of the OP stack and of Base that our networks can have as the newest one. */
export const NETWORK_UPGRADES = [
  'ecotone',
  'fjord',
  'granite',
  'holocene',
  'isthmus',
  'jovian',
  'karst',
  'azul',
  'beryl',
  'cobalt',
] as const satisfies readonly Upgrade[]
export type NetworkUpgrade = (typeof NETWORK_UPGRADES)[number]

/** Upgrades whose blocks can be imported, but not built. */
export const IMPORTED_UPGRADES = ['bedrock', 'regolith', 'canyon'] as const satisfies readonly Upgrade[]
export type ImportedUpgrade = (typeof IMPORTED_UPGRADES)[number]

export const GAS_LIMIT = 400_000_000n
const DENOMINATOR = 100
/** Gas limit of a chain that begins with Denim. */
export const DENIM_GAS_LIMIT = GAS_LIMIT / BigInt(DENIM_SCALING)

/** Options of a network. Defaults are those of the network itself. */
export interface NetworkOptions extends Omit<ContractOptions, 'upgrade' | 'owner'> {
  readonly name?: NetworkName
  /** Default: 31337 for the main network, 31338 for the test network. */
  readonly chainId?: bigint
  /** Gas per block. Default: 400,000,000. */
  readonly gasLimit?: bigint
  /** Gas limit divided by gas target (EIP-1559). Default: 5. */
  readonly elasticity?: number
  /** Base fee change denominator (EIP-1559). Default: 100. */
  readonly denominator?: number
  /** Minimum base fee in wei per gas. Default: 5,000,000. */
  readonly minBaseFee?: bigint
  /** Gas per compressed byte of the DA footprint (Jovian). Default: 0, disabled. */
  readonly daFootprintGasScalar?: number
  /** Maximum gas limit of a transaction (EIP-7825); `null`: that of the block. Default: 16,777,216. */
  readonly transactionGasCap?: bigint | null
  /** Maximum bytes of code. Default: that of EIP-170. */
  readonly codeSizeLimit?: number
  /** Whether blob transactions exist. Default: false. */
  readonly hasBlobs?: boolean
  /** Base fee of block 0 in wei per gas. Default: the minimum base fee. */
  readonly baseFee?: bigint
  /** The newest fork that is active, from block 0. Default: Osaka. */
  readonly fork?: NetworkFork
  /**
   * The newest upgrade of the OP stack that is active, from block 0: the chain has its rules, system transactions and
   * fees, and `fork` has no effect. Default: none.
   */
  readonly upgrade?: NetworkUpgrade | 'denim' | undefined
  /**
   * With the upgrade `denim`: seconds from block 0 to its activation. Gas limit and denominator are those of block 0.
   * Default: 0, Denim is active from block 0.
   */
  readonly denimAfter?: bigint | undefined
  /** Accounts with funds; the first one owns the contracts of the OP stack. Default: the ten well-known ones. */
  readonly accounts?: readonly Pick<DevelopmentAccount, 'address'>[]
  /** Wei of each of these accounts. Default: 10,000 ether. */
  readonly balance?: bigint
  /** Unix seconds of block 0. Default: 2025-01-01. */
  readonly timestamp?: bigint
  /** Recipient of priority fees. */
  readonly coinbase?: Address
  /** Recipient of base fees; `null`: they are burnt. Default: the base fee vault. */
  readonly baseFeeRecipient?: Address | null
}

export interface Network {
  readonly name: NetworkName
  readonly genesis: Genesis
}

const CHAIN_IDS: Readonly<Record<NetworkName, bigint>> = { main: 31_337n, test: 31_338n }
const MIN_BASE_FEE = 5_000_000n
/** 2025-01-01 00:00:00 UTC. Fixed, so that the same flags give the same block 0 on every start. */
export const GENESIS_TIMESTAMP = 1_735_689_600n

/**
 * The genesis of one of our networks: a layer-2 chain with the Osaka rules from block 0. The networks differ by chain
 * id, and therefore in their genesis state.
 *
 * @example createNetwork({ name: 'test' }).genesis.config.chainId // 31338n
 */
export function createNetwork(options: NetworkOptions = {}): Network {
  const name = options.name ?? 'main'
  const { accounts = DEVELOPMENT_ACCOUNTS, balance = DEVELOPMENT_BALANCE, upgrade } = options
  const beginsWithDenim = isDenimFromStart(options)
  const fork = upgrade === undefined ? (options.fork ?? 'osaka') : forkOfUpgrade(upgrade)
  const timestamp = options.timestamp ?? GENESIS_TIMESTAMP
  const config = chainConfig(options.chainId ?? CHAIN_IDS[name], fork, { ...options, timestamp })
  const { hasBlobFee, hasRequests } = rulesOf(fork)
  const { hasLayer2Contracts, hasStocks, demoStocks } = options
  const contracts = {
    ...(hasLayer2Contracts !== undefined && { hasLayer2Contracts }),
    ...(hasStocks !== undefined && { hasStocks }),
    ...(demoStocks !== undefined && { demoStocks }),
    ...(upgrade !== undefined && { upgrade }),
    reservesBaseTime: upgrade === 'denim' && !beginsWithDenim,
    owner: accounts[0]?.address,
  }
  return {
    name,
    genesis: {
      config,
      header: {
        parentHash: ZERO_HASH,
        sha3Uncles: EMPTY_UNCLES_HASH,
        miner: options.coinbase ?? SEQUENCER_FEE_VAULT_ADDRESS,
        difficulty: 0n,
        number: 0,
        gasLimit: options.gasLimit ?? (beginsWithDenim ? DENIM_GAS_LIMIT : GAS_LIMIT),
        gasUsed: 0,
        timestamp,
        extraData: headerFeeParameters(config, { number: 0, timestamp }),
        mixHash: ZERO_HASH,
        nonce: new Uint8Array(8),
        baseFeePerGas: options.baseFee ?? options.minBaseFee ?? MIN_BASE_FEE,
        ...(hasBlobFee && { blobGasUsed: 0, excessBlobGas: 0n, parentBeaconBlockRoot: ZERO_HASH }),
        ...(hasRequests && { requestsHash: EMPTY_REQUESTS_HASH }),
      },
      alloc: allocation(genesisPredeploys(config.chainId, contracts), accounts, balance),
    },
  }
}

function chainConfig(
  chainId: bigint,
  fork: Fork,
  options: NetworkOptions & { readonly timestamp: bigint },
): ChainConfig {
  const { baseFeeRecipient = BASE_FEE_VAULT_ADDRESS, upgrade, timestamp, denimAfter = 0n } = options
  const beginsWithDenim = isDenimFromStart(options)
  const denimTime = timestamp + denimAfter
  // The OP stack has no cap of its own before Karst and Azul, which bring that of Osaka.
  const { transactionGasCap: cap = upgrade === undefined ? TRANSACTION_GAS_CAP : undefined } = options
  const isLifted = cap === null && rulesOf(fork).hasTransactionGasCap
  const timed = NETWORK_FORKS.filter((name) => includesFork(fork, name))
  return {
    chainId,
    forkBlocks: {
      frontier: 0,
      homestead: 0,
      tangerineWhistle: 0,
      spuriousDragon: 0,
      byzantium: 0,
      constantinople: 0,
      petersburg: 0,
      istanbul: 0,
      muirGlacier: 0,
      berlin: 0,
      london: 0,
      arrowGlacier: 0,
      grayGlacier: 0,
      paris: 0,
    },
    forkTimes: Object.fromEntries(timed.map((name) => [name, 0n])),
    // EIP-4844, EIP-7691 and EIP-7892. Without blobs BLOBBASEFEE must return 1.
    blobSchedule: {
      cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n },
      prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n },
      ...(fork === 'bpo1' && { bpo1: { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193n } }),
    },
    layer2: {
      eip1559Elasticity: options.elasticity ?? 5,
      eip1559Denominator: options.denominator ?? (beginsWithDenim ? DENOMINATOR * DENIM_SCALING : DENOMINATOR),
      minBaseFee: hasMinBaseFee(upgrade) ? (options.minBaseFee ?? MIN_BASE_FEE) : 0n,
      daFootprintGasScalar: options.daFootprintGasScalar ?? 0,
      ...(options.hasBlobs === true && { hasBlobs: true }),
      ...(baseFeeRecipient !== null && { baseFeeRecipient }),
      ...(upgrade !== undefined && { upgradeTimes: upgradeTimesUpTo(upgrade, beginsWithDenim ? 0n : denimTime) }),
      ...(upgrade === 'denim' && { denim: { genesisNumber: 0n, genesisTime: timestamp, denimTime } }),
    },
    ...(typeof cap === 'bigint' && { transactionGasCap: cap }),
    ...(isLifted && { transactionGasCap: NO_TRANSACTION_GAS_CAP }),
    ...(options.codeSizeLimit !== undefined && { codeSizeLimit: options.codeSizeLimit }),
  }
}

function isDenimFromStart({ upgrade, denimAfter = 0n }: NetworkOptions): boolean {
  return upgrade === 'denim' && denimAfter === 0n
}

function hasMinBaseFee(upgrade: Upgrade | undefined): boolean {
  return upgrade === undefined || layer2RulesOf(upgrade).hasMinBaseFee
}

/** Upgrades that are active from block 0, except Denim, which may come later. */
function upgradeTimesUpTo(newest: Upgrade, denimTime: bigint): UpgradeTimes {
  const active = UPGRADES.filter((name) => includesUpgrade(newest, name))
  return Object.fromEntries(active.map((name) => [name, name === 'denim' ? denimTime : 0n]))
}

function allocation(
  predeploys: readonly Predeploy[],
  accounts: NonNullable<NetworkOptions['accounts']>,
  balance: bigint,
): ReadonlyMap<Address, GenesisAccount> {
  const alloc = new Map<Address, GenesisAccount>()
  for (const { address } of accounts) {
    alloc.set(address, { balance, nonce: 0n, code: EMPTY_BYTES, storage: new Map() })
  }
  for (const { address, balance, nonce, code, storage } of predeploys) {
    alloc.set(address, { balance, nonce, code, storage })
  }
  return alloc
}
