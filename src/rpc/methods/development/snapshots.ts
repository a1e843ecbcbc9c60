import type { ReforkRefusal, ReplayRefusal, RollbackRefusal } from '../../../node/development/snapshots.ts'
import { chainForkOf, type ServedSolo } from '../../../node/roles/node-handle.ts'
import { toQuantity } from '../../../primitives/quantity.ts'
import { reorgTransactions } from '../../codecs/development/reorg-transactions.ts'
import { type ResetOptions, resetOptions } from '../../codecs/development/state-values.ts'
import { flexibleNumber, quantity } from '../../codecs/quantity.ts'
import type { NodeConventions } from '../../compat/node-conventions.ts'
import { RPC_CODES, RpcError } from '../../protocol/errors.ts'
import type { Json } from '../../protocol/json.ts'
import { recordThenRemove } from '../../queries/reports/recorded-reports.ts'
import { type DevelopmentCall, defineDevelopmentMethod, SETTER_RESULT } from '../../registry/development-method.ts'
import { defaultedParam, optionalParam, requiredParam } from '../../registry/method.ts'
import { reorganize } from '../../sending/reorganize.ts'

export const evm_snapshot = defineDevelopmentMethod({
  name: 'evm_snapshot',
  aliases: ['anvil_snapshot'],
  summary: 'Takes a snapshot to which evm_revert can return. An open block with transactions is sealed first.',
  params: [],
  result: quantity.schema,
  cost: 20,
  async handle(_, { conventions, development }) {
    const taken = await development.snapshots.take()
    if (typeof taken === 'number') return toQuantity(conventions.control.firstSnapshotId + taken)
    const message = `there are ${taken.limit} snapshots: revert to an earlier one to discard those since, or restart`
    throw new RpcError(RPC_CODES.server, message)
  },
})

export const evm_revert = defineDevelopmentMethod({
  name: 'evm_revert',
  aliases: ['anvil_revert'],
  summary: 'Returns to a snapshot and discards it and later ones; false if there is none with this id.',
  params: [requiredParam('id', flexibleNumber)],
  result: { type: 'boolean' },
  cost: 100,
  async handle([id], { conventions, context, development }) {
    const { firstSnapshotId, snapshotScope } = conventions.control
    const reverted = await recordThenRemove(context, () =>
      development.snapshots.revert(id - firstSnapshotId, snapshotScope),
    )
    if (typeof reverted === 'object') throw rollbackError(reverted, 'Rollback', conventions)
    return reverted
  },
})

export const anvil_rollback = defineDevelopmentMethod({
  name: 'anvil_rollback',
  summary: 'Removes the newest sealed blocks with their transactions; time continues from the block below.',
  params: [defaultedParam('depth', flexibleNumber, 1)],
  result: SETTER_RESULT,
  cost: 100,
  async handle([depth], { conventions, context, development }) {
    const refused = await recordThenRemove(context, () => development.snapshots.rollback(depth))
    if (refused !== undefined) throw rollbackError(refused, 'Rollback', conventions)
    return conventions.control.setterResult
  },
})

export const anvil_reorg = defineDevelopmentMethod({
  name: 'anvil_reorg',
  summary: 'Replaces the newest blocks by as many others with the given transactions: pairs with an index from 0.',
  params: [requiredParam('depth', flexibleNumber), defaultedParam('transactions', reorgTransactions, [])],
  result: SETTER_RESULT,
  cost: 500,
  async handle([depth, transactions], call) {
    const beyond = transactions.find(({ block }) => block >= depth)
    if (beyond !== undefined) throw blockBeyondReorg(beyond.block, depth, call.conventions)
    const refused = await recordThenRemove(call.context, () => reorganize(depth, transactions, call))
    if (refused !== undefined) throw rollbackError(refused, 'Reorg', call.conventions)
    return call.conventions.control.setterResult
  },
})

export const anvil_reset = defineDevelopmentMethod({
  name: 'anvil_reset',
  aliases: ['hardhat_reset'],
  summary:
    'Returns to genesis or the fork block, or to another fork block; empties the pool and discards all snapshots.',
  params: [optionalParam('options', resetOptions)],
  result: SETTER_RESULT,
  cost: 500,
  async handle([options], { conventions, context, development }) {
    const fork = chainForkOf(context.node)
    if (fork === undefined) assertNoFork(options, conventions)
    const change = fork && forkChange(options, fork.status.number)
    if (change?.kind === 'block') {
      const opened = await fork!.openAt(change)
      await recordThenRemove(context, () => resetOnto(opened, { conventions, development }))
      return conventions.control.setterResult
    }
    if (change?.kind === 'urls') await fork!.setUrls(change.urls)
    const refused = await recordThenRemove(context, () =>
      development.snapshots.reset(conventions.control.snapshotScope),
    )
    if (refused?.code === 'REPLAY_REFUSED') throw replayError(refused)
    if (refused !== undefined) throw rollbackError(refused, 'Rollback', conventions)
    return conventions.control.setterResult
  },
})

