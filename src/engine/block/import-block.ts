import type { Block } from '../../chain/block/block.ts'
import { encodeWithdrawal, unclesHash } from '../../chain/block/block-codec.ts'
import type { Header } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { isDenimBlock } from '../../chain/forks/denim-schedule.ts'
import { forkAt } from '../../chain/forks/fork-schedule.ts'
import { layer2RulesAt } from '../../chain/forks/layer2-rules.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import { bloomUnion } from '../../chain/receipt/bloom.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { encodeReceipt } from '../../chain/receipt/receipt-codec.ts'
import { BASE_TIME_ADDRESS, BASE_TIME_SLOT, blockMilliseconds } from '../../chain/system-transactions/base-time.ts'
import type { InvalidTransaction } from '../../chain/transaction/refusal.ts'
import { invalidTransactionMessage } from '../../chain/transaction/refusal-text.ts'
import { baseTimeResultFault } from '../../chain/validation/base-time-rules.ts'
import { headerFault } from '../../chain/validation/header-rules.ts'
import { openingFault } from '../../chain/validation/opening-rules.ts'
import { bytesToHex, type Hash } from '../../primitives/hex.ts'
import { emptyDiff } from '../../state/diff.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { orderedRoot } from '../../state/trie/ordered-root.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { Engine } from '../types.ts'
import { baseTimeActivationFault, installsBaseTime } from './base-time-activation.ts'
import { blockEnv } from './block-env.ts'
import { closingMembers } from './closing-members.ts'
import { type BlockExecution, executeBlock } from './execute-block.ts'
import { type RequestsFault, requestsFaultMessage } from './requests.ts'
import { isUnchangedBlock } from './unchanged-block.ts'

/** The parent block, with state and trie after it. */
export interface ImportParent {
  readonly block: Pick<Block, 'header' | 'hash'>
  readonly state: StateReader
  readonly trie: StateTrie
  /** Whether alterations are between the parent and the block: then its base fee may have been chosen. */
  readonly isAltered?: boolean
}

/** The first violation of the chain's rules. */
export type ImportFailure =
  /** A header member that is derived from the parent or bounded by the rules. */
  | {
      readonly code: 'INVALID_HEADER'
      readonly member: keyof Header
      readonly expected: string
      readonly got: string
    }
  /** The body does not match the header's commitments. */
  | {
      readonly code: 'INVALID_BODY'
      readonly member: 'transactionsRoot' | 'sha3Uncles' | 'withdrawals' | 'withdrawalsRoot'
      readonly expected: string
      readonly got: string
    }
  | {
      readonly code: 'INVALID_TRANSACTION'
      readonly index: number
      readonly hash: Hash
      readonly error: InvalidTransaction
    }
  /** Layer 1, from Osaka on (EIP-7934): length of the block's RLP. */
  | { readonly code: 'BLOCK_TOO_LARGE'; readonly size: number; readonly limit: number }
  /** OP-stack chains: the deposits of the protocol (OP-stack specs: deposits). */
  | { readonly code: 'INVALID_SYSTEM_TRANSACTION'; readonly reason: string }
  | RequestsFault
  /** Execution contradicts the header. */
  | {
      readonly code: 'DIFFERENT_RESULT'
      readonly member:
        | 'gasUsed'
        | 'blobGasUsed'
        | 'receiptsRoot'
        | 'logsBloom'
        | 'requestsHash'
        | 'withdrawalsRoot'
        | 'stateRoot'
      readonly expected: string
      readonly got: string
    }

/** A block whose execution matches its header. */
export interface ImportedBlock {
  readonly kind: 'imported'
  readonly receipts: readonly Receipt[]
  /** Of the whole block. */
  readonly diff: StateDiff
  readonly trie: StateTrie
}

export type BlockImport = ImportedBlock | { readonly kind: 'failed'; readonly failure: ImportFailure }

/** Maximum number of uncles (Yellow Paper, 11.1). */
const MAX_UNCLES = 2
/** EIP-7934: ten MiB less two for what a beacon block adds. */
const MAX_BLOCK_BYTES = 8_388_608

