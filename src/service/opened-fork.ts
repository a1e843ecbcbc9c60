import type { Genesis } from '../chain/genesis/genesis.ts'
import type { ForkFlags } from '../flags/fork-flags.ts'
import { forkedGenesis } from '../flags/genesis/forked-genesis.ts'
import type { GenesisOptions } from '../flags/genesis/genesis-flags.ts'
import type { ChainFork } from '../fork/chain-fork.ts'
import { openFork } from '../fork/open-fork.ts'
import { systemClock } from '../node/core/clock.ts'

const MIB = 2 ** 20
/** Calls in one request to the upstream: what public nodes accept. */
const BATCH_SIZE = 100
const MAX_RESPONSE_BYTES = 256 * MIB

export interface OpenedFork {
  readonly fork: ChainFork
  readonly genesis: Genesis
  /** Parameters of the chain on another block. */
  readonly genesisOn: (fork: ChainFork) => Promise<Genesis>
}

/**
 * Opens the chain of the node that `--fork-url` names; `undefined` without it.
 *
 * @throws ForkError
 */
export async function openedFork(options: Partial<ForkFlags> & GenesisOptions): Promise<OpenedFork | undefined> {
  const { forkUrl } = options
  if (forkUrl === undefined) return undefined
  const flags = options as ForkFlags & GenesisOptions
  const fork = await openFork(
    {
      upstream: {
        urls: forkUrl.urls,
        headers: headersOf(flags.forkHeader),
        timeoutMs: flags.forkTimeoutMs,
        retries: flags.forkRetries,
        retryPolicy: { firstWaitMs: 200, longestWaitMs: 10_000, growth: 'exponential' },
        concurrency: flags.forkConcurrency,
        callsPerSecond: flags.forkRequestsPerSecond,
        batchSize: BATCH_SIZE,
        maxResponseBytes: MAX_RESPONSE_BYTES,
      },
      blockNumber: flags.forkBlockNumber ?? forkUrl.blockNumber,
      transactionHash: flags.forkTransactionHash,
      chainId: flags.forkChainId,
      isStrict: flags.forkVerify === 'strict',
      isOffline: flags.forkOffline,
      cachePath: flags.noForkCache ? undefined : flags.forkCachePath,
      maxCacheBytes: flags.maxForkCacheMib * MIB,
    },
    { fetch, clock: systemClock, now: Date.now, random: Math.random },
  )
  const genesisOn = (block: ChainFork) => forkedGenesis(options, block)
  return { fork, genesis: await genesisOn(fork), genesisOn }
}

function headersOf(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
}
