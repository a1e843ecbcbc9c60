import type { LogQuery } from '../../chain/receipt/log-query.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import type { Dialect } from '../protocol/dialect.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { isJsonObject, type JsonRecord } from '../protocol/json.ts'
import type { ValueLimits } from '../protocol/limits.ts'
import { blockHeight } from './block-reference.ts'
import { address, hash } from './bytes.ts'
import { type Codec, describe, InvalidValueError, jsonObject, member, within } from './codec.ts'

export const MAX_TOPIC_POSITIONS = 4

/** The filter object of `eth_getLogs` and `eth_newFilter`. */
export interface LogFilter extends LogQuery {
  readonly fromBlock: Exclude<BlockReference, { kind: 'hash' }> | undefined
  readonly toBlock: Exclude<BlockReference, { kind: 'hash' }> | undefined
  readonly blockHash: Hash | undefined
}

const addresses: Codec<readonly Address[]> = {
  decode(json) {
    if (!Array.isArray(json)) return [address.decode(json)]
    return json.map((item, index) => within(`[${index}]`, () => address.decode(item)))
  },
  encode: (values) => values,
  schema: { oneOf: [address.schema, { type: 'array', items: address.schema }] },
}

const topics: Codec<LogQuery['topics']> = {
  decode(json) {
    if (!Array.isArray(json)) throw new InvalidValueError(`expected an array, got ${describe(json)}`)
    if (json.length > MAX_TOPIC_POSITIONS) throw tooMany('exceed max topics')
    return json.map((position, index) => within(`[${index}]`, () => decodePosition(position)))
  },
  encode: (positions) => positions.map((position) => (position.length === 0 ? null : position)),
  schema: {
    type: 'array',
    maxItems: MAX_TOPIC_POSITIONS,
    items: { oneOf: [{ type: 'null' }, hash.schema, { type: 'array', items: hash.schema }] },
  },
}

/** `{ address, topics }` */
export const logCriteria: Codec<LogQuery> = {
  checkSize: checkCriteria,
  decode(json) {
    const object = jsonObject(json)
    return {
      addresses: member(object, 'address', addresses) ?? [],
      topics: member(object, 'topics', topics) ?? [],
    }
  },
  encode: encodeCriteria,
  schema: { title: 'log criteria', type: 'object', properties: criteriaProperties() },
}

/** `{ fromBlock, toBlock, address, topics, blockHash }` */
export const logFilter: Codec<LogFilter> = {
  checkSize: checkCriteria,
  decode(json) {
    const object = jsonObject(json)
    return {
      ...logCriteria.decode(object),
      fromBlock: member(object, 'fromBlock', blockHeight),
      toBlock: member(object, 'toBlock', blockHeight),
      blockHash: member(object, 'blockHash', hash),
    }
  },
  encode(filter) {
    return {
      ...encodeCriteria(filter),
      fromBlock: filter.fromBlock && blockHeight.encode(filter.fromBlock),
      toBlock: filter.toBlock && blockHeight.encode(filter.toBlock),
      blockHash: filter.blockHash,
    }
  },
  schema: {
    title: 'log filter',
    type: 'object',
    properties: {
      fromBlock: blockHeight.schema,
      toBlock: blockHeight.schema,
      ...criteriaProperties(),
      blockHash: hash.schema,
    },
  },
}

/**
 * Applies the rule of a dialect for `null` positions. In `base` a trailing `null` also matches a log that has fewer
 * topics, as in reth (alloy `Filter::matches_topics`), so it is removed here and matchers need not know. In `ethereum`
 * it requires a topic, as in go-ethereum (`eth/filters/filter.go`).
 */
export function queryInDialect<Query extends LogQuery>(query: Query, dialect: Dialect): Query {
  if (dialect === 'ethereum') return query
  const last = query.topics.findLastIndex((position) => position.length > 0)
  return last === query.topics.length - 1 ? query : { ...query, topics: query.topics.slice(0, last + 1) }
}

/** @throws RpcError -32000, as in go-ethereum */
export function checkCriteria(json: unknown, { maxLogCriteria }: ValueLimits): void {
  if (!isJsonObject(json)) return
  const positions = Array.isArray(json.topics) ? json.topics.slice(0, MAX_TOPIC_POSITIONS) : []
  for (const alternatives of [json.address, ...positions]) {
    if (Array.isArray(alternatives) && alternatives.length > maxLogCriteria) {
      throw tooMany(`exceed max addresses or topics per search position: ${maxLogCriteria} (--max-log-criteria)`)
    }
  }
}

/** `null` among the alternatives matches anything, as in go-ethereum. */
function decodePosition(json: unknown): readonly Hash[] {
  if (json === null) return []
  if (!Array.isArray(json)) return [hash.decode(json)]
  if (json.includes(null)) return []
  return json.map((item, index) => within(`[${index}]`, () => hash.decode(item)))
}

function tooMany(text: string): RpcError {
  return new RpcError(RPC_CODES.server, text)
}

function encodeCriteria(criteria: LogQuery): JsonRecord {
  return { address: addresses.encode(criteria.addresses), topics: topics.encode(criteria.topics) }
}

function criteriaProperties(): JsonRecord {
  return { address: addresses.schema, topics: topics.schema }
}
