import type { LogQuery } from '../../chain/receipt/log-query.ts'
import type { Hash } from '../../primitives/hex.ts'
import { boolean } from '../codecs/boolean.ts'
import { hash } from '../codecs/bytes.ts'
import { type Codec, jsonObject, listOf, member } from '../codecs/codec.ts'
import { checkCriteria, logCriteria, queryInDialect } from '../codecs/log-filter.ts'
import { refuseUnknownMembers } from '../codecs/object.ts'
import type { Dialect } from '../protocol/dialect.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'

/** The second parameter of `eth_subscribe`; `checkOptions` refuses what a kind of subscription does not use. */
export type SubscriptionOptions =
  | { readonly kind: 'flag'; readonly flag: boolean }
  | {
      readonly kind: 'object'
      /** `undefined`: it has neither `address` nor `topics`, so it is no filter. */
      readonly criteria: LogQuery | undefined
      readonly raw: boolean
      /** Absent or empty: all transactions. */
      readonly transactionHashes?: readonly Hash[]
    }

/** Hashes of one subscription, as in go-ethereum (eth/filters). */
export const MAX_TRANSACTION_HASHES = 200
const transactionHashes = listOf(hash, MAX_TRANSACTION_HASHES)

/** The options with the log criteria as a dialect understands them. */
export function optionsInDialect(options: SubscriptionOptions, dialect: Dialect): SubscriptionOptions {
  if (options.kind === 'flag' || options.criteria === undefined) return options
  return { ...options, criteria: queryInDialect(options.criteria, dialect) }
}

/** What a kind of subscription uses of its options. */
export type UsedOption = 'flag' | 'criteria' | 'raw' | 'transactionHashes'

/**
 * Refuses options that a subscription would ignore.
 *
 * @throws RpcError -32602
 */
export function checkOptions(kind: string, options: SubscriptionOptions, uses: readonly UsedOption[]): void {
  const given = Object.entries(options).filter(
    ([name, value]) => name !== 'kind' && value !== undefined && value !== false,
  )
  const unused = given.find(([name]) => !uses.includes(name as UsedOption))
  if (unused === undefined) return
  const name = { flag: 'true', criteria: 'address and topics' }[unused[0]] ?? unused[0]
  throw new RpcError(RPC_CODES.invalidParams, `invalid argument 1: a subscription to ${kind} does not use ${name}`)
}

/** `fromBlock` and `toBlock` are those of a log filter; messages begin with the next block, as in go-ethereum. */
const MEMBERS = ['address', 'topics', 'fromBlock', 'toBlock', 'raw', 'transactionHashes']

export const subscriptionOptions: Codec<SubscriptionOptions> = {
  checkSize: checkCriteria,
  decode(json) {
    if (typeof json === 'boolean') return { kind: 'flag', flag: json }
    const object = jsonObject(json)
    refuseUnknownMembers(object, MEMBERS)
    const hashes = member(object, 'transactionHashes', transactionHashes)
    const isFilter = Object.hasOwn(object, 'address') || Object.hasOwn(object, 'topics')
    return {
      kind: 'object',
      criteria: isFilter ? logCriteria.decode(object) : undefined,
      raw: member(object, 'raw', boolean) ?? false,
      ...(hashes !== undefined && { transactionHashes: hashes }),
    }
  },
  encode(options) {
    if (options.kind === 'flag') return options.flag
    const { criteria, raw, transactionHashes } = options
    return { ...(criteria && { address: criteria.addresses, topics: criteria.topics }), raw, transactionHashes }
  },
  schema: {
    // An empty object matches all of them.
    anyOf: [
      boolean.schema,
      logCriteria.schema,
      { type: 'object', properties: { raw: boolean.schema }, required: ['raw'] },
      {
        type: 'object',
        properties: { transactionHashes: transactionHashes.schema },
        required: ['transactionHashes'],
      },
    ],
  },
}
