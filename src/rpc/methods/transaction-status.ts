import { hash } from '../codecs/bytes.ts'
import { quantity } from '../codecs/quantity.ts'
import { formatTransactionStatus } from '../format/transaction-status.ts'
import { transactionStatus } from '../queries/transaction-status.ts'
import { defineMethod, requiredParam } from '../registry/method.ts'

export const base_transactionStatus = defineMethod({
  name: 'base_transactionStatus',
  summary: 'Whether a submitted transaction reached the pool: Known while it is pooled, and once it is included.',
  params: [requiredParam('transactionHash', hash)],
  result: {
    type: 'object',
    properties: { status: { type: 'string', enum: ['Known', 'Unknown'] } },
    required: ['status'],
  },
  cost: 1,
  // Base's own implementation looks into the pool only, where a transaction is `Unknown` once it is included. Here an
  // included transaction has reached the pool and is `Known`.
  handle: ([transactionHash], { view }) => ({
    status: view.transaction(transactionHash) === undefined ? 'Unknown' : 'Known',
  }),
})

export const tickertape_transactionStatus = defineMethod({
  name: 'tickertape_transactionStatus',
  summary:
    'Status of a transaction: why it waits or was dropped, its flashblock and block, and when this node showed them.',
  params: [requiredParam('transactionHash', hash)],
  result: {
    type: 'object',
    properties: {
      status: { type: 'string', enum: ['unknown', 'pooled', 'preconfirmed', 'sealed', 'dropped'] },
      waitsFor: {
        type: 'object',
        properties: {
          reason: {
            type: 'string',
            enum: [
              'flashblock',
              'nonceGap',
              'baseFee',
              'balance',
              'gasRoom',
              'predicates',
              'dataFootprint',
              'predecessor',
            ],
          },
        },
        required: ['reason'],
      },
      blockNumber: quantity.schema,
      blockHash: hash.schema,
      transactionIndex: quantity.schema,
      flashblockIndex: quantity.schema,
      preconfirmedAt: quantity.schema,
      sealedAt: quantity.schema,
      finality: { type: 'string', enum: ['latest', 'safe', 'finalized'] },
      reason: {
        type: 'string',
        enum: ['replaced', 'nonceUsed', 'insufficientFunds', 'evicted', 'expired', 'removed', 'invalid', 'reorganised'],
      },
      replacedBy: hash.schema,
      details: { type: 'string' },
    },
    required: ['status'],
  },
  cost: 2,
  handle: ([transactionHash], { view, slots, config, shownTimes }) =>
    formatTransactionStatus(transactionStatus(transactionHash, view, { slots, config, shownTimes })),
})
