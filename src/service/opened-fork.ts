import { knownNetwork } from '../chain/networks/known-networks.ts'
import type { L1Attributes } from '../chain/system-transactions/l1-attributes.ts'
import { type L1Settings, NO_L1_FEES } from '../chain/system-transactions/simulated-l1.ts'
import type { ForkFlags } from '../flags/fork-flags.ts'
import { forkRules } from '../flags/genesis/fork-rules.ts'
import { forkedGenesis } from '../flags/genesis/forked-genesis.ts'
import type { GenesisOptions } from '../flags/genesis/genesis-flags.ts'
import type { ChainFork } from '../fork/chain-fork.ts'
import { openFork } from '../fork/open-fork.ts'
import { systemClock } from '../node/core/clock.ts'
import type { ForkedGenesis } from '../node/production/leader-snapshots.ts'

const MIB = 2 ** 20
/** Calls in one request to the upstream: what public nodes accept. */
const BATCH_SIZE = 100
const MAX_RESPONSE_BYTES = 256 * MIB

export interface OpenedFork extends ForkedGenesis {
  readonly fork: ChainFork
  /** Parameters of the chain on another block. */
  readonly genesisOn: (fork: ChainFork) => Promise<ForkedGenesis>
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
    { fetch, clock: systemClock, now: systemClock.wall, random: Math.random },
  )
  try {
    const genesisOn = async (block: ChainFork) => {
      const { point, reading } = block
      // Networks of Ethereum have no such attributes.
      const isLayer1 = knownNetwork(point.chainId)?.forkTimes !== undefined
      const l1 = isLayer1 ? undefined : await block.l1Attributes()
      const rules = forkRules(options, { chainId: point.chainId, header: reading.header, attributes: l1?.layout })
      const { name, reason, missing } = rules
      block.noteRules({ name, reason, ...(missing !== undefined && { missing }) })
      return { genesis: await forkedGenesis(options, block, rules), l1: l1SettingsOf(l1?.attributes) }
    }
    return { ...(await genesisOn(fork)), fork, genesisOn }
  } catch (error) {
    await fork.close()
    throw error
  }
}

/** Blocks above a fork block continue its values of layer 1; without values transactions pay no L1 fee. */
function l1SettingsOf(forked: L1Attributes | undefined): L1Settings {
  return forked === undefined ? NO_L1_FEES : { ...forked, forked }
}

function headersOf(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
}
