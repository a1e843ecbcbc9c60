import { LATEST } from '../../../node/view/block-reference.ts'
import type { BlockView } from '../../../node/view/view.ts'
import { bytesToHex } from '../../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../../primitives/keccak.ts'
import { blockReference, numericHeight } from '../../codecs/block-reference.ts'
import { boolean } from '../../codecs/boolean.ts'
import { address, data, hash } from '../../codecs/bytes.ts'
import { plainNumber } from '../../codecs/small-numbers.ts'
import { requireState } from '../../context/reading.ts'
import {
  formatBlockDetails,
  formatBlockPage,
  formatInternalOperations,
  formatOtterscanTrace,
  keptFrames,
} from '../../format/otterscan.ts'
import { RPC_CODES, RpcError } from '../../protocol/errors.ts'
import { firstBlockWhere, transactionOf } from '../../queries/account-history.ts'
import { replayBlock, replayTransaction } from '../../queries/parity-tracing.ts'
import { defaultedParam, defineMethod, requiredParam } from '../../registry/method.ts'
import {
  BLOCK_DETAILS_SCHEMA,
  BLOCK_PAGE_SCHEMA,
  CONTRACT_CREATOR_SCHEMA,
  OPERATION_SCHEMA,
  OTTERSCAN_TRACE_SCHEMA,
} from '../../schemas/explorer-schemas.ts'
import { arrayOf, orNull } from '../../schemas/schemas.ts'

const API_LEVEL = 8
const FRAMES = { trace: true } as const

export const ots_getApiLevel = defineMethod({
  name: 'ots_getApiLevel',
  summary: 'The version of the Otterscan interface.',
  params: [],
  result: { type: 'integer' },
  cost: 1,
  isSameInView: true,
  handle: () => API_LEVEL,
})

export const ots_hasCode = defineMethod({
  name: 'ots_hasCode',
  summary: 'Whether an account has code at a block.',
  params: [requiredParam('address', address), defaultedParam('block', blockReference, LATEST)],
  result: boolean.schema,
  cost: 1,
  handle([account, reference], context) {
    const found = context.view.account(requireState(context, reference), account)
    return found !== undefined && found.codeHash !== EMPTY_CODE_HASH
  },
})

export const ots_getInternalOperations = defineMethod({
  name: 'ots_getInternalOperations',
  summary:
    'Transfers (0), self-destructions (1) and creations (2, CREATE2: 3) of a transaction that were not reverted.',
  params: [requiredParam('transactionHash', hash)],
  result: orNull(arrayOf(OPERATION_SCHEMA)),
  takesLong: true,
  cost: 500,
  async handle([transactionHash], context) {
    const replayed = await replayTransaction(context, transactionHash, FRAMES)
    if (replayed === undefined) return context.conventions.absentTraces
    return formatInternalOperations(replayed.trace.frames ?? [])
  },
})

export const ots_traceTransaction = defineMethod({
  name: 'ots_traceTransaction',
  summary: 'The calls and creations of a transaction, in order, with their depth.',
  params: [requiredParam('transactionHash', hash)],
  result: orNull(arrayOf(OTTERSCAN_TRACE_SCHEMA)),
  takesLong: true,
  cost: 500,
  async handle([transactionHash], context) {
    const replayed = await replayTransaction(context, transactionHash, FRAMES)
    if (replayed === undefined) return context.conventions.absentTraces
    return formatOtterscanTrace(replayed.trace.frames ?? [])
  },
})

export const ots_getTransactionError = defineMethod({
  name: 'ots_getTransactionError',
  summary: 'The revert data of a transaction; empty if it succeeded, failed otherwise, or is unknown.',
  params: [requiredParam('transactionHash', hash)],
  result: data.schema,
  takesLong: true,
  cost: 500,
  async handle([transactionHash], context) {
    const found = context.view.transaction(transactionHash)
    if (found?.kind !== 'included') return '0x'
    const { outcome } = found.receipt
    if ('status' in outcome && outcome.status === 1) return '0x'
    const replayed = await replayTransaction(context, transactionHash, {})
    return replayed === undefined ? '0x' : bytesToHex(replayed.trace.executed.output)
  },
})

export const ots_getBlockDetails = defineMethod({
  name: 'ots_getBlockDetails',
  summary: 'A block without its transactions, its reward and the fees that they paid.',
  params: [requiredParam('block', numericHeight)],
  result: BLOCK_DETAILS_SCHEMA,
  cost: 5,
  handle: ([reference], { view, config }) => formatBlockDetails(required(view.block(reference)), config),
})

export const ots_getBlockDetailsByHash = defineMethod({
  name: 'ots_getBlockDetailsByHash',
  summary: 'As ots_getBlockDetails, by block hash.',
  params: [requiredParam('blockHash', hash)],
  result: BLOCK_DETAILS_SCHEMA,
  cost: 5,
  handle: ([hash], { view, config }) =>
    formatBlockDetails(required(view.block({ kind: 'hash', hash, requireCanonical: false })), config),
})

export const ots_getBlockTransactions = defineMethod({
  name: 'ots_getBlockTransactions',
  summary:
    'A page of the transactions of a block with their receipts: inputs cut to the selector, receipts without logs.',
  params: [
    requiredParam('block', numericHeight),
    requiredParam('page', plainNumber),
    requiredParam('pageSize', plainNumber),
  ],
  result: BLOCK_PAGE_SCHEMA,
  cost: 10,
  handle: ([reference, number, size], { view, config }) =>
    formatBlockPage(required(view.block(reference)), { number, size }, config),
})

/** Anvil's error for an unknown block. */
function required(view: BlockView | undefined): BlockView {
  if (view === undefined) throw new RpcError(RPC_CODES.notFound, 'Resource not found')
  return view
}

export const ots_getTransactionBySenderAndNonce = defineMethod({
  name: 'ots_getTransactionBySenderAndNonce',
  summary: 'The hash of the sealed or pre-confirmed transaction of a sender with a nonce.',
  params: [requiredParam('sender', address), requiredParam('nonce', plainNumber)],
  result: orNull(hash.schema),
  cost: 20,
  handle: ([sender, nonce], context) => transactionOf(sender, BigInt(nonce), context)?.transaction.hash ?? null,
})

export const ots_getContractCreator = defineMethod({
  name: 'ots_getContractCreator',
  summary: 'The transaction that created a contract, and the account or contract that did it.',
  params: [requiredParam('address', address)],
  result: orNull(CONTRACT_CREATOR_SCHEMA),
  takesLong: true,
  cost: 1_000,
  async handle([contract], context) {
    const hasCode = (codeHash = EMPTY_CODE_HASH) => codeHash !== EMPTY_CODE_HASH
    const created = firstBlockWhere(context, (state) => hasCode(state.account(contract)?.codeHash))
    const block = created === undefined ? undefined : sealedBlock(context, created)
    if (block === undefined) return null
    for (const { trace, transactionHash } of await replayBlock(context, block, FRAMES)) {
      for (const { start } of keptFrames(trace.frames ?? [])) {
        const isCreation = start.kind === 'CREATE' || start.kind === 'CREATE2'
        if (isCreation && start.to === contract) return { hash: transactionHash, creator: start.from }
      }
    }
    return null
  },
})

function sealedBlock({ view }: Parameters<typeof firstBlockWhere>[0], number: number) {
  return view.block({ kind: 'number', number })?.block
}
