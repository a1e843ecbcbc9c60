import { decodeBlock } from '../../chain/block/block-codec.ts'
import type { Header } from '../../chain/block/header.ts'
import { forkAt } from '../../chain/forks/fork-schedule.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import { callMessage } from '../../engine/call/call-message.ts'
import { diffWithin, stateWithin } from '../../engine/trace/trace-block.ts'
import { traceCall, traceSequences } from '../../engine/trace/trace-call.ts'
import { LATEST } from '../../node/view/block-reference.ts'
import { alterationsBefore } from '../../node/view/modified-accounts.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { blockHeight, blockReference } from '../codecs/block-reference.ts'
import { address, data, hash } from '../codecs/bytes.ts'
import { callObject } from '../codecs/call-object.ts'
import { count, flexibleNumber } from '../codecs/quantity.ts'
import { bundledCalls, stateContext } from '../codecs/simulation/call-bundles.ts'
import { traceCallConfig, traceConfig, traceManyConfig } from '../codecs/traces/trace-config.ts'
import { type ReadContext, requireBlockAndState } from '../context/reading.ts'
import { formatAccountInfo } from '../format/account-info.ts'
import { storageRange } from '../format/storage-range.ts'
import { traceJson } from '../format/traces/trace.ts'
import { EncodedJson, encodedArray } from '../protocol/encoded-json.ts'
import { callError, RPC_CODES, RpcError } from '../protocol/errors.ts'
import { requireTrie } from '../queries/block-trie.ts'
import { bundleSite } from '../queries/bundled-calls.ts'
import { callSite, withDefaultSender } from '../queries/call-site.ts'
import { replayOf, stateBefore, traceBlockResponse, traceTransactionResponse, tracing } from '../queries/tracing.ts'
import { defaultedParam, defineMethod, optionalParam, requiredParam } from '../registry/method.ts'
import { ACCOUNT_INFO_SCHEMA, arrayOf, BLOCK_TRACE_SCHEMA, orNull, TRACE_SCHEMA } from '../schemas/schemas.ts'

export const debug_traceBlock = defineMethod({
  name: 'debug_traceBlock',
  summary: 'Traces the transactions of a block given as RLP, whose parent is in the chain.',
  params: [requiredParam('rlp', data), optionalParam('config', traceConfig)],
  result: BLOCK_TRACE_SCHEMA,
  takesLong: true,
  cost: 1_000,
  async handle([raw, config], context) {
    const block = decoded(raw)
    refuseMisplaced(block.header, context)
    return traceBlockResponse(context, block, config)
  },
})

/** Checks what execution depends on; other header members do not affect a trace. */
function refuseMisplaced(header: Header, { view, config }: ReadContext): void {
  const parent = view.header({ kind: 'hash', hash: header.parentHash, requireCanonical: false })
  if (parent !== undefined && header.number !== parent.number + 1) {
    throw new RpcError(RPC_CODES.server, `block number ${header.number} does not follow its parent's, ${parent.number}`)
  }
  const { hasBeaconRoot } = rulesOf(forkAt(config, header.number, header.timestamp))
  if (hasBeaconRoot && header.parentBeaconBlockRoot === undefined) {
    throw new RpcError(RPC_CODES.server, 'the header has no parentBeaconBlockRoot, which its fork wants')
  }
}

function decoded(raw: Uint8Array) {
  try {
    return decodeBlock(raw)
  } catch (error) {
    throw new RpcError(RPC_CODES.server, `could not decode block: ${(error as Error).message}`)
  }
}

export const debug_traceBlockByHash = defineMethod({
  name: 'debug_traceBlockByHash',
  summary: 'Traces the transactions of a block by hash; a partial hash selects the block so far.',
  params: [requiredParam('blockHash', hash), optionalParam('config', traceConfig)],
  result: BLOCK_TRACE_SCHEMA,
  takesLong: true,
  cost: 1_000,
  async handle([blockHash, config], context) {
    const found = context.view.block({ kind: 'hash', hash: blockHash, requireCanonical: false })
    if (found === undefined) throw new RpcError(RPC_CODES.server, `block ${blockHash} not found`)
    return traceBlockResponse(context, found.block, config)
  },
})

