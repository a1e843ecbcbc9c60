import { forkAt } from '../../../chain/forks/fork-schedule.ts'
import { chainForkOf } from '../../../node/roles/node-handle.ts'
import { bytesToHex } from '../../../primitives/hex.ts'
import { toQuantity } from '../../../primitives/quantity.ts'
import { boolean } from '../../codecs/boolean.ts'
import { hash } from '../../codecs/bytes.ts'
import { quantity } from '../../codecs/quantity.ts'
import { text } from '../../codecs/text.ts'
import { GO_ETHEREUM } from '../../compat/node-conventions.ts'
import type { ReadContext } from '../../context/reading.ts'
import type { WriteContext } from '../../context/writing.ts'
import { formatPooledTransaction } from '../../format/transaction.ts'
import { encodedArray } from '../../protocol/encoded-json.ts'
import { PoolResponse, splitPool } from '../../queries/pool-content.ts'
import { defineDevelopmentMethod } from '../../registry/development-method.ts'
import { defineMethod, requiredParam } from '../../registry/method.ts'
import { arrayOf, orNull, TRANSACTION_SCHEMA } from '../../schemas/schemas.ts'

const DEVELOPMENT_ONLY = { conventions: GO_ETHEREUM, aliasOf: undefined } as const
const NUMBER = { type: 'integer' } as const

export const anvil_getGenesisTime = defineDevelopmentMethod({
  name: 'anvil_getGenesisTime',
  effect: 'none',
  summary: 'The timestamp of block 0, in seconds as a number.',
  params: [],
  result: NUMBER,
  cost: 1,
  handle: (_, { context }) => Number(context.view.header({ kind: 'number', number: 0 })!.timestamp),
})

export const anvil_nodeInfo = defineDevelopmentMethod({
  name: 'anvil_nodeInfo',
  effect: 'none',
  summary: 'The newest block, the fork and the environment of the next block.',
  params: [],
  result: {
    type: 'object',
    properties: {
      currentBlockNumber: quantity.schema,
      currentBlockTimestamp: NUMBER,
      currentBlockHash: hash.schema,
      hardFork: text.schema,
      transactionOrder: text.schema,
      environment: {
        type: 'object',
        properties: { baseFee: quantity.schema, chainId: NUMBER, gasLimit: quantity.schema, gasPrice: quantity.schema },
      },
      forkConfig: { type: 'object' },
    },
  },
  cost: 2,
  handle(_, { context, development }) {
    const { config, view, tips } = context
    const { number, timestamp, blockHash } = newest(context)
    const { baseFeePerGas = 0n, gasLimit } = view.head.pending.block.header
    const fork = forkAt(config, number, timestamp)
    return {
      currentBlockNumber: toQuantity(number),
      currentBlockTimestamp: Number(timestamp),
      currentBlockHash: blockHash,
      hardFork: `${fork[0]!.toUpperCase()}${fork.slice(1)}`,
      transactionOrder: development.order,
      environment: {
        baseFee: toQuantity(baseFeePerGas),
        chainId: Number(config.chainId),
        gasLimit: toQuantity(gasLimit),
        gasPrice: toQuantity(baseFeePerGas + tips.suggest(view)),
      },
      forkConfig: {
        forkUrl: chainForkOf(context.node)?.status.upstream ?? null,
        forkBlockNumber: chainForkOf(context.node)?.status.number ?? null,
        forkRetryBackoff: null,
      },
    }
  },
})

export const anvil_metadata = defineDevelopmentMethod({
  name: 'anvil_metadata',
  effect: 'none',
  aliases: ['hardhat_metadata'],
  summary: 'Version, chain and newest block of the node; with its snapshots, unless Hardhat is reproduced.',
  params: [],
  result: {
    type: 'object',
    properties: {
      clientVersion: text.schema,
      chainId: NUMBER,
      instanceId: hash.schema,
      latestBlockNumber: NUMBER,
      latestBlockHash: hash.schema,
    },
    required: ['clientVersion', 'chainId', 'instanceId', 'latestBlockNumber', 'latestBlockHash'],
  },
  cost: 2,
  handle(_, { conventions, context, development }) {
    const { config, options } = context
    const { number, blockHash } = newest(context)
    const common = {
      clientVersion: options.clientVersion,
      chainId: Number(config.chainId),
      instanceId: development.instanceId,
      latestBlockNumber: number,
      latestBlockHash: blockHash,
    }
    const forked = forkedNetwork(context)
    if (!conventions.control.hasFullMetadata) return forked === null ? common : { ...common, forkedNetwork: forked }
    const snapshots = development.snapshots.list()
    return {
      ...common,
      clientSemver: options.version,
      clientCommitSha: '',
      forkedNetwork: forked,
      snapshots: Object.fromEntries(snapshots.map((taken) => [toQuantity(taken.id), [taken.number, taken.hash]])),
    }
  },
})