/**
 * Executes a block on its parent and verifies everything that its header commits to. In a failure, `expected` follows
 * from the rules and `got` is the block's value. The seal of a proof-of-work block and the ancestry of its uncles are
 * not checked.
 *
 * @param block as decoded; `hash` must be that of the header
 * @throws errors of the state and trie readers
 * @example const result = await importBlock(decodeBlock(raw), parent, engine)
 */
export async function importBlock(block: Block, parent: ImportParent, engine: Engine): Promise<BlockImport> {
  const fault = headerFault(block.header, parent.block, engine.config, { isBaseFeeFree: parent.isAltered })
  if (fault !== undefined) return { kind: 'failed', failure: { code: 'INVALID_HEADER', ...fault } }
  const sizeFault = blockSizeFault(block, engine.config)
  if (sizeFault !== undefined) return { kind: 'failed', failure: sizeFault }
  const bodyFault = contentFault(block, engine.config)
  if (bodyFault !== undefined) return { kind: 'failed', failure: bodyFault }
  const reason = openingFault(block, parent.block, engine.config) ?? activationFault(block, parent, engine.config)
  if (reason !== undefined) return { kind: 'failed', failure: { code: 'INVALID_SYSTEM_TRANSACTION', reason } }
  const executed = isUnchangedBlock(block, { stateRoot: parent.trie.root }, engine.config)
    ? unchangedBy(parent)
    : await executeBlock(block, parent, engine)
  if (executed.kind === 'invalid') {
    const { index, hash, error } = executed
    return { kind: 'failed', failure: { code: 'INVALID_TRANSACTION', index, hash, error } }
  }
  if (executed.kind === 'failed') return { kind: 'failed', failure: executed.fault }
  const { receipts, diff, trie } = executed
  const { header } = block
  const closing = closingMembers(blockEnv(header, engine.config), { ...executed, withdrawals: block.withdrawals })
  const failure =
    differs('gasUsed', closing.gasUsed, header.gasUsed) ??
    differs('blobGasUsed', closing.blobGasUsed, header.blobGasUsed) ??
    differs('receiptsRoot', orderedRoot(receipts.map(encodeReceipt)), header.receiptsRoot) ??
    differs(
      'logsBloom',
      bytesToHex(bloomUnion(receipts.map(({ logsBloom }) => logsBloom))),
      bytesToHex(header.logsBloom),
    ) ??
    differs('requestsHash', closing.requestsHash, header.requestsHash) ??
    differs('withdrawalsRoot', closing.withdrawalsRoot, header.withdrawalsRoot) ??
    differs('stateRoot', trie.root, header.stateRoot) ??
    baseTimeFailure(block, executed, parent, engine.config)
  return failure === undefined ? { kind: 'imported', receipts, diff, trie } : { kind: 'failed', failure }
}

function activationFault({ header }: Block, { state }: ImportParent, config: ChainConfig): string | undefined {
  return installsBaseTime(header.number, config) ? baseTimeActivationFault(state) : undefined
}

/** A Denim block must store its milliseconds. */
function baseTimeFailure(
  block: Block,
  { receipts, diff }: Pick<ImportedBlock, 'receipts' | 'diff'>,
  { state }: ImportParent,
  config: ChainConfig,
): ImportFailure | undefined {
  const { header, transactions } = block
  // Whether it has them was checked before its execution.
  const milliseconds = isDenimBlock(header.number, config) ? blockMilliseconds(block) : undefined
  if (milliseconds === undefined) return undefined
  const stored =
    diff.storage.get(BASE_TIME_ADDRESS)?.get(BASE_TIME_SLOT) ?? state.storage(BASE_TIME_ADDRESS, BASE_TIME_SLOT)
  const reason = baseTimeResultFault(
    { transactions: transactions.length, receipts, stored },
    Number(milliseconds % 1_000n),
  )
  return reason === undefined ? undefined : { code: 'INVALID_SYSTEM_TRANSACTION', reason }
}