export const debug_traceBlockByNumber = defineMethod({
  name: 'debug_traceBlockByNumber',
  summary: 'Traces the transactions of a block, `pending` included.',
  params: [requiredParam('block', blockHeight), optionalParam('config', traceConfig)],
  result: BLOCK_TRACE_SCHEMA,
  takesLong: true,
  cost: 1_000,
  async handle([reference, config], context) {
    const found = context.view.block(reference)
    if (found === undefined) {
      throw new RpcError(RPC_CODES.server, `block #${context.view.number(reference)} not found`)
    }
    return traceBlockResponse(context, found.block, config)
  },
})

export const debug_traceCall = defineMethod({
  name: 'debug_traceCall',
  summary: 'Traces a call as `eth_call` runs it, or before a transaction of the block (`txIndex`).',
  params: [
    requiredParam('call', callObject),
    defaultedParam('block', blockReference, LATEST),
    optionalParam('config', traceCallConfig),
  ],
  result: TRACE_SCHEMA,
  takesLong: true,
  cost: 100,
  handle([call, reference, config], context) {
    const { engine, options } = context
    const request = withDefaultSender(call, options)
    return tracing(context, config, async (traceOptions) => {
      const state = await stateBefore(context, reference, config?.txIndex, traceOptions.mayContinue)
      const site = callSite(context, request, reference, config?.stateOverrides, config?.blockOverrides, state)
      const message = callMessage(request, site.env, context.config.chainId, options.callGasCap)
      const gasLimit = request.gas ?? options.callGasCap
      if (message.kind === 'invalid') throw invalidTraced(message.error, gasLimit)
      const traced = await traceCall(engine, message.call, { ...site, env: message.env }, traceOptions)
      if (traced.kind === 'invalid') throw invalidTraced(traced.error, gasLimit)
      return new EncodedJson(await traceJson(traced.trace, context.yieldIfDue))
    })
  },
})

/** reth's method (`crates/rpc/rpc/src/debug.rs`), with the bundles and the state context of `eth_callMany`. */
export const debug_traceCallMany = defineMethod({
  name: 'debug_traceCallMany',
  summary: 'Traces bundles of calls, each on the state after those before it; a bundle may override its block.',
  params: [
    requiredParam('bundles', bundledCalls),
    optionalParam('stateContext', stateContext),
    optionalParam('config', traceManyConfig),
  ],
  result: arrayOf(arrayOf(TRACE_SCHEMA)),
  takesLong: true,
  cost: 200,
  handle([bundles, position = {}, config], context) {
    const { engine, yieldIfDue } = context
    return tracing(context, config, async (options) => {
      const { mayContinue, tracer } = options
      const site = await bundleSite(context, bundles, position, config?.stateOverrides, mayContinue)
      const sequences = site.sequences.map(({ env, calls }) => ({
        env,
        messages: calls.map((call) => ({ call, tracer })),
      }))
      const texts: string[] = []
      for (const [bundle, traces] of (await traceSequences(engine, sequences, site, options)).entries()) {
        const encoded: string[] = []
        for (const traced of traces) {
          if (traced.kind === 'invalid') {
            throw invalidTraced(traced.error, sequences[bundle]!.messages[encoded.length]!.call.gasLimit)
          }
          encoded.push(await traceJson(traced.trace, yieldIfDue))
        }
        texts.push(`[${encoded.join()}]`)
      }
      return encodedArray(texts)
    })
  },
})

type InvalidCall = Extract<Parameters<typeof callError>[0], { kind: 'invalid' }>

function invalidTraced(error: InvalidCall['error'], gasLimit: bigint): RpcError {
  const { code, message } = callError({ kind: 'invalid', error, gasLimit })
  return new RpcError(code, `tracing failed: ${message}`)
}

