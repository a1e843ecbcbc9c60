import type { Block } from '../block/block.ts'
import { nextDifficulty } from '../block/difficulty.ts'
import { decodeExtraData } from '../block/extra-data.ts'
import { GAS_LIMIT_BOUND, MIN_GAS_LIMIT } from '../block/gas-limit.ts'
import type { Header } from '../block/header.ts'
import { EMPTY_REQUESTS_HASH, EMPTY_UNCLES_HASH } from '../constants.ts'
import { nextBaseFee } from '../fees/base-fee.ts'
import { maxBlobGasUsed, nextExcessBlobGas } from '../fees/blob-fee.ts'
import type { ChainConfig } from '../forks/chain-config.ts'
import { isDenimBlock, scheduledTimeOf } from '../forks/denim-schedule.ts'
import { blobScheduleAt, forkAt } from '../forks/fork-schedule.ts'
import type { Fork } from '../forks/forks.ts'
import { layer2RulesAt } from '../forks/layer2-rules.ts'
import { rulesOf } from '../forks/rules.ts'

/** A header member that violates the rules of the chain. */
export interface HeaderFault {
  readonly member: keyof Header
  readonly expected: string
  readonly got: string
}

const MAX_GAS_LIMIT = 2n ** 63n - 1n
/** EIP-1559: the gas limit doubles with the first London block, so that the target stays the same. */
const LONDON_ELASTICITY = 2n
const MAX_EXTRA_DATA_BYTES = 32
const NO_NONCE = '0x0000000000000000'

/**
 * Validates a header on top of `parent`, as far as that is possible without the transactions. The proof-of-work seal
 * (`nonce`, `mixHash`) is not checked.
 *
 * @param options.isBaseFeeFree the base fee need not follow from the parent: a development node chose it
 * @returns the first fault, undefined when the header is valid
 * @example headerFault(block.header, parent, config)
 */
export function headerFault(
  header: Header,
  parent: Pick<Block, 'header' | 'hash'>,
  config: ChainConfig,
  { isBaseFeeFree = false }: { readonly isBaseFeeFree?: boolean | undefined } = {},
): HeaderFault | undefined {
  const fork = forkAt(config, header.number, header.timestamp)
  return (
    linkFault(header, parent, config) ??
    gasLimitFault(header, parent.header, config, fork) ??
    extraDataFault(header, config) ??
    proofFault(header, parent.header, fork) ??
    baseFeeFault(header, parent.header, config, { fork, isBaseFeeFree }) ??
    blobFeeFault(header, parent.header, config, fork) ??
    membersFault(header, config, fork)
  )
}

function linkFault(
  header: Header,
  { header: parent, hash }: Pick<Block, 'header' | 'hash'>,
  config: ChainConfig,
): HeaderFault | undefined {
  if (header.number !== parent.number + 1) return fault('number', parent.number + 1, header.number)
  if (header.parentHash !== hash) return fault('parentHash', hash, header.parentHash)
  const scheduled = scheduledTimeOf(header.number, config)
  const isDenim = isDenimBlock(header.number, config)
  // The number of the first Denim block follows from the activation because earlier blocks come every two seconds.
  if (scheduled !== undefined && !isDenim) return differs('timestamp', scheduled.timestamp, header.timestamp)
  if (header.timestamp > parent.timestamp) return undefined
  // Five Denim blocks share a second; the milliseconds are in a transaction.
  if (header.timestamp === parent.timestamp && isDenim) return undefined
  return fault('timestamp', `more than ${parent.timestamp}`, header.timestamp)
}

/** On layer 2 the operator of the sequencer sets the limit. */
function gasLimitFault(header: Header, parent: Header, config: ChainConfig, fork: Fork): HeaderFault | undefined {
  const { gasLimit, gasUsed } = header
  let lowest = MIN_GAS_LIMIT
  let highest = MAX_GAS_LIMIT
  if (!config.layer2) {
    const isFirstLondon = rulesOf(fork).hasBaseFee && parent.baseFeePerGas === undefined
    const before = parent.gasLimit * (isFirstLondon ? LONDON_ELASTICITY : 1n)
    const most = before / GAS_LIMIT_BOUND - 1n
    if (before - most > lowest) lowest = before - most
    if (before + most < highest) highest = before + most
  }
  if (gasLimit < lowest || gasLimit > highest) return fault('gasLimit', `${lowest} to ${highest}`, gasLimit)
  return BigInt(gasUsed) > gasLimit ? fault('gasUsed', `at most ${gasLimit}`, gasUsed) : undefined
}

