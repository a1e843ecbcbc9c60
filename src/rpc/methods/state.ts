import { LATEST } from '../../node/view/block-reference.ts'
import { bigintToHash, toQuantity } from '../../primitives/quantity.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { address, data, hash } from '../codecs/bytes.ts'
import { quantity } from '../codecs/quantity.ts'
import { MAX_STORAGE_SLOTS, storageKey } from '../codecs/storage-key.ts'
import { storageRequests } from '../codecs/storage-requests.ts'
import { requireState } from '../context/reading.ts'
import { formatAccountInfo } from '../format/account-info.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { defaultedParam, defineMethod, requiredParam } from '../registry/method.ts'
import { ACCOUNT_INFO_SCHEMA, arrayOf } from '../schemas/schemas.ts'

export const eth_getBalance = defineMethod({
  name: 'eth_getBalance',
  summary: 'Wei of an account after a block; `pending`: after the newest flashblock.',
  params: [requiredParam('address', address), defaultedParam('block', blockReference, LATEST)],
  result: quantity.schema,
  cost: 1,
  handle([account, reference], context) {
    const state = requireState(context, reference)
    return toQuantity(context.view.account(state, account)?.balance ?? 0n)
  },
})

export const eth_getCode = defineMethod({
  name: 'eth_getCode',
  summary: 'Code of an account; `pending` includes contracts deployed in the open block.',
  params: [requiredParam('address', address), defaultedParam('block', blockReference, LATEST)],
  result: data.schema,
  cost: 1,
  handle([account, reference], context) {
    const state = requireState(context, reference)
    const found = context.view.account(state, account)
    return found === undefined ? '0x' : context.memoizedBlocks.code(state, found.codeHash)
  },
})

export const eth_getAccountInfo = defineMethod({
  name: 'eth_getAccountInfo',
  summary: 'Balance, nonce and code of an account after a block.',
  params: [requiredParam('address', address), defaultedParam('block', blockReference, LATEST)],
  result: ACCOUNT_INFO_SCHEMA,
  cost: 2,
  handle([account, reference], context) {
    const { view } = context
    const state = requireState(context, reference)
    return formatAccountInfo(view.account(state, account), view.code(state, account))
  },
})

export const eth_getStorageAt = defineMethod({
  name: 'eth_getStorageAt',
  summary: 'The 32 bytes in a storage slot after a block.',
  params: [
    requiredParam('address', address),
    requiredParam('key', storageKey),
    defaultedParam('block', blockReference, LATEST),
  ],
  result: hash.schema,
  cost: 1,
  handle([account, slot, reference], context) {
    const state = requireState(context, reference)
    return bigintToHash(context.view.storage(state, account, slot))
  },
})

/** As in go-ethereum. */
const LIMIT_EXCEEDED = -38026

export const eth_getStorageValues = defineMethod({
  name: 'eth_getStorageValues',
  summary: `Up to ${MAX_STORAGE_SLOTS} slots of any number of accounts, after one block.`,
  params: [requiredParam('requests', storageRequests), defaultedParam('block', blockReference, LATEST)],
  result: { type: 'object', additionalProperties: arrayOf(hash.schema) },
  cost: 10,
  handle([requests, reference], context) {
    const count = [...requests.values()].reduce((sum, slots) => sum + slots.length, 0)
    if (count === 0) throw new RpcError(RPC_CODES.invalidParams, 'empty request')
    if (count > MAX_STORAGE_SLOTS) throw new RpcError(LIMIT_EXCEEDED, `too many slots (max ${MAX_STORAGE_SLOTS})`)
    const state = requireState(context, reference)
    const { view } = context
    return Object.fromEntries(
      Array.from(requests, ([account, slots]) => [
        account,
        slots.map((slot) => bigintToHash(view.storage(state, account, slot))),
      ]),
    )
  },
})

export const eth_getTransactionCount = defineMethod({
  name: 'eth_getTransactionCount',
  summary: 'Nonce of an account. `pending` includes flashblocks and its executable transactions in the pool.',
  isPendingFromPool: true,
  params: [requiredParam('address', address), defaultedParam('block', blockReference, LATEST)],
  result: quantity.schema,
  cost: 1,
  handle([account, reference], context) {
    const { view } = context
    if (reference.kind === 'tag' && reference.tag === 'pending') return toQuantity(view.pendingNonce(account))
    const state = requireState(context, reference)
    return toQuantity(view.account(state, account)?.nonce ?? 0n)
  },
})