export const debug_traceTransaction = defineMethod({
  name: 'debug_traceTransaction',
  summary: 'Traces an included or pre-confirmed transaction at its position.',
  params: [requiredParam('transactionHash', hash), optionalParam('config', traceConfig)],
  result: TRACE_SCHEMA,
  takesLong: true,
  cost: 500,
  async handle([transactionHash, config], context) {
    const found = context.view.transaction(transactionHash)
    if (found?.kind !== 'included') {
      throw context.conventions.refusal({
        anvil: [RPC_CODES.server, 'transaction not found'],
        hardhat: [RPC_CODES.server, `Unable to find a block containing transaction ${transactionHash}`],
      })
    }
    return traceTransactionResponse(context, found.block.block, found.index, config)
  },
})

/** reth's method (`crates/rpc/rpc/src/debug.rs`), which Anvil has as well. */
export const debug_accountInfoAt = defineMethod({
  name: 'debug_accountInfoAt',
  summary:
    'Balance, nonce and code of an account after the transaction at a position of a block; null if there is none.',
  params: [requiredParam('block', blockReference), requiredParam('index', count), requiredParam('address', address)],
  result: orNull(ACCOUNT_INFO_SCHEMA),
  takesLong: true,
  cost: 500,
  handle([reference, index, account], context) {
    const { view, engine } = context
    const block = view.block(reference)?.block
    if (block === undefined || index >= block.transactions.length) return null
    return tracing(context, undefined, async ({ mayContinue }) => {
      const state = await stateWithin(engine, replayOf(context, block), index + 1, mayContinue)
      return formatAccountInfo(view.account(state, account), view.code(state, account))
    })
  },
})

/**
 * As in go-ethereum without `--cache.preimages`: the trie knows only the hashes of slots, so that `key` is null.
 *
 * @throws RpcError for a block outside of `--proof-window`, and on a fork, which has the nodes of proofs alone
 */
export const debug_storageRangeAt = defineMethod({
  name: 'debug_storageRangeAt',
  summary:
    'Up to 1,024 slots of a contract before a transaction of a block, by their hashes from `keyStart` on, within --proof-window.',
  params: [
    requiredParam('block', blockReference),
    requiredParam('txIndex', flexibleNumber),
    requiredParam('address', address),
    requiredParam('keyStart', data),
    requiredParam('maxResult', flexibleNumber),
  ],
  result: {
    type: 'object',
    properties: {
      storage: {
        type: 'object',
        additionalProperties: { type: 'object', properties: { key: orNull(hash.schema), value: hash.schema } },
      },
      nextKey: orNull(hash.schema),
    },
    required: ['storage', 'nextKey'],
  },
  takesLong: true,
  cost: 500,
  async handle([reference, index, contract, start, maxResult], context) {
    const { view, engine } = context
    const { block } = requireBlockAndState(context, reference).block
    const { length } = block.transactions
    if (index > 0 && index >= length) {
      throw new RpcError(RPC_CODES.server, `transaction index ${index} out of range: the block has ${length}`)
    }
    if (view.forkBlock !== undefined) {
      throw new RpcError(RPC_CODES.server, 'a fork cannot list the storage of a contract: ask the node that it forks')
    }
    const replay = replayOf(context, block)
    const parent = view.block({ kind: 'hash', hash: block.header.parentHash, requireCanonical: false })!
    const trie = await requireTrie(context, parent)
    return tracing(context, undefined, async ({ mayContinue }) => {
      const changes = [
        ...alterationsBefore(view, block.header.number),
        await diffWithin(engine, replay, index, mayContinue),
      ]
      const before = changes.reduce(
        (sum, { accounts, storage, code }) =>
          sum.apply({ accounts: entryOf(accounts, contract), storage: entryOf(storage, contract), code }),
        trie,
      )
      const slots = before.storageFrom(contract, bytesToHex(start).slice(2))
      return storageRange(slots, maxResult)
    })
  },
})

function entryOf<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  const value = map.get(key)
  return new Map(value === undefined ? [] : [[key, value]])
}
