import { invalidTransactionMessage } from '../../chain/transaction/refusal-text.ts'
import { requestsFaultMessage } from '../../engine/block/requests.ts'
import type { PayloadChoices, PayloadRefusal } from '../../node/development/payload-plan.ts'
import { buildPayload } from '../../node/production/building/payload.ts'
import { type Bytes, EMPTY_BYTES } from '../../primitives/hex.ts'
import { data, hash } from '../codecs/bytes.ts'
import { listOf } from '../codecs/codec.ts'
import { MAX_PAYLOAD_TRANSACTIONS, type PayloadAttributes, payloadAttributes } from '../codecs/payload-attributes.ts'
import { formatPayloadEnvelope } from '../format/execution-payload.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { defineDevelopmentMethod } from '../registry/development-method.ts'
import { defaultedParam, defineMethod, optionalParam, requiredParam } from '../registry/method.ts'

export const testing_buildBlockV1 = defineMethod({
  name: 'testing_buildBlockV1',
  summary: 'A layer-1 block on a parent, of the given transactions or (null) of the best of the pool. Nothing is kept.',
  params: [
    requiredParam('parentBlockHash', hash),
    requiredParam('payloadAttributes', payloadAttributes),
    optionalParam('transactions', listOf(data, MAX_PAYLOAD_TRANSACTIONS)),
    defaultedParam('extraData', data, EMPTY_BYTES),
  ],
  result: { type: 'object', required: ['executionPayload', 'blockValue', 'blobsBundle', 'executionRequests'] },
  cost: 500,
  async handle([parent, attributes, transactions, extraData], { view, config, engine, gasLimit, mayContinue }) {
    const choices = choicesOf(attributes, extraData, gasLimit)
    const result = await buildPayload({ parent, choices, transactions }, { view, config, engine, mayContinue })
    if (result.kind === 'refused') throw refusalError(result.refusal)
    return formatPayloadEnvelope(result.payload)
  },
})

/** `testing_buildBlockV1` that writes (execution-apis, `src/testing/testing_commitBlockV1.yaml`). */
export const testing_commitBlockV1 = defineDevelopmentMethod({
  name: 'testing_commitBlockV1',
  summary:
    'Mines a layer-1 block on the newest one, of the given transactions or (null) of the best of the pool. Its hash.',
  params: [
    requiredParam('payloadAttributes', payloadAttributes),
    optionalParam('transactions', listOf(data, MAX_PAYLOAD_TRANSACTIONS)),
    defaultedParam('extraData', data, EMPTY_BYTES),
  ],
  result: hash.schema,
  cost: 500,
  async handle([attributes, transactions, extraData], { context, development }) {
    const choices = choicesOf(attributes, extraData, context.gasLimit)
    const result = await development.mining.commit({ choices, transactions })
    if (result.kind === 'refused') throw refusalError(result.refusal)
    return result.hash
  },
})

function choicesOf(attributes: PayloadAttributes, extraData: Bytes, gasLimit: bigint): PayloadChoices['choices'] {
  const {
    timestamp,
    prevRandao: mixHash,
    suggestedFeeRecipient: miner,
    withdrawals,
    parentBeaconBlockRoot,
  } = attributes
  return { timestamp, gasLimit, miner, mixHash, extraData, parentBeaconBlockRoot, withdrawals }
}

function refusalError(refusal: PayloadRefusal): Error {
  if (refusal.code === 'STATE_NOT_LOADED') return refusal.error
  return new RpcError(RPC_CODES.server, refusalMessage(refusal))
}

function refusalMessage(refusal: Exclude<PayloadRefusal, { readonly code: 'STATE_NOT_LOADED' }>): string {
  switch (refusal.code) {
    case 'UNKNOWN_PARENT':
      return 'unknown parent: no block of that hash, or its state is not kept'
    case 'LAYER_2':
      return 'blocks of a layer-2 chain are made by its sequencer alone'
    case 'TIMESTAMP_ORDER':
      return `invalid timestamp, parent ${refusal.parent} given ${refusal.given}`
    case 'TIMESTAMP_TOO_HIGH':
      return `invalid timestamp, at most ${refusal.limit} given ${refusal.given}`
    case 'EXTRA_DATA_TOO_LONG':
      return `extra-data too long: ${refusal.size} > 32`
    case 'BLOCK_TOO_OLD':
      return refusal.message
    case 'INVALID_BLOCK':
      return requestsFaultMessage(refusal.fault)
    case 'UNDECODABLE':
      return `invalid transaction ${refusal.index}: ${refusal.reason}`
    case 'INVALID_TRANSACTION':
      return `invalid transaction ${refusal.index} (${refusal.hash}): ${invalidTransactionMessage(refusal.error)}`
  }
}