/** On layer 2 it holds the parameters of the next base fee (OP-stack specs: Holocene, Jovian), or nothing before. */
function extraDataFault({ extraData, timestamp }: Header, config: ChainConfig): HeaderFault | undefined {
  const rules = layer2RulesAt(config, timestamp)
  const got = `0x${Buffer.from(extraData).toString('hex')}`
  if (rules === undefined) {
    const isShort = extraData.length <= MAX_EXTRA_DATA_BYTES
    return isShort ? undefined : fault('extraData', `at most ${MAX_EXTRA_DATA_BYTES} bytes`, got)
  }
  if (!rules.hasHeaderFeeParameters) return extraData.length === 0 ? undefined : fault('extraData', 'no bytes', got)
  const parameters = decodeExtraData(extraData)
  const isRight = parameters !== undefined && (parameters.minBaseFee !== undefined) === rules.hasMinBaseFee
  const length = rules.hasMinBaseFee ? 17 : 9
  return isRight ? undefined : fault('extraData', `${length} bytes of EIP-1559 parameters`, got)
}

/** No proof of work from Paris on (EIP-3675). */
function proofFault(header: Header, parent: Header, fork: Fork): HeaderFault | undefined {
  const hasProof = !rulesOf(fork).isProofOfStake
  const difficulty = hasProof ? nextDifficulty(parent, header.timestamp, fork) : 0n
  if (header.difficulty !== difficulty) return fault('difficulty', difficulty, header.difficulty)
  if (hasProof) return undefined
  const nonce = `0x${Buffer.from(header.nonce).toString('hex')}`
  if (nonce !== NO_NONCE) return fault('nonce', NO_NONCE, nonce)
  return differs('sha3Uncles', EMPTY_UNCLES_HASH, header.sha3Uncles)
}

function baseFeeFault(
  header: Header,
  parent: Header,
  config: ChainConfig,
  { fork, isBaseFeeFree }: { readonly fork: Fork; readonly isBaseFeeFree: boolean },
): HeaderFault | undefined {
  const { hasBaseFee } = rulesOf(fork)
  if (isBaseFeeFree) return presence('baseFeePerGas', header, hasBaseFee)
  return differs('baseFeePerGas', hasBaseFee ? nextBaseFee(parent, config) : undefined, header.baseFeePerGas)
}

function blobFeeFault(header: Header, parent: Header, config: ChainConfig, fork: Fork): HeaderFault | undefined {
  const excess = rulesOf(fork).hasBlobFee ? nextExcessBlobGas(parent, config, fork) : undefined
  return differs('excessBlobGas', excess, header.excessBlobGas)
}

/** A member is present exactly from the fork that introduced it on. */
function membersFault(header: Header, config: ChainConfig, fork: Fork): HeaderFault | undefined {
  const rules = rulesOf(fork)
  const { blobGasUsed, gasLimit } = header
  const most = maxBlobGasUsed(gasLimit, config, blobScheduleAt(config, fork))
  if (rules.hasBlobFee && blobGasUsed !== undefined && BigInt(blobGasUsed) > most) {
    return fault('blobGasUsed', `at most ${most}`, blobGasUsed)
  }
  return (
    presence('withdrawalsRoot', header, rules.hasWithdrawals) ??
    presence('blobGasUsed', header, rules.hasBlobFee) ??
    presence('parentBeaconBlockRoot', header, rules.hasBeaconRoot) ??
    presence('requestsHash', header, rules.hasRequests) ??
    (config.layer2 && rules.hasRequests ? differs('requestsHash', EMPTY_REQUESTS_HASH, header.requestsHash) : undefined)
  )
}

function presence(member: keyof Header, header: Header, isWanted: boolean): HeaderFault | undefined {
  const value = header[member]
  if ((value !== undefined) === isWanted) return undefined
  return isWanted ? fault(member, 'to be there', 'nothing') : fault(member, 'nothing', String(value))
}

type Comparable = bigint | number | string | undefined

function differs(member: keyof Header, expected: Comparable, got: Comparable): HeaderFault | undefined {
  return expected === got ? undefined : fault(member, expected ?? 'nothing', got ?? 'nothing')
}

function fault(member: keyof Header, expected: Comparable, got: Comparable): HeaderFault {
  return { member, expected: String(expected), got: String(got) }
}
