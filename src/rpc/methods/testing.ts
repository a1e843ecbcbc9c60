import { invalidTransactionMessage } from '../../chain/transaction/refusal-text.ts'
import { requestsFaultMessage } from '../../engine/block/requests.ts'
import { buildPayload, type PayloadRefusal } from '../../node/production/building/payload.ts'
import { EMPTY_BYTES } from '../../primitives/hex.ts'
import { data, hash } from '../codecs/bytes.ts'
import { listOf } from '../codecs/codec.ts'
import { MAX_PAYLOAD_TRANSACTIONS, payloadAttributes } from '../codecs/payload-attributes.ts'
import { formatPayloadEnvelope } from '../format/execution-payload.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
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
    const { timestamp, prevRandao, suggestedFeeRecipient, withdrawals, parentBeaconBlockRoot } = attributes
    const miner = suggestedFeeRecipient
    const choices = { timestamp, gasLimit, miner, mixHash: prevRandao, extraData, parentBeaconBlockRoot, withdrawals }
    const result = await buildPayload({ parent, choices, transactions }, { view, config, engine, mayContinue })
    if (result.kind === 'refused') throw new RpcError(RPC_CODES.server, refusalMessage(result.refusal))
    return formatPayloadEnvelope(result.payload)
  },
})

function refusalMessage(refusal: PayloadRefusal): string {
  switch (refusal.code) {
    case 'UNKNOWN_PARENT':
      return 'unknown parent: no block of that hash, or its state is not kept'
    case 'LAYER_2':
      return 'blocks of a layer-2 chain are made by its sequencer alone'
    case 'TIMESTAMP_ORDER':
      return `invalid timestamp, parent ${refusal.parent} given ${refusal.given}`
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
