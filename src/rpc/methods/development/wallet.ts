import { randomBytes } from 'node:crypto'
import type { Address, Hash } from '../../../primitives/hex.ts'
import { bytesToHex } from '../../../primitives/hex.ts'
import { toQuantity } from '../../../primitives/quantity.ts'
import { address } from '../../codecs/bytes.ts'
import { listOf } from '../../codecs/codec.ts'
import { quantity } from '../../codecs/quantity.ts'
import { text } from '../../codecs/text.ts'
import type { WriteContext } from '../../context/writing.ts'
import type { JsonRecord } from '../../protocol/json.ts'
import { type DevelopmentCall, defineDevelopmentMethod } from '../../registry/development-method.ts'
import { optionalParam, requiredParam } from '../../registry/method.ts'
import { arrayOf, LOG_SCHEMA } from '../../schemas/schemas.ts'
import { atomicityOf, sendCalls } from '../../wallet/send-calls.ts'
import { BUNDLE_VERSION, callBundle, MAX_CHAINS } from '../../wallet/send-calls-codec.ts'
import { walletError } from '../../wallet/wallet-errors.ts'

/** Status codes of EIP-5792. */
const STATUS = { pending: 100, confirmed: 200, failedOffChain: 400, reverted: 500, partlyReverted: 600 } as const

export const wallet_getCapabilities = defineDevelopmentMethod({
  name: 'wallet_getCapabilities',
  effect: 'none',
  summary: 'What an account can do with calls that are sent together (EIP-5792), by chain id.',
  params: [requiredParam('address', address), optionalParam('chainIds', listOf(quantity, MAX_CHAINS))],
  result: { type: 'object', additionalProperties: { type: 'object' } },
  cost: 1,
  handle([account, chainIds], call) {
    requireAccount(account, call)
    const { chainId } = call.context.config
    if (chainIds !== undefined && !chainIds.includes(chainId)) return {}
    return { [toQuantity(chainId)]: { atomic: { status: atomicityOf(account, call) } } }
  },
})

export const wallet_sendCalls = defineDevelopmentMethod({
  name: 'wallet_sendCalls',
  summary: 'Sends calls of an account together (EIP-5792): as one transaction through a delegation (EIP-7702).',
  params: [requiredParam('bundle', callBundle)],
  result: { type: 'object', properties: { id: text.schema }, required: ['id'] },
  cost: 200,
  async handle([bundle], call) {
    const { context, development } = call
    const { calls, atomicRequired } = bundle
    const from = bundle.from ?? development.accounts.signers[0]
    if (bundle.chainId !== context.config.chainId) {
      throw walletError('unsupportedChain', `this node has chain id ${context.config.chainId}, not ${bundle.chainId}`)
    }
    const required = bundle.requiredCapabilities.find((name) => name !== 'atomic')
    if (required !== undefined) throw walletError('unsupportedCapability', `unsupported capability: ${required}`)
    const id = bundle.id ?? bytesToHex(randomBytes(32))
    const account = requireAccount(from, call)
    if (!development.bundles.reserve(id)) throw walletError('duplicateId', `there is a bundle ${id} already`)
    try {
      await development.bundles.add({ id, ...(await sendCalls({ from: account, calls, atomicRequired }, call)) })
      return { id }
    } finally {
      development.bundles.release(id)
    }
  },
})

export const wallet_getCallsStatus = defineDevelopmentMethod({
  name: 'wallet_getCallsStatus',
  effect: 'none',
  summary: 'Whether the calls of a bundle are pending, pre-confirmed or sealed, with their receipts (EIP-5792).',
  params: [requiredParam('id', text)],
  result: {
    type: 'object',
    properties: {
      version: text.schema,
      id: text.schema,
      chainId: quantity.schema,
      status: { type: 'integer' },
      atomic: { type: 'boolean' },
      receipts: arrayOf({ type: 'object', properties: { logs: arrayOf(LOG_SCHEMA) } }),
    },
    required: ['version', 'id', 'chainId', 'status', 'atomic'],
  },
  cost: 5,
  handle([id], { context, development }) {
    const bundle = development.bundles.get(id)
    if (bundle === undefined) throw walletError('unknownBundle', `there is no bundle ${id.slice(0, 100)}`)
    const found = bundle.transactions.map((hash) => outcomeOf(hash, context))
    return {
      version: BUNDLE_VERSION,
      id,
      chainId: toQuantity(context.config.chainId),
      status: statusOf([...found.map(({ status }) => status), ...(bundle.isComplete ? [] : ['gone' as const])]),
      atomic: bundle.isAtomic,
      receipts: found.flatMap(({ receipt }) => (receipt === undefined ? [] : [receipt])),
    }
  },
})

/** @throws RpcError when the node cannot send for the account */
function requireAccount(account: Address | undefined, { development: { accounts } }: DevelopmentCall): Address {
  if (account !== undefined && (accounts.keyOf(account) !== undefined || accounts.isImpersonated(account))) {
    return account
  }
  throw walletError('unauthorized', `the node has no key of ${account ?? 'any account'} and does not impersonate it`)
}

interface Outcome {
  readonly status: 'pending' | 'confirmed' | 'reverted' | 'gone'
  readonly receipt: JsonRecord | undefined
}

function outcomeOf(transaction: Hash, { view }: WriteContext): Outcome {
  const found = view.transaction(transaction)
  if (found === undefined) return { status: 'gone', receipt: undefined }
  if (found.kind === 'pooled') return { status: 'pending', receipt: undefined }
  const { block } = found.block
  const { outcome, gasUsed, logs } = found.receipt
  const isDone = !('status' in outcome) || outcome.status === 1
  return {
    status: isDone ? 'confirmed' : 'reverted',
    receipt: {
      logs: logs.map(({ address, topics, data }) => ({ address, topics, data: bytesToHex(data) })),
      status: isDone ? '0x1' : '0x0',
      blockHash: block.hash,
      blockNumber: toQuantity(block.header.number),
      gasUsed: toQuantity(gasUsed),
      transactionHash: transaction,
    },
  }
}

function statusOf(outcomes: readonly Outcome['status'][]): number {
  if (outcomes.includes('pending')) return STATUS.pending
  if (outcomes.every((status) => status === 'confirmed')) return STATUS.confirmed
  if (outcomes.every((status) => status === 'gone')) return STATUS.failedOffChain
  return outcomes.includes('confirmed') ? STATUS.partlyReverted : STATUS.reverted
}
