import { type Hash, ZERO_ADDRESS } from '../primitives/hex.ts'
import { toQuantity } from '../primitives/quantity.ts'
import { MemoryCache } from '../storage/byte-cache.ts'
import { CacheDirectory, type CachePlace } from './cache/cache-directory.ts'
import { ForkCache } from './cache/fork-cache.ts'
import { CHAINS_WITH_OWN_HASHES, ForeignData } from './chain/foreign-data.ts'
import { isNotOffered } from './chain/forked-chain.ts'
import { readHeaderReply } from './chain/header-reading.ts'
import { readTransactionReply } from './chain/transaction-reading.ts'
import { assertChain, ChainFork, type ForkChange } from './chain-fork.ts'
import { ForkError } from './source/fork-error.ts'
import type { ForkPoint, ReplayedBlock, StateAccess } from './source/fork-point.ts'
import { invalid, quantityValue, ReplyObject } from './source/reply-fields.ts'
import { provenReading } from './state/account-reads.ts'
import { ForkUpstream, type ForkUpstreamDeps, type ForkUpstreamOptions } from './upstream/fork-upstream.ts'

export interface ForkOptions {
  readonly upstream: ForkUpstreamOptions
  /** Negative: so many blocks before the newest one, which is the default. */
  readonly blockNumber?: number | undefined
  /** Forks after this transaction: on the block before its own, with the transactions up to it in `replayed`. */
  readonly transactionHash?: Hash | undefined
  /** Default: what the upstream says. */
  readonly chainId?: bigint | undefined
  /** Refuses blocks, transactions and receipts that nothing this node knows verifies. Default: shows them as given. */
  readonly isStrict?: boolean | undefined
  /** Serves from the cache only. */
  readonly isOffline: boolean
  /** Directory of the caches; `undefined`: this process caches in memory. */
  readonly cachePath?: string | undefined
  readonly maxCacheBytes: number
}

/** Blocks of this depth count as final: whether the fork block was replaced is not checked again. */
const FINAL_DEPTH = 128

/**
 * Opens the chain of an upstream as of one block.
 *
 * @throws ForkError when the upstream, or with `isOffline` the cache, cannot serve it
 */
export async function openFork(options: ForkOptions, deps: ForkUpstreamDeps): Promise<ChainFork> {
  if (options.isOffline) return openOffline(options, deps)
  const upstream = new ForkUpstream(options.upstream, deps)
  try {
    return await openAtUpstream(options, { ...deps, upstream })
  } catch (error) {
    upstream.close()
    throw error
  }
}

async function openAtUpstream(
  options: ForkOptions,
  deps: ForkUpstreamDeps & { readonly upstream: ForkUpstream },
): Promise<ChainFork> {
  const { upstream } = deps
  const [chainId, head] = await Promise.all([chainIdOf(options, upstream), headOf(upstream)])
  const { number, replayed } = await targetOf(options, { chainId, head, upstream })
  const block = await upstream.call('eth_getBlockByNumber', [toQuantity(number), false])
  if (block === null) throw missingBlock(number, head, upstream)
  const data = foreignDataOf(options, chainId)
  const reading = readHeaderReply(new ReplyObject(block, `block ${number}`), data)
  const point = { chainId, number, hash: reading.hash, stateRoot: reading.header.stateRoot }
  const cache = await openCache(options, point)
  try {
    const probed = await accessIn(cache, point, upstream)
    cache.putSetting('access', probed)
    const { access } = probed
    cache.putSetting('point', { chainId: toQuantity(chainId), block })
    cache.putReply('eth_getBlockByNumber', [toQuantity(number), false], block)
    const isFinal = head - number >= FINAL_DEPTH
    return new ChainFork(
      { point, reading, access, isFinal, replayed, upstream: options.upstream, openAt: openingAt(options, deps) },
      { ...deps, cache, data },
    )
  } catch (error) {
    await cache.close()
    throw error
  }
}

