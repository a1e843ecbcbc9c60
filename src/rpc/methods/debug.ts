import { encodeBlock } from '../../chain/block/block-codec.ts'
import { encodeHeader } from '../../chain/block/header-codec.ts'
import { encodeReceipt } from '../../chain/receipt/receipt-codec.ts'
import { type BlockReference, LATEST } from '../../node/view/block-reference.ts'
import { modifiedAccountSteps } from '../../node/view/modified-accounts.ts'
import { bytesToHex, type Hash } from '../../primitives/hex.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { address, data, hash } from '../codecs/bytes.ts'
import { count, flexibleNumber } from '../codecs/quantity.ts'
import { type ReadContext, requireState, unknownBlock } from '../context/reading.ts'
import { runWithinTime } from '../context/steps.ts'
import { RPC_CODES, RpcError, setHeadError } from '../protocol/errors.ts'
import { executionWitnessResponse } from '../queries/execution-witness.ts'
import { recordThenRemove } from '../queries/reports/recorded-reports.ts'
import {
  defaultedParam,
  defineMethod,
  defineWritingMethod,
  type Method,
  optionalParam,
  requiredParam,
} from '../registry/method.ts'
import { arrayOf } from '../schemas/schemas.ts'
import { eth_getRawTransactionByHash } from './transactions.ts'

export const debug_codeByHash = defineMethod({
  name: 'debug_codeByHash',
  summary: 'The code with a hash, of any contract of the chain; empty if there is none.',
  params: [requiredParam('hash', hash), defaultedParam('block', blockReference, LATEST)],
  result: data.schema,
  cost: 1,
  handle: ([codeHash, reference], context) => bytesToHex(requireState(context, reference).code(codeHash)),
})

/**
 * The response has the form of the proposal ethereum/execution-apis#847 (`src/debug/witness.yaml`), which reth's mode
 * `canonical` has too. reth's default mode also lists codes that the block deploys, and does not sort. go-ethereum has
 * the same `state` and `codes`, but headers as JSON objects, and `keys` is null.
 */
export const debug_executionWitness = defineMethod({
  name: 'debug_executionWitness',
  summary:
    'State, codes and headers that a stateless execution of a sealed block needs, within --proof-window (docs/witnesses.md).',
  params: [requiredParam('block', blockReference)],
  result: {
    type: 'object',
    properties: {
      state: arrayOf(data.schema),
      codes: arrayOf(data.schema),
      keys: arrayOf(data.schema),
      headers: arrayOf(data.schema),
    },
    required: ['state', 'codes', 'headers'],
  },
  takesLong: true,
  cost: 1_000,
  handle: ([reference], context) => executionWitnessResponse(context, reference),
})

export const debug_getBadBlocks = defineMethod({
  name: 'debug_getBadBlocks',
  summary: 'Always empty: the node receives no blocks from peers.',
  params: [],
  result: arrayOf({ type: 'object' }),
  cost: 1,
  handle: () => [],
})

/** As in go-ethereum, an account that is gone at the end does not count. */
export const debug_getModifiedAccountsByHash = defineMethod({
  name: 'debug_getModifiedAccountsByHash',
  summary: 'Accounts that a sealed block changed, or all blocks after `start` up to `end`.',
  params: [requiredParam('start', hash), optionalParam('end', hash)],
  result: arrayOf(address.schema),
  takesLong: true,
  cost: 500,
  handle: ([start, end], context) =>
    modifiedAccounts(context, byHash(start), end === undefined ? undefined : byHash(end)),
})

export const debug_getModifiedAccountsByNumber = defineMethod({
  name: 'debug_getModifiedAccountsByNumber',
  summary: 'Accounts that a sealed block changed, or all blocks after `start` up to `end`.',
  params: [requiredParam('start', flexibleNumber), optionalParam('end', flexibleNumber)],
  result: arrayOf(address.schema),
  takesLong: true,
  cost: 500,
  handle: ([start, end], context) =>
    modifiedAccounts(context, byNumber(start), end === undefined ? undefined : byNumber(end)),
})