/** The result of a block that leaves the state as it is. */
function unchangedBy({ trie }: ImportParent): BlockExecution {
  return {
    kind: 'executed',
    receipts: [],
    diff: emptyDiff(),
    trie,
    used: { gasUsed: 0, blobGasUsed: 0 },
    requestsHash: undefined,
  }
}

/**
 * Completes a sentence about the block.
 *
 * @example `block 7: ${importFailureMessage(failure)}` // block 7: its gasUsed is 1, executing gives 21000
 */
export function importFailureMessage(failure: ImportFailure): string {
  switch (failure.code) {
    case 'INVALID_HEADER':
      return `its ${failure.member} is ${failure.got}, the rules of the chain want ${failure.expected}`
    case 'INVALID_BODY':
      return `its ${failure.member} is ${failure.got}, its content gives ${failure.expected}`
    case 'INVALID_TRANSACTION':
      return `transaction ${failure.index} (${failure.hash}) may not be in it: ${invalidTransactionMessage(failure.error)}`
    case 'BLOCK_TOO_LARGE':
      return `it has ${failure.size} bytes, at most ${failure.limit} are allowed`
    case 'INVALID_SYSTEM_TRANSACTION':
      return failure.reason
    case 'INVALID_DEPOSIT_EVENT':
    case 'SYSTEM_CALL_FAILED':
      return requestsFaultMessage(failure)
    case 'DIFFERENT_RESULT':
      return `its ${failure.member} is ${failure.got}, executing gives ${failure.expected}`
  }
}

function blockSizeFault({ header, size }: Block, config: ChainConfig): ImportFailure | undefined {
  const isBounded = !config.layer2 && rulesOf(forkAt(config, header.number, header.timestamp)).hasBlockSizeLimit
  return isBounded && size > MAX_BLOCK_BYTES ? { code: 'BLOCK_TOO_LARGE', size, limit: MAX_BLOCK_BYTES } : undefined
}

function contentFault(block: Block, config: ChainConfig): ImportFailure | undefined {
  const { header, transactions, uncles, withdrawals } = block
  const rules = rulesOf(forkAt(config, header.number, header.timestamp))
  const fault = (
    member: 'sha3Uncles' | 'withdrawals' | 'withdrawalsRoot' | 'transactionsRoot',
    expected: string,
    got: string,
  ) => (expected === got ? undefined : ({ code: 'INVALID_BODY', member, expected, got } as const))
  const uncleCount = rules.isProofOfStake ? 0 : Math.min(uncles.length, MAX_UNCLES)
  return (
    fault('transactionsRoot', orderedRoot(transactions.map(({ raw }) => raw)), header.transactionsRoot) ??
    fault('sha3Uncles', unclesHash(uncles), header.sha3Uncles) ??
    fault(
      'sha3Uncles',
      `of at most ${uncleCount} uncles`,
      `of at most ${Math.max(uncleCount, uncles.length)} uncles`,
    ) ??
    fault(
      'withdrawals',
      rules.hasWithdrawals ? 'a list' : 'nothing',
      withdrawals === undefined ? 'nothing' : 'a list',
    ) ??
    (rules.hasWithdrawals && config.layer2
      ? fault('withdrawals', 'an empty list', withdrawals!.length === 0 ? 'an empty list' : 'a list of some')
      : undefined) ??
    (rules.hasWithdrawals && !layer2RulesAt(config, header.timestamp)?.hasMessagePasserRoot
      ? fault('withdrawalsRoot', orderedRoot(withdrawals!.map(encodeWithdrawal)), header.withdrawalsRoot!)
      : undefined)
  )
}

type ResultMember = Extract<ImportFailure, { code: 'DIFFERENT_RESULT' }>['member']

function differs<Value extends string | number>(
  member: ResultMember,
  expected: Value | undefined,
  got: Value | undefined,
): ImportFailure | undefined {
  if (expected === got) return undefined
  return { code: 'DIFFERENT_RESULT', member, expected: String(expected), got: String(got) }
}