async function openOffline(options: ForkOptions, deps: ForkUpstreamDeps): Promise<ChainFork> {
  const { blockNumber, cachePath, chainId, maxCacheBytes } = options
  if (blockNumber === undefined || blockNumber < 0 || cachePath === undefined) {
    throw new ForkError('FORK_OFFLINE', '--fork-offline needs --fork-block-number with a height, and the cache')
  }
  const directory = new CacheDirectory({ path: cachePath, maxBytes: maxCacheBytes })
  const cache = await directory.openStored(chainId, blockNumber)
  const stored = cache?.setting('point')
  if (cache === undefined || stored === undefined) {
    await cache?.close()
    throw new ForkError(
      'FORK_OFFLINE',
      `there is no cache of block ${blockNumber} in ${cachePath}: run once without --fork-offline`,
    )
  }
  const settings = new ReplyObject(stored, 'the cache of the fork')
  const storedId = settings.quantity('chainId')
  const data = foreignDataOf(options, storedId)
  const reading = readHeaderReply(new ReplyObject(settings.raw('block'), `block ${blockNumber}`), data)
  const point = {
    chainId: storedId,
    number: blockNumber,
    hash: reading.hash,
    stateRoot: reading.header.stateRoot,
  }
  const { access } = cache.setting('access') as ProbedAccess
  const openAt = openingAt(options, deps)
  const fixed = { isFinal: true, replayed: undefined, upstream: options.upstream, openAt }
  return new ChainFork({ point, reading, access, ...fixed }, { ...deps, cache, data, upstream: undefined })
}

function foreignDataOf({ isStrict = false }: ForkOptions, chainId: bigint): ForeignData {
  return new ForeignData({ isStrict, hasEthereumHashes: !CHAINS_WITH_OWN_HASHES.has(chainId) })
}

/** Opens the chain as of another block with the same options. */
function openingAt(options: ForkOptions, deps: ForkUpstreamDeps): (change: ForkChange) => Promise<ChainFork> {
  const { upstream } = options
  return ({ urls = upstream.urls, blockNumber }) =>
    openFork({ ...options, upstream: { ...upstream, urls }, blockNumber, transactionHash: undefined }, deps)
}

async function openCache({ cachePath, maxCacheBytes }: ForkOptions, place: CachePlace): Promise<ForkCache> {
  if (cachePath === undefined) return new ForkCache(new MemoryCache({ maxBytes: maxCacheBytes }))
  return new CacheDirectory({ path: cachePath, maxBytes: maxCacheBytes }).open(place)
}

async function chainIdOf({ chainId }: ForkOptions, upstream: ForkUpstream): Promise<bigint> {
  if (chainId !== undefined) return chainId
  const [first, ...others] = (await upstream.callEach('eth_chainId', [])).map((id) => quantityValue(id, 'eth_chainId'))
  for (const other of others) assertChain(other, first!)
  return first!
}

async function headOf(upstream: ForkUpstream): Promise<number> {
  return Number(quantityValue(await upstream.call('eth_blockNumber', []), 'eth_blockNumber'))
}

interface Target {
  readonly number: number
  readonly replayed: ReplayedBlock | undefined
}

interface TargetFacts {
  readonly chainId: bigint
  readonly head: number
  readonly upstream: ForkUpstream
}

async function targetOf(options: ForkOptions, { chainId, head, upstream }: TargetFacts): Promise<Target> {
  const { blockNumber, transactionHash } = options
  if (transactionHash !== undefined) return targetBefore(transactionHash, foreignDataOf(options, chainId), upstream)
  const number = blockNumber === undefined ? head : blockNumber < 0 ? head + blockNumber : blockNumber
  if (number < 0 || number > head) throw missingBlock(number, head, upstream)
  return { number, replayed: undefined }
}