function forkedNetwork({ node }: WriteContext) {
  const fork = chainForkOf(node)
  if (fork === undefined) return null
  const { chainId, number, hash: forkBlockHash } = fork.status
  return { chainId: Number(chainId), forkBlockNumber: number, forkBlockHash }
}

function newest({ view }: ReadContext) {
  const { latest } = view.head.sealed
  const reference = { kind: 'number', number: latest } as const
  const { timestamp } = view.header(reference)!
  return { number: latest, timestamp, blockHash: view.blockHash(reference)! }
}

export const eth_pendingTransactions = defineMethod({
  name: 'eth_pendingTransactions',
  summary: 'The transactions of the pool, by sender and nonce.',
  params: [],
  development: DEVELOPMENT_ONLY,
  result: arrayOf(TRANSACTION_SCHEMA),
  cost: 100,
  async handle(_, context) {
    const { view, options, grown, yieldIfDue } = context
    const response = new PoolResponse({ maxBytes: options.maxPoolResponseBytes }, { encode: formatPooledTransaction })
    const texts: string[] = []
    for (const sender of view.pool.senders()) {
      if (response.bytes > 0) grown(response.bytes)
      await yieldIfDue()
      const { pending, queued } = splitPool(sender, context)
      for (const half of [pending, queued]) {
        texts.push(...Object.values(response.byNonce(half)).map((pooled) => JSON.stringify(pooled)))
      }
    }
    return encodedArray(texts)
  },
})

const NO_BLOB = orNull({ type: 'string' })

export const anvil_getBlobByHash = defineDevelopmentMethod({
  name: 'anvil_getBlobByHash',
  effect: 'none',
  aliases: ['anvil_getBlobByVersionedHash'],
  summary: 'A blob of a pooled transaction; null when it is in a block, since blocks hold none (EIP-4844).',
  params: [requiredParam('versionedHash', hash)],
  result: NO_BLOB,
  cost: 10,
  handle([versionedHash], { context }) {
    for (const [transaction, sidecar] of pooledSidecars(context)) {
      const index = transaction.blobVersionedHashes.indexOf(versionedHash)
      if (index >= 0) return bytesToHex(sidecar.blobs[index]!)
    }
    return null
  },
})

export const anvil_getBlobsByTransactionHash = defineDevelopmentMethod({
  name: 'anvil_getBlobsByTransactionHash',
  effect: 'none',
  summary: 'The blobs of a pooled transaction; null when it is in a block, since blocks hold none (EIP-4844).',
  params: [requiredParam('transactionHash', hash)],
  result: orNull(arrayOf({ type: 'string' })),
  cost: 10,
  handle([transactionHash], { context }) {
    for (const [transaction, sidecar] of pooledSidecars(context)) {
      if (transaction.hash === transactionHash) return sidecar.blobs.map(bytesToHex)
    }
    return null
  },
})

function* pooledSidecars({ view }: ReadContext) {
  for (const sender of view.pool.senders()) {
    for (const { transaction } of view.pool.bySender(sender)) {
      if (transaction.type === 3 && transaction.sidecar !== undefined) yield [transaction, transaction.sidecar] as const
    }
  }
}

export const eth_protocolVersion = defineMethod({
  name: 'eth_protocolVersion',
  summary: 'Always 1, as in Anvil: the node speaks no peer protocol.',
  params: [],
  development: DEVELOPMENT_ONLY,
  result: NUMBER,
  cost: 1,
  handle: () => 1,
})

export const eth_hashrate = defineMethod({
  name: 'eth_hashrate',
  summary: 'Always 0: there is no proof of work.',
  params: [],
  development: DEVELOPMENT_ONLY,
  result: quantity.schema,
  cost: 1,
  handle: () => '0x0',
})

export const eth_mining = defineMethod({
  name: 'eth_mining',
  summary: 'Always false: there is no proof of work.',
  params: [],
  development: DEVELOPMENT_ONLY,
  result: boolean.schema,
  cost: 1,
  handle: () => false,
})
