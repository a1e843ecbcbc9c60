import { formatDecimal, nearestDouble } from '../../primitives/decimal.ts'
import { MULTIPLIER_DECIMALS } from '../../primitives/stocks/split-ratio.ts'
import { DOUBLE_SCHEMA, EXACT_DECIMAL_SCHEMA, HASH_SCHEMA, type Schema } from '../http/schema.ts'
import { rfc3339OrNull } from '../tokenized-stocks/token-record.ts'
import type { LoggedAction, MultiplierStatus } from './corporate-actions.ts'

const KINDS: readonly LoggedAction['content']['kind'][] = [
  'multiplier',
  'announced',
  'announcement_ended',
  'paused',
  'unpaused',
]
const STATUSES: readonly MultiplierStatus[] = ['scheduled', 'effective', 'cancelled']

/** A corporate action in a response. */
export function actionEntry({ content, effectiveAt, source }: LoggedAction) {
  return {
    kind: content.kind,
    effective_at: rfc3339OrNull(effectiveAt),
    ...valuesOf(content),
    block_number: source?.blockNumber ?? null,
    block_hash: source?.blockHash ?? null,
    timestamp: source === undefined ? null : rfc3339OrNull(source.timestamp),
    transaction_hash: source?.transactionHash ?? null,
    log_index: source?.logIndex ?? null,
  }
}

function valuesOf(content: LoggedAction['content']) {
  switch (content.kind) {
    case 'multiplier':
      return {
        status: content.status,
        ...amount('multiplier', content.multiplier),
        ...(content.previous !== undefined && amount('previous_multiplier', content.previous)),
      }
    case 'announced':
      return {
        announcement: content.announcement ?? null,
        description: content.description ?? null,
        uri: content.uri ?? null,
      }
    case 'announcement_ended':
      return { announcement: content.announcement ?? null }
    case 'paused':
    case 'unpaused':
      return { features: content.features }
  }
}

function amount(name: string, value: bigint) {
  return {
    [name]: nearestDouble(value, MULTIPLIER_DECIMALS),
    [`${name}_exact`]: formatDecimal(value, MULTIPLIER_DECIMALS),
  }
}

const TIME: Schema = { type: 'string', format: 'date-time', nullable: true }
const TEXT: Schema = { type: 'string', nullable: true }
const WITHOUT_EVENT = 'null for a schedule without an event, such as one of block 0'

export const ACTION_SCHEMA: Schema = {
  type: 'object',
  properties: {
    kind: { type: 'string', enum: KINDS },
    effective_at: {
      ...TIME,
      description: 'when a multiplier applies, otherwise the time of the block; null beyond the year 9999',
    },
    status: {
      type: 'string',
      enum: STATUSES,
      description:
        'only for `multiplier`, as of the block of the response: `scheduled`, `effective`, or `cancelled`, which ' +
        'includes a schedule that a later one replaced before its time',
    },
    multiplier: { ...DOUBLE_SCHEMA, description: 'only for `multiplier`: shares per token from `effective_at` on' },
    multiplier_exact: EXACT_DECIMAL_SCHEMA,
    previous_multiplier: {
      ...DOUBLE_SCHEMA,
      description: 'only for `multiplier`: shares per token at the time of the event; absent where the event lacks it',
    },
    previous_multiplier_exact: EXACT_DECIMAL_SCHEMA,
    announcement: { ...TEXT, description: 'id of the announcement; null when it is longer than 256 bytes' },
    description: { ...TEXT, description: 'text of the announcement; null when it is longer than 4,096 bytes' },
    uri: { ...TEXT, description: 'URI of the announcement; null when it is longer than 256 bytes' },
    features: {
      type: 'array',
      items: { type: 'integer', format: 'int64', minimum: 0, maximum: 255 },
      description: 'only for `paused` and `unpaused`: 0 TRANSFER, 1 MINT, 2 BURN, 3 SEIZE',
    },
    block_number: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      nullable: true,
      description: `of the event; ${WITHOUT_EVENT}`,
    },
    block_hash: { ...HASH_SCHEMA, nullable: true },
    timestamp: { ...TIME, description: 'time of the block' },
    transaction_hash: { ...HASH_SCHEMA, nullable: true },
    log_index: { type: 'integer', format: 'int64', minimum: 0, nullable: true, description: 'in the block' },
  },
  required: ['kind', 'effective_at', 'block_number', 'block_hash', 'timestamp', 'transaction_hash', 'log_index'],
  additionalProperties: false,
}

/** Example for the documentation. */
export const EXAMPLE_ACTION = {
  kind: 'multiplier',
  effective_at: '2026-03-02T14:30:00Z',
  status: 'scheduled',
  multiplier: 4,
  multiplier_exact: '4',
  previous_multiplier: 2,
  previous_multiplier_exact: '2',
  block_number: 4711,
  block_hash: '0x1e0d7a6c4bd0d33bcbc5b5f2a4d7d7bba4fd0d9ad2b2ad4b2a1e5c8c2d1a7f10',
  timestamp: '2026-02-23T14:30:02Z',
  transaction_hash: '0x9b1f3f5c37aa0cd29b12b5d3e0f4c1a8de5a2f4b6c7d8e9f00112233445566aa',
  log_index: 3,
}
