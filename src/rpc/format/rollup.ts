import type { Block } from '../../chain/block/block.ts'
import type { Header } from '../../chain/block/header.ts'
import { outputRoot } from '../../chain/block/output-root.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { layer2RulesAt } from '../../chain/forks/layer2-rules.ts'
import { lineageOf, UPGRADES } from '../../chain/forks/upgrades.ts'
import { type L1Attributes, l1AttributesOf } from '../../chain/system-transactions/l1-attributes.ts'
import { type L1Origin, simulatedL1Origin } from '../../chain/system-transactions/simulated-l1.ts'
import { type Address, type Hash, ZERO_ADDRESS, ZERO_HASH } from '../../primitives/hex.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import type { JsonRecord } from '../protocol/json.ts'

// Objects of the `optimism` namespace, whose numbers are JSON numbers (OP-stack specs: rollup node RPC; op-node,
// op-service/eth).

type BlockContent = Pick<Block, 'header' | 'hash' | 'transactions'>

/** The simulated layer 1 has the chain id of the OP stack's development networks, and no contracts. */
export const SIMULATED_L1 = { chainId: 900n, portal: undefined }
/** op-node's defaults: seconds of drift, and blocks of layer 1. */
const MAX_SEQUENCER_DRIFT = 1_800
const SEQUENCING_WINDOW = 3_600
const CHANNEL_TIMEOUT = 300
const GRANITE_CHANNEL_TIMEOUT = 50
const NO_ATTRIBUTES = { sequenceNumber: 0n }

/** A block of layer 2 with the block of layer 1 to which it belongs. */
function formatL2Block(block: BlockContent): JsonRecord {
  const { header, hash } = block
  const origin = originOf(block)
  return {
    hash,
    number: header.number,
    parentHash: header.parentHash,
    timestamp: Number(header.timestamp),
    l1origin: { hash: origin.hash, number: Number(origin.number) },
    sequenceNumber: Number(origin.sequenceNumber),
  }
}

/** A sealed block for each tag. */
export interface SyncedBlocks {
  readonly latest: BlockContent
  readonly safe: BlockContent
  readonly finalized: BlockContent
}

/** Formats the blocks that the node has derived from layer 1: here all that it has built. */
export function formatSyncStatus({ latest, safe, finalized }: SyncedBlocks, config: ChainConfig): JsonRecord {
  const hasCrossUnsafe = layer2RulesAt(config, latest.header.timestamp)?.hasNoCrossUnsafeHead !== true
  const [head, safeL1, finalizedL1] = [latest, safe, finalized].map((block) => formatL1Block(originOf(block)))
  const [unsafeL2, safeL2, finalizedL2] = [latest, safe, finalized].map(formatL2Block)
  return {
    current_l1: head!,
    current_l1_finalized: finalizedL1!,
    head_l1: head!,
    safe_l1: safeL1!,
    finalized_l1: finalizedL1!,
    unsafe_l2: unsafeL2!,
    safe_l2: safeL2!,
    finalized_l2: finalizedL2!,
    ...(hasCrossUnsafe && { cross_unsafe_l2: unsafeL2! }),
    local_safe_l2: safeL2!,
  }
}

/** The output root of a block and what it commits to. */
export function formatOutput(block: BlockContent, withdrawalStorageRoot: Hash, status: JsonRecord): JsonRecord {
  const { stateRoot } = block.header
  return {
    version: ZERO_HASH,
    outputRoot: outputRoot({ stateRoot, withdrawalStorageRoot, blockHash: block.hash }),
    blockRef: formatL2Block(block),
    withdrawalStorageRoot,
    stateRoot,
    syncStatus: status,
  }
}

/** Parts of a rollup configuration. */
export interface RollupSource {
  readonly config: ChainConfig
  readonly genesis: BlockContent
  /** `origin`: that of the first block with a real one. Default: that of block 0. */
  readonly layer1: {
    readonly chainId: bigint
    readonly portal: Address | undefined
    readonly origin?: L1Origin | undefined
  }
  /** Attributes of a block; absent where it has none. */
  readonly attributes: L1Attributes | undefined
  readonly blockTimeSeconds: number
}

