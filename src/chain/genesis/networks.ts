import { type Address, EMPTY_BYTES, ZERO_HASH } from '../../primitives/hex.ts'
import { encodeExtraData } from '../block/extra-data.ts'
import {
  BASE_FEE_VAULT_ADDRESS,
  EMPTY_REQUESTS_HASH,
  EMPTY_UNCLES_HASH,
  SEQUENCER_FEE_VAULT_ADDRESS,
  TRANSACTION_GAS_CAP,
} from '../constants.ts'
import type { ChainConfig } from '../forks/chain-config.ts'
import { genesisPredeploys } from '../predeploys/genesis-predeploys.ts'
import { DEVELOPMENT_ACCOUNTS, DEVELOPMENT_BALANCE } from './development-accounts.ts'
import type { Genesis, GenesisAccount } from './genesis.ts'

export type NetworkName = 'main' | 'test'

/** What a network may be told to differ in; what is left out is as in design section 7. */
export interface NetworkOptions {
  readonly name?: NetworkName
  /** 31337 for the main network, 31338 for the test network. */
  readonly chainId?: bigint
  /** Gas per block: 400,000,000. */
  readonly gasLimit?: bigint
  /** Gas limit over gas target (EIP-1559): 5. */
  readonly elasticity?: number
  /** The base fee moves by at most 1/denominator of itself times (elasticity - 1) per block: 100. */
  readonly denominator?: number
  /** Wei per gas, below which the base fee does not fall: 5,000,000. */
  readonly minBaseFee?: bigint
  /** Gas per compressed byte that counts against the block (Jovian): 0, off. */
  readonly daFootprintGasScalar?: number
  /** Gas that one transaction may ask for (EIP-7825): 16,777,216. */
  readonly transactionGasCap?: bigint
  /** Who receives priority fees. */
  readonly coinbase?: Address
  /** Who receives base fees. */
  readonly baseFeeRecipient?: Address
}

export interface Network {
  readonly name: NetworkName
  readonly genesis: Genesis
}

const CHAIN_IDS: Readonly<Record<NetworkName, bigint>> = { main: 31_337n, test: 31_338n }
/** 2025-01-01 00:00:00 UTC. Fixed, so that a chain's data directory has the same block 0 at every start. */
export const GENESIS_TIMESTAMP = 1_735_689_600n

/**
 * A network of ours at its start: a layer-2 chain with the Prague rules from block 0. Chain id, and with it the genesis
 * state, tell the two networks apart.
 *
 * @example createNetwork({ name: 'test' }).genesis.config.chainId // 31338n
 */
export function createNetwork(options: NetworkOptions = {}): Network {
  const name = options.name ?? 'main'
  const config = chainConfig(options.chainId ?? CHAIN_IDS[name], options)
  const { eip1559Denominator, eip1559Elasticity, minBaseFee } = config.layer2!
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
        gasLimit: options.gasLimit ?? 400_000_000n,
        gasUsed: 0,
        timestamp: GENESIS_TIMESTAMP,
        extraData: encodeExtraData({ denominator: eip1559Denominator, elasticity: eip1559Elasticity, minBaseFee }),
        mixHash: ZERO_HASH,
        nonce: new Uint8Array(8),
        baseFeePerGas: minBaseFee,
        blobGasUsed: 0,
        excessBlobGas: 0n,
        parentBeaconBlockRoot: ZERO_HASH,
        requestsHash: EMPTY_REQUESTS_HASH,
      },
      alloc: accounts(config.chainId),
    },
  }
}

function chainConfig(chainId: bigint, options: NetworkOptions): ChainConfig {
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
    forkTimes: { shanghai: 0n, cancun: 0n, prague: 0n },
    // EIP-4844 and EIP-7691. No blobs here, but BLOBBASEFEE must have its answer of 1.
    blobSchedule: {
      cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n },
      prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n },
    },
    layer2: {
      eip1559Elasticity: options.elasticity ?? 5,
      eip1559Denominator: options.denominator ?? 100,
      minBaseFee: options.minBaseFee ?? 5_000_000n,
      daFootprintGasScalar: options.daFootprintGasScalar ?? 0,
      baseFeeRecipient: options.baseFeeRecipient ?? BASE_FEE_VAULT_ADDRESS,
    },
    transactionGasCap: options.transactionGasCap ?? TRANSACTION_GAS_CAP,
  }
}

function accounts(chainId: bigint): ReadonlyMap<Address, GenesisAccount> {
  const alloc = new Map<Address, GenesisAccount>()
  for (const { address } of DEVELOPMENT_ACCOUNTS) {
    alloc.set(address, { balance: DEVELOPMENT_BALANCE, nonce: 0n, code: EMPTY_BYTES, storage: new Map() })
  }
  for (const { address, balance, nonce, code, storage } of genesisPredeploys(chainId)) {
    alloc.set(address, { balance, nonce, code, storage })
  }
  return alloc
}
