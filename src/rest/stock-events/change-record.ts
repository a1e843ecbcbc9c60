import { formatDecimal, nearestDouble } from '../../primitives/decimal.ts'
import { MULTIPLIER_DECIMALS } from '../../primitives/stocks/split-ratio.ts'
import { ADDRESS_SCHEMA, DOUBLE_SCHEMA, EXACT_DECIMAL_SCHEMA, HASH_SCHEMA, type Schema } from '../http/schema.ts'
import { rfc3339OrNull } from '../tokenized-stocks/token-record.ts'
import type { CorporateAction, PlacedChange } from './token-state.ts'

const KINDS: readonly PlacedChange['change']['kind'][] = ['supply', 'multiplier', 'pause', 'price', 'corporate_action']
const ACTIONS: readonly CorporateAction['kind'][] = [
  'multiplier_scheduled',
  'multiplier_cancelled',
  'announced',
  'announcement_ended',
]

/** A change as the data of an event. @param isRemoved the block of the change was unwound */
export function changeRecord(placed: PlacedChange, id: string, isRemoved: boolean) {
  const { change, token, number, flashblock, timestamp, source } = placed
  return {
    id,
    kind: change.kind,
    removed: isRemoved,
    contract_address: token,
    block_number: number,
    flashblock,
    timestamp: rfc3339OrNull(timestamp),
    transaction_hash: source?.transactionHash ?? null,
    log_index: source?.logIndex ?? null,
    ...valuesOf(placed),
  }
}

function valuesOf({ change, after }: PlacedChange) {
  switch (change.kind) {
    case 'supply':
      return {
        ...amount('total_supply', after.totalSupply, after.decimals),
        difference_exact: formatDecimal(change.difference, after.decimals),
      }
    case 'multiplier':
      return amount('multiplier', after.multiplier, MULTIPLIER_DECIMALS)
    case 'pause':
      return { paused_features: after.pausedFeatures }
    case 'price':
      return {
        ...amount('nav_price', change.answer, change.decimals),
        nav_price_updated_at: rfc3339OrNull(change.updatedAt),
      }
    case 'corporate_action':
      return actionRecord(change.action)
  }
}

/** Members of a corporate action. */
export function actionRecord(action: CorporateAction) {
  switch (action.kind) {
    case 'multiplier_scheduled':
    case 'multiplier_cancelled':
      return {
        action: action.kind,
        ...amount('multiplier', action.next.multiplier, MULTIPLIER_DECIMALS),
        effective_at: rfc3339OrNull(action.next.effectiveAt),
      }
    case 'announced':
      return {
        action: action.kind,
        announcement: action.announcement ?? null,
        description: action.description ?? null,
        uri: action.uri ?? null,
      }
    case 'announcement_ended':
      return { action: action.kind, announcement: action.announcement ?? null }
  }
}

function amount(name: string, value: bigint, decimals: number) {
  return { [name]: nearestDouble(value, decimals), [`${name}_exact`]: formatDecimal(value, decimals) }
}

const TIME: Schema = { type: 'string', format: 'date-time', nullable: true }
const TEXT: Schema = { type: 'string', nullable: true }

/** The data of an event. */
export const CHANGE_SCHEMA: Schema = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'as the id of the event' },
    kind: { type: 'string', enum: KINDS },
    removed: {
      type: 'boolean',
      description: 'whether the block of the change was unwound: the change did not happen, and is sent once more so',
    },
    contract_address: { ...ADDRESS_SCHEMA, description: 'the token, in lower case' },
    block_number: { type: 'integer', format: 'int64', minimum: 0 },
    flashblock: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description: 'index of the flashblock in its block; 0 in a stand-alone service',
    },
    timestamp: { ...TIME, description: 'time of the block; null beyond the year 9999' },
    transaction_hash: { ...HASH_SCHEMA, nullable: true, description: 'null for a multiplier whose time has come' },
    log_index: { type: 'integer', format: 'int64', minimum: 0, nullable: true, description: 'in the block' },
    total_supply: { ...DOUBLE_SCHEMA, description: 'only for `supply`: token units after the change' },
    total_supply_exact: EXACT_DECIMAL_SCHEMA,
    difference_exact: {
      type: 'string',
      pattern: '^-?(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$',
      description: 'only for `supply`: token units that were minted, or with a minus burned',
    },
    multiplier: {
      ...DOUBLE_SCHEMA,
      description: 'for `multiplier`: shares per token from now on; for `corporate_action`: the scheduled multiplier',
    },
    multiplier_exact: EXACT_DECIMAL_SCHEMA,
    paused_features: {
      type: 'array',
      items: { type: 'integer', format: 'int64', minimum: 0, maximum: 255 },
      description: 'only for `pause`: all paused features after the change',
    },
    nav_price: { ...DOUBLE_SCHEMA, description: 'only for `price`: price of a token' },
    nav_price_exact: EXACT_DECIMAL_SCHEMA,
    nav_price_updated_at: { ...TIME, description: 'only for `price`: time of the price' },
    action: { type: 'string', enum: ACTIONS, description: 'only for `corporate_action`: what happened' },
    effective_at: { ...TIME, description: 'when the scheduled multiplier applies; null beyond the year 9999' },
    announcement: { ...TEXT, description: 'id of the announcement; null when it is longer than 256 bytes' },
    description: { ...TEXT, description: 'text of the announcement; null when it is longer than 4,096 bytes' },
    uri: { ...TEXT, description: 'URI of the announcement; null when it is longer than 256 bytes' },
  },
  required: [
    'id',
    'kind',
    'removed',
    'contract_address',
    'block_number',
    'flashblock',
    'timestamp',
    'transaction_hash',
    'log_index',
  ],
  additionalProperties: false,
}