/** The configuration of the rollup (op-node, op-node/rollup/types.go), without contracts of layer 1 but the portal. */
export function formatRollupConfig(source: RollupSource): JsonRecord {
  const { config, genesis, layer1, attributes, blockTimeSeconds } = source
  const { eip1559Elasticity, eip1559Denominator } = config.layer2!
  const origin = layer1.origin ?? originOf(genesis)
  return {
    genesis: {
      l1: { hash: origin.hash, number: Number(origin.number) },
      l2: { hash: genesis.hash, number: genesis.header.number },
      l2_time: Number(genesis.header.timestamp),
      system_config: systemConfig(genesis.header, config, attributes),
    },
    // It stays the one before Denim: that of Denim's blocks follows from the upgrade.
    block_time: config.layer2?.denim === undefined ? blockTimeSeconds : 2,
    max_sequencer_drift: MAX_SEQUENCER_DRIFT,
    seq_window_size: SEQUENCING_WINDOW,
    channel_timeout: CHANNEL_TIMEOUT,
    granite_channel_timeout: GRANITE_CHANNEL_TIMEOUT,
    l1_chain_id: Number(layer1.chainId),
    l2_chain_id: Number(config.chainId),
    ...upgradeTimes(config),
    batch_inbox_address: ZERO_ADDRESS,
    deposit_contract_address: layer1.portal ?? ZERO_ADDRESS,
    l1_system_config_address: ZERO_ADDRESS,
    protocol_versions_address: ZERO_ADDRESS,
    chain_op_config: {
      eip1559Elasticity,
      eip1559Denominator,
      eip1559DenominatorCanyon: eip1559Denominator,
    },
  }
}

function systemConfig(
  header: Pick<Header, 'gasLimit'>,
  { layer2 }: ChainConfig,
  attributes: L1Attributes | undefined,
): JsonRecord {
  const { eip1559Elasticity, eip1559Denominator, minBaseFee } = layer2!
  const { baseFeeScalar = 0n, blobBaseFeeScalar = 0n } = attributes ?? {}
  return {
    batcherAddr: ZERO_ADDRESS,
    overhead: ZERO_HASH,
    // Version 1: both scalars of Ecotone.
    scalar: bigintToHash((1n << 248n) | (blobBaseFeeScalar << 32n) | baseFeeScalar),
    gasLimit: Number(header.gasLimit),
    baseFeeScalar: Number(baseFeeScalar),
    blobBaseFeeScalar: Number(blobBaseFeeScalar),
    eip1559Denominator,
    eip1559Elasticity,
    operatorFeeScalar: Number(attributes?.operatorFeeScalar ?? 0n),
    operatorFeeConstant: Number(attributes?.operatorFeeConstant ?? 0n),
    minBaseFee: Number(minBaseFee),
    daFootprintGasScalar: Number(attributes?.daFootprintGasScalar ?? 0n),
  }
}

/** Members such as `jovian_time`; Base has its own upgrades in an object. */
function upgradeTimes({ layer2 }: ChainConfig): JsonRecord {
  const times = layer2?.upgradeTimes ?? {}
  const scheduled = UPGRADES.flatMap((name) =>
    times[name] === undefined ? [] : [[name, Number(times[name])] as const],
  )
  const isOfBase = (name: (typeof UPGRADES)[number]) => lineageOf(name) === 'base'
  const own = scheduled.filter(([name]) => isOfBase(name))
  return {
    ...Object.fromEntries(
      scheduled.filter(([name]) => !isOfBase(name) && name !== 'bedrock').map(([name, time]) => [`${name}_time`, time]),
    ),
    ...(own.length > 0 && { base: Object.fromEntries(own) }),
  }
}

/** The newest safe block of layer 2 whose origin is at or below a block of layer 1, and that origin. */
export function formatSafeHead(block: BlockContent): JsonRecord {
  const { hash, number } = originOf(block)
  return {
    l1Block: { hash, number: Number(number) },
    safeHead: { hash: block.hash, number: block.header.number },
  }
}

/** The attributes of a block; those of block 0, which has none, follow from its time. */
export function originOf(block: BlockContent): L1Origin & Pick<L1Attributes, 'sequenceNumber'> {
  return l1AttributesOf(block) ?? { ...simulatedL1Origin(block.header.timestamp), ...NO_ATTRIBUTES }
}

/** @param origin the parent of an origin that is not simulated is unknown */
function formatL1Block({ hash, number, timestamp }: L1Origin): JsonRecord {
  const isSimulated = simulatedL1Origin(timestamp).hash === hash
  const parentHash = isSimulated && number > 0n ? simulatedL1Origin(timestamp - 1n).hash : ZERO_HASH
  return { hash, number: Number(number), parentHash, timestamp: Number(timestamp) }
}