const byHash = (hash: Hash): BlockReference => ({ kind: 'hash', hash, requireCanonical: false })
const byNumber = (number: number): BlockReference => ({ kind: 'number', number })

async function modifiedAccounts(context: ReadContext, start: BlockReference, end: BlockReference | undefined) {
  const { view } = context
  const [first, last] = [start, end ?? start].map((reference) => sealedNumber(context, reference)) as [number, number]
  // One block is compared with its parent.
  const from = end === undefined ? first - 1 : first
  if (from < 0) throw new RpcError(RPC_CODES.server, 'genesis has no parent to compare it with')
  if (from >= last) {
    throw new RpcError(RPC_CODES.server, `start block height (${from}) must be less than end block height (${last})`)
  }
  const forkBlock = view.forkBlock ?? 0
  if (from < forkBlock) {
    throw new RpcError(
      RPC_CODES.server,
      `changes of blocks up to the fork block ${forkBlock} are not available: ask the node that it forks`,
    )
  }
  return runWithinTime(modifiedAccountSteps(view, from, last), context)
}

/** @throws RpcError `header not found`, also for the open block and for the partial hash of a sealed one */
function sealedNumber({ view }: ReadContext, reference: BlockReference): number {
  const found = view.header(reference)
  const hash = found && view.blockHash({ kind: 'number', number: found.number })
  if (hash === undefined || (reference.kind === 'hash' && reference.hash !== hash)) throw unknownBlock(view, reference)
  return found!.number
}

export const debug_getRawBlock = defineMethod({
  name: 'debug_getRawBlock',
  summary: 'The RLP of a block; `pending` is the open one.',
  params: [requiredParam('block', blockReference)],
  result: data.schema,
  cost: 10,
  handle([reference], { view }) {
    const found = view.block(reference)
    if (found === undefined) throw unknownBlock(view, reference)
    return bytesToHex(encodeBlock(found.block))
  },
})

export const debug_getRawBlockAccessList = defineMethod({
  name: 'debug_getRawBlockAccessList',
  summary: 'Always refused: no fork that is known here has block access lists (EIP-7928).',
  params: [requiredParam('block', blockReference)],
  result: data.schema,
  cost: 1,
  handle() {
    throw new RpcError(RPC_CODES.notFound, 'resource not found: the block has no access list')
  },
})

export const debug_getRawHeader = defineMethod({
  name: 'debug_getRawHeader',
  summary: 'The RLP of a header.',
  params: [requiredParam('block', blockReference)],
  result: data.schema,
  cost: 10,
  handle([reference], { view }) {
    const found = view.header(reference)
    if (found === undefined) throw unknownBlock(view, reference)
    return bytesToHex(encodeHeader(found))
  },
})

export const debug_getRawReceipts = defineMethod({
  name: 'debug_getRawReceipts',
  summary: 'The receipts of a block as the receipts trie holds them (EIP-2718).',
  params: [requiredParam('block', blockReference)],
  result: arrayOf(data.schema),
  cost: 10,
  handle([reference], { view }) {
    const found = view.block(reference)
    if (found === undefined) throw unknownBlock(view, reference)
    return found.receipts.map((receipt) => bytesToHex(encodeReceipt(receipt)))
  },
})

/** An alias, as in go-ethereum. */
export const debug_getRawTransaction: Method = { ...eth_getRawTransactionByHash, name: 'debug_getRawTransaction' }

export const debug_setHead = defineWritingMethod({
  name: 'debug_setHead',
  summary: 'Unwinds all blocks above a sealed one. Their logs are announced as removed; later blocks replace them.',
  params: [requiredParam('number', count)],
  result: { type: 'null' },
  cost: 500,
  async handle([number], context) {
    const result = await recordThenRemove(context, () => context.node.setHead(number))
    if (result.kind === 'refused') throw setHeadError(result.refusal)
    return null
  },
})
