import { scheduledTimeOf } from '../../chain/forks/denim-schedule.ts'
import { blockEnv } from '../../engine/block/block-env.ts'
import { overrideBlockEnv } from '../../engine/call/block-overrides.ts'
import { runCallSequences, runTransactionSequence } from '../../engine/call/call-sequence.ts'
import type { BlockEnv, Executed, Result } from '../../engine/types.ts'
import { LATEST } from '../../node/view/block-reference.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { address, data, hash } from '../codecs/bytes.ts'
import { stateOverrides } from '../codecs/overrides.ts'
import { bundledCalls, stateContext, transactionBundle } from '../codecs/simulation/call-bundles.ts'
import { text } from '../codecs/text.ts'
import { type ReadContext, requireHeaderAndState } from '../context/reading.ts'
import { bundleJson } from '../format/bundle.ts'
import { EncodedJson, encodedArray } from '../protocol/encoded-json.ts'
import { callError } from '../protocol/errors.ts'
import type { JsonRecord } from '../protocol/json.ts'
import { assertCount, bundleSite } from '../queries/bundled-calls.ts'
import { decodedTransactions } from '../queries/decoded-transaction.ts'
import { ResponseSize } from '../queries/response-size.ts'
import { defineMethod, optionalParam, requiredParam } from '../registry/method.ts'
import { arrayOf, orNull } from '../schemas/schemas.ts'

const CALL_RESULT_SCHEMA = {
  title: 'the return value, or why the call failed',
  type: 'object',
  properties: { value: data.schema, error: text.schema },
} as const

const WEI_IN_DECIMAL = { type: 'string', pattern: '^-?[0-9]+$', title: 'wei in decimal' } as const
const COUNT = { type: 'integer', minimum: 0 } as const
const PAYMENT = { coinbaseDiff: WEI_IN_DECIMAL, ethSentToCoinbase: WEI_IN_DECIMAL, gasFees: WEI_IN_DECIMAL } as const

const BUNDLE_RESULT_SCHEMA = {
  type: 'object',
  properties: {
    bundleHash: hash.schema,
    bundleGasPrice: WEI_IN_DECIMAL,
    ...PAYMENT,
    results: arrayOf({
      type: 'object',
      properties: {
        ...PAYMENT,
        fromAddress: address.schema,
        toAddress: orNull(address.schema),
        gasPrice: WEI_IN_DECIMAL,
        gasUsed: COUNT,
        txHash: hash.schema,
        value: data.schema,
        revert: data.schema,
      },
    }),
    stateBlockNumber: COUNT,
    totalGasUsed: COUNT,
  },
}

export const eth_callMany = defineMethod({
  name: 'eth_callMany',
  summary: 'Runs bundles of calls, each on the state after those before it; a bundle may override its block.',
  params: [
    requiredParam('bundles', bundledCalls),
    optionalParam('stateContext', stateContext),
    optionalParam('stateOverrides', stateOverrides),
  ],
  result: arrayOf(arrayOf(CALL_RESULT_SCHEMA)),
  cost: 100,
  runsCode: true,
  async handle([bundles, position = {}, accounts], context) {
    const { engine, mayContinue } = context
    const site = await bundleSite(context, bundles, position, accounts, mayContinue)
    const { sequences, state, movedPrecompiles } = site
    const size = new ResponseSize(context)
    const results = bundles.map(() => '')
    const onResult = (result: Result, bundle: number) => {
      const text = JSON.stringify(callResult(result))
      size.add(text.length)
      results[bundle] += results[bundle] === '' ? text : `,${text}`
    }
    await runCallSequences(engine, sequences, state, { mayContinue, movedPrecompiles, onResult })
    return encodedArray(results.map((texts) => `[${texts}]`))
  },
})

/** @throws RpcError for a call that cannot begin */
function callResult(result: Result): JsonRecord {
  if (result.kind === 'invalid') throw callError({ kind: 'invalid', error: result.error, gasLimit: 0n })
  if (result.status === 'success') return { value: bytesToHex(result.output) }
  const { output, halt = 'out of gas' } = result
  const failure = result.status === 'revert' ? ({ kind: 'reverted', output } as const) : undefined
  return { error: callError(failure ?? { kind: 'halted', reason: halt }).message }
}

export const eth_callBundle = defineMethod({
  name: 'eth_callBundle',
  summary: 'Executes signed transactions in order at the top of a block, and says what they pay; keeps nothing.',
  params: [requiredParam('bundle', transactionBundle)],
  result: BUNDLE_RESULT_SCHEMA,
  cost: 200,
  runsCode: true,
  async handle([bundle], context) {
    const { view, engine, config, options, mayContinue } = context
    const { txs = [], blockNumber, stateBlockNumber = LATEST, coinbase, timestamp, gasLimit, baseFee } = bundle
    assertCount(txs.length, 'transactions', options.maxSimulatedBlockCalls)
    const transactions = await decodedTransactions(txs, mayContinue)
    const { header, state } = requireHeaderAndState(context, stateBlockNumber)
    const before = blockEnv(header, config)
    const number = view.number(blockNumber!) ?? before.number
    const overrides = {
      number,
      time: timestamp ?? timeOfBlock(number, before, context),
      ...(coinbase && { feeRecipient: coinbase }),
      ...(gasLimit !== undefined && { gasLimit }),
      ...(baseFee !== undefined && { baseFeePerGas: baseFee }),
    }
    const env = overrideBlockEnv(before, overrides, config)
    const size = new ResponseSize(context)
    const onExecuted = (executed: Executed) => size.addExecuted(executed)
    const run = await runTransactionSequence(engine, transactions, { env, state }, { mayContinue, onExecuted })
    if (run.kind === 'executed') {
      const executed = { transactions, run: run.transactions, baseFee: env.baseFee, stateBlock: header.number }
      return new EncodedJson(await bundleJson(executed, context.yieldIfDue))
    }
    const invalid = transactions[run.index]!
    throw callError({ kind: 'invalid', error: run.error, gasLimit: invalid.gasLimit }, invalid.hash)
  },
})

/** Unix seconds of the block of a bundle: those of its number on Denim chains, otherwise one block time later. */
function timeOfBlock(number: number, { timestamp }: BlockEnv, { config, blockTimeSeconds }: ReadContext): bigint {
  return scheduledTimeOf(number, config)?.timestamp ?? timestamp + BigInt(Math.ceil(blockTimeSeconds))
}