type OpenedFork = Awaited<ReturnType<NonNullable<ServedSolo['fork']>['openAt']>>

/** Changes to a fork that the options of a reset request. */
type ForkReset =
  | { readonly kind: 'urls'; readonly urls: readonly string[] }
  | { readonly kind: 'block'; readonly urls: readonly string[] | undefined; readonly blockNumber: number | undefined }

/** `undefined`: nothing. A URL without a block means the newest block, as with Anvil and Hardhat. */
function forkChange(options: ResetOptions | undefined, current: number): ForkReset | undefined {
  // viem sends null for what the caller does not name.
  const url = options?.forking?.jsonRpcUrl ?? undefined
  const block = options?.forking?.blockNumber ?? undefined
  const blockNumber = block === undefined ? undefined : blockNumberIn(block)
  if (url !== undefined && (typeof url !== 'string' || !/^https?:/.test(url) || !URL.canParse(url))) {
    throw new RpcError(RPC_CODES.invalidParams, 'forking.jsonRpcUrl is not a URL that begins with http:// or https://')
  }
  const urls = url === undefined ? undefined : [url]
  if (blockNumber === current) return urls && { kind: 'urls', urls }
  return urls === undefined && blockNumber === undefined ? undefined : { kind: 'block', urls, blockNumber }
}

function blockNumberIn(block: unknown): number {
  try {
    return flexibleNumber.decode(block as Json)
  } catch (error) {
    throw new RpcError(RPC_CODES.invalidParams, `forking.blockNumber: ${(error as Error).message}`)
  }
}

/** @param fork is closed if the node does not begin on it */
async function resetOnto(
  fork: OpenedFork,
  { conventions, development }: Pick<DevelopmentCall, 'conventions' | 'development'>,
): Promise<void> {
  let refused: ReforkRefusal | undefined
  try {
    refused = await development.snapshots.resetOnto(fork, conventions.control.snapshotScope)
  } catch (error) {
    await fork.close()
    throw error
  }
  if (refused === undefined) return
  await fork.close()
  const { number } = fork.point
  throw new RpcError(
    RPC_CODES.server,
    refused.code === 'DIRECTORY_KEPT'
      ? `the data directory of this node belongs to its fork block: start it without --datadir to reset to block ${number}`
      : `block ${number} has another hardfork or other fee parameters than this node: start a node with --fork-block-number ${number}`,
  )
}

function replayError({ hash, error }: ReplayRefusal): unknown {
  if (error instanceof Error) return error
  const message =
    `the chain was reset to the fork block without the transactions of --fork-transaction-hash: ${hash} cannot be ` +
    `executed (${error.code})`
  return new RpcError(RPC_CODES.server, message)
}

/** Without a URL Hardhat resets to its configuration, Anvil refuses. */
function assertNoFork(options: ResetOptions | undefined, conventions: NodeConventions): void {
  if ((options?.forking?.jsonRpcUrl ?? null) !== null) {
    throw new RpcError(RPC_CODES.invalidParams, 'this node does not fork other chains: start it with --fork-url')
  }
  if (!conventions.control.resetNeedsUrl && (options?.forking?.blockNumber ?? null) !== null) {
    throw new RpcError(
      RPC_CODES.invalidParams,
      'forking.blockNumber needs forking.jsonRpcUrl, and this node does not fork',
    )
  }
  if (options === undefined || !conventions.control.resetNeedsUrl) return
  throw new RpcError(RPC_CODES.invalidParams, 'Forking not enabled and RPC URL not provided to start forking')
}

function rollbackError(refused: RollbackRefusal, what: 'Rollback' | 'Reorg', conventions: NodeConventions): RpcError {
  if (refused.code === 'STATE_PRUNED') {
    const message = `the state of block ${refused.number} is pruned: the oldest is that of block ${refused.oldest}`
    return conventions.refusal({ anvil: [RPC_CODES.internal, message], hardhat: [RPC_CODES.internal, message] })
  }
  if (refused.code === 'BELOW_FORK') {
    const message =
      `block ${refused.number} is below the fork block ${refused.fork}: to begin there, use anvil_reset with ` +
      'forking.blockNumber'
    return conventions.refusal({
      anvil: [RPC_CODES.invalidParams, message],
      hardhat: [RPC_CODES.invalidParams, message],
    })
  }
  const { latest, depth } = refused
  const message = `${what} depth must not exceed current chain height: current height ${latest}, depth ${depth}`
  return conventions.refusal({ anvil: [RPC_CODES.invalidParams, message], hardhat: [RPC_CODES.invalidParams, message] })
}

function blockBeyondReorg(block: number, depth: number, conventions: NodeConventions): RpcError {
  const message =
    'Block number for reorg tx will exceed the reorged chain height. ' +
    `Block number ${block} must not exceed (depth-1) ${depth - 1}`
  return conventions.refusal({ anvil: [RPC_CODES.invalidParams, message], hardhat: [RPC_CODES.invalidParams, message] })
}
