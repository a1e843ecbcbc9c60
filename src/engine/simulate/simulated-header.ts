import type { Header } from '../../chain/block/header.ts'
import { EMPTY_REQUESTS_HASH, EMPTY_TRIE_ROOT, EMPTY_UNCLES_HASH } from '../../chain/constants.ts'
import { nextBaseFee } from '../../chain/fees/base-fee.ts'
import { nextExcessBlobGas } from '../../chain/fees/blob-fee.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { forkAt } from '../../chain/forks/fork-schedule.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import { BLOOM_BYTES } from '../../chain/receipt/bloom.ts'
import { type Bytes, EMPTY_BYTES, type Hash, ZERO_HASH } from '../../primitives/hex.ts'
import type { Writable } from '../types.ts'
import type { PlannedBlock } from './chain-plan.ts'

const NO_LOGS: Bytes = new Uint8Array(BLOOM_BYTES)
const NO_NONCE: Bytes = new Uint8Array(8)

/** The block before a simulated one. */
export interface SimulatedParent {
  readonly header: Header
  readonly hash: Hash
}

/**
 * The header of an empty simulated block: members without override or default come from the parent. Without validation
 * the base fee is 0, so that calls without fees are valid.
 */
export function openingHeader(
  block: PlannedBlock,
  parent: SimulatedParent,
  config: ChainConfig,
  hasValidation: boolean,
): Writable<Header> {
  const { number, timestamp } = block
  const overrides = block.request.blockOverrides ?? {}
  const fork = forkAt(config, number, timestamp)
  const baseFeePerGas = overrides.baseFeePerGas ?? (hasValidation ? nextBaseFee(parent.header, config) : 0n)
  // All members at once: adding members later changes the hidden class each time.
  const rules = rulesOf(fork)
  return {
    parentHash: parent.hash,
    sha3Uncles: EMPTY_UNCLES_HASH,
    miner: overrides.feeRecipient ?? parent.header.miner,
    stateRoot: ZERO_HASH,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: NO_LOGS,
    difficulty: overrides.difficulty ?? (rules.isProofOfStake ? 0n : parent.header.difficulty),
    number,
    gasLimit: overrides.gasLimit ?? parent.header.gasLimit,
    gasUsed: 0,
    timestamp,
    // On layer 2 it holds the parameters of the next base fee (OP-stack specs: Holocene).
    extraData: config.layer2 ? parent.header.extraData : EMPTY_BYTES,
    mixHash: overrides.prevRandao ?? ZERO_HASH,
    nonce: NO_NONCE,
    baseFeePerGas: rules.hasBaseFee ? baseFeePerGas : undefined,
    withdrawalsRoot: rules.hasWithdrawals ? EMPTY_TRIE_ROOT : undefined,
    blobGasUsed: rules.hasBlobFee ? 0 : undefined,
    excessBlobGas: rules.hasBlobFee ? nextExcessBlobGas(parent.header, config, fork) : undefined,
    parentBeaconBlockRoot: rules.hasBeaconRoot ? (overrides.beaconRoot ?? ZERO_HASH) : undefined,
    requestsHash: rules.hasRequests ? EMPTY_REQUESTS_HASH : undefined,
  }
}