async function targetBefore(hash: Hash, data: ForeignData, upstream: ForkUpstream): Promise<Target> {
  const result = await upstream.call('eth_getTransactionByHash', [hash])
  const found = result === null ? undefined : new ReplyObject(result, `transaction ${hash}`)
  if (found?.has('blockNumber') !== true) {
    throw new ForkError(
      'FORK_BLOCK_MISSING',
      `${upstream.name} has no block with the transaction ${hash}: check --fork-transaction-hash`,
    )
  }
  const number = found.number('blockNumber')
  const block = new ReplyObject(
    await upstream.call('eth_getBlockByNumber', [toQuantity(number), true]),
    `block ${number}`,
  )
  const replies = block.objects('transactions')
  const end = replies.findIndex((reply) => reply.hash('hash') === hash)
  if (end === -1) throw invalid(`block ${number}`, `it lacks its transaction ${hash}`)
  const transactions = replies.slice(0, end + 1).map(readTransactionReply)
  const blob = transactions.find(({ type }) => type === 3)
  if (blob !== undefined) {
    throw new ForkError(
      'FORK_DATA_UNKNOWN',
      `block ${number} has the blob transaction ${blob.hash} at or before ${hash}, which is not executed again: begin on the whole block instead, with --fork-block-number ${number}`,
    )
  }
  return { number: number - 1, replayed: { header: readHeaderReply(block, data).header, transactions } }
}

function missingBlock(number: number, head: number, upstream: ForkUpstream): ForkError {
  return new ForkError(
    'FORK_BLOCK_MISSING',
    `${upstream.name} has no block ${number}, its newest one is ${head}: choose another --fork-block-number`,
  )
}

interface ProbedAccess {
  readonly access: StateAccess
  /** A probe failed without a definite answer: a later start probes again. */
  readonly isProvisional: boolean
}

/** How state is read, as an earlier start found it, or by asking the upstream. */
async function accessIn(cache: ForkCache, point: ForkPoint, upstream: ForkUpstream): Promise<ProbedAccess> {
  const found = cache.setting('access') as ProbedAccess | undefined
  return found === undefined || found.isProvisional ? accessOf(point, upstream) : found
}

/** The best way of reading state that the upstream offers at the fork block. */
async function accessOf(point: ForkPoint, upstream: ForkUpstream): Promise<ProbedAccess> {
  const tag = toQuantity(point.number)
  const [proven, info] = await Promise.all([
    offered(upstream.call('eth_getProof', [ZERO_ADDRESS, [], tag])),
    offered(upstream.call('eth_getAccountInfo', [ZERO_ADDRESS, tag])),
    // Every node has this method: an error says that the state of the block is gone.
    upstream.call('eth_getBalance', [ZERO_ADDRESS, tag]),
  ])
  if (isProof(proven.result, point)) return { access: 'proofs', isProvisional: false }
  const isProvisional = proven.isProvisional || info.isProvisional
  return { access: info.result === undefined ? 'values' : 'accountInfo', isProvisional }
}

interface Probe {
  readonly result: unknown
  readonly isProvisional: boolean
}

async function offered(work: Promise<unknown>): Promise<Probe> {
  try {
    return { result: await work, isProvisional: false }
  } catch (error) {
    if (!(error instanceof ForkError)) throw error
    // Nodes prove fewer blocks than they have the state of.
    if (isNotOffered(error) || error.code === 'FORK_STATE_PRUNED') return { result: undefined, isProvisional: false }
    // Proxies refuse methods so, but also fail so.
    if (error.code === 'FORK_HTTP_STATUS') return { result: undefined, isProvisional: true }
    throw error
  }
}

/** Chains with another kind of state trie answer with proofs that lead elsewhere. */
function isProof(reply: unknown, { stateRoot }: ForkPoint): boolean {
  try {
    provenReading(reply, { address: ZERO_ADDRESS, slots: [], stateRoot })
    return true
  } catch {
    return false
  }
}
