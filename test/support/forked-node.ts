import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { NO_L1_FEES } from '../../src/chain/system-transactions/simulated-l1.ts'
import { createAddress } from '../../src/chain/transaction/contract-address.ts'
import { fallbacksOf } from '../../src/flags/flag.ts'
import { forkedGenesis } from '../../src/flags/genesis/forked-genesis.ts'
import { START_FLAGS } from '../../src/flags/start-flags.ts'
import type { ChainFork } from '../../src/fork/chain-fork.ts'
import type { ForkOptions } from '../../src/fork/open-fork.ts'
import { openFork } from '../../src/fork/open-fork.ts'
import type { ForkUpstreamOptions } from '../../src/fork/upstream/fork-upstream.ts'
import { systemClock } from '../../src/node/core/clock.ts'
import { hexToBytes } from '../../src/primitives/hex.ts'
import { send } from './chain-directory.ts'
import { COUNTER_RUNTIME, FIVE_LOGS_INIT, initCode, LOGGER_RUNTIME, word } from './contracts.ts'
import { type ManualNode, startManualNode } from './manual-node.ts'
import { type RpcNode, startRpcNode } from './rpc-node.ts'
import { startRpcServer } from './rpc-server.ts'
import { startUnreliableUpstream, type UnreliableUpstream } from './unreliable-upstream.ts'

export const COUNTER = createAddress(DEVELOPMENT_ACCOUNTS[0]!.address, 0n)
export const LOGGER = createAddress(DEVELOPMENT_ACCOUNTS[0]!.address, 1n)
const GAS = 300_000n

export interface ForkedNode {
  readonly node: RpcNode
  /** The node itself. */
  readonly url: string
  /** The address to fork from; fails in any way. */
  readonly proxy: UnreliableUpstream
  /** Methods that the upstream does not offer. */
  without: ReadonlySet<string>
  /** Longest range of `eth_getLogs`. */
  maxLogBlocks: number
  close(): Promise<void>
}

/**
 * A real node over HTTP: sealed blocks with transfers, creations, storage and logs, six by default. With another
 * number, block 1 also has a transfer of account 8.
 */
export async function startForkedNode({ rounds = 5 } = {}): Promise<ForkedNode> {
  const node = await startRpcNode()
  if (rounds !== 5) await send(node, { from: 8, nonce: 0n })
  await send(
    node,
    { nonce: 0n, to: null, value: 0n, data: initCode(COUNTER_RUNTIME), gasLimit: GAS },
    { nonce: 1n, to: null, value: 0n, data: initCode(LOGGER_RUNTIME), gasLimit: GAS },
    { from: 1, nonce: 0n, to: null, value: 0n, data: FIVE_LOGS_INIT, gasLimit: GAS },
  )
  await node.nextBlock()
  for (let from = 2; from < 2 + rounds; from++) {
    await send(
      node,
      { from, nonce: 0n, to: COUNTER, value: 0n, gasLimit: GAS },
      { from, nonce: 1n, gasLimit: 21_000n },
      { from, nonce: 2n, to: LOGGER, value: 0n, gasLimit: GAS, data: hexToBytes(word(from)) },
    )
    await node.nextBlock()
  }
  await node.node.idle()
  const server = await startRpcServer(async (body) => handle(body))
  const proxy = await startUnreliableUpstream(server.url)
  const forked: ForkedNode = {
    node,
    url: server.url,
    proxy,
    without: new Set(),
    maxLogBlocks: 10_000,
    async close() {
      await proxy.close()
      await server.close()
      await node.stop()
    },
  }
  return forked

  async function handle(body: string): Promise<string | undefined> {
    const text = body.replace(/"method":"([^"]+)"/g, (member, name: string) =>
      forked.without.has(name) ? '"method":"no_such"' : member,
    )
    const [, from, to] = /"eth_getLogs".*?"fromBlock":"(\w+)","toBlock":"(\w+)"/.exec(text) ?? []
    if (from !== undefined && Number(to) - Number(from) >= forked.maxLogBlocks) {
      const error = { code: -32602, message: `query exceeds max block range ${forked.maxLogBlocks}` }
      return JSON.stringify([{ jsonrpc: '2.0', id: 0, error }])
    }
    return node.rpc.handle(text)
  }
}

/** A node on a manual clock whose chain begins on the fork block. */
export async function startNodeOn(
  fork: ChainFork,
  options: Omit<NonNullable<Parameters<typeof startManualNode>[0]>, 'fork' | 'genesis'> = {},
): Promise<ManualNode> {
  const genesisOn = async (block: ChainFork) => ({
    genesis: await forkedGenesis(fallbacksOf(START_FLAGS), block),
    l1: NO_L1_FEES,
  })
  const { genesis } = await genesisOn(fork)
  return startManualNode({ genesis, forkedGenesis: genesisOn, ...options, fork })
}

/** Limits of a client of tests, with short pauses between retries. */
export const TEST_CLIENT: Omit<ForkUpstreamOptions, 'urls'> = {
  timeoutMs: 5_000,
  retries: 2,
  retryPolicy: { firstWaitMs: 1, longestWaitMs: 5, growth: 'linear' },
  concurrency: 8,
  batchSize: 100,
  maxResponseBytes: 10_000_000,
}

/** A fork with the client of tests. */
export function openTestFork(
  url: string,
  options: Partial<Omit<ForkOptions, 'upstream'>> = {},
  client: Partial<ForkUpstreamOptions> = {},
): Promise<ChainFork> {
  return openFork(
    { isOffline: false, maxCacheBytes: 64 * 2 ** 20, ...options, upstream: { ...TEST_CLIENT, urls: [url], ...client } },
    { fetch, clock: systemClock, now: Date.now, random: () => 0 },
  )
}
