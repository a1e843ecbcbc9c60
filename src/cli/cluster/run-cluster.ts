import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../node/core/clock.ts'
import type { ReplicatedLogDescription } from '../../node/log/replicated-log.ts'
import { ReplicatedLogError } from '../../node/log/replicated-log.ts'
import { CodedError } from '../../primitives/coded-error.ts'
import { ClusterClient, type ClusterState } from '../../replication/nats/cluster-client.ts'
import { reasonOf } from '../../replication/nats/nats-failure.ts'
import { natsName } from '../../replication/nats/nats-servers.ts'
import { failureLine } from '../terminal/terminal-text.ts'
import { clusterJson, clusterText } from './cluster-report.ts'

/** Milliseconds. */
const TIMING = { connectTimeoutMs: 5_000, requestTimeoutMs: 2_000, pingIntervalMs: 2_000 }
/** Milliseconds that a hand-over may take, of which the standby may spend most on catching up. */
const HAND_OVER_LIMIT_MS = 10_000
/** Milliseconds that the next leader may take until it builds blocks. */
const TAKE_OVER_LIMIT_MS = 10_000
const POLL_INTERVAL_MS = 50

export interface ClusterOptions {
  readonly nats: string
  /** Chain id; `undefined`: every chain. */
  readonly chain?: number
  readonly json: boolean
}

export interface TransferOptions extends ClusterOptions {
  /** Name of the next leader; `undefined`: any standby. */
  readonly to?: string
}

type ClusterErrorCode =
  | 'CHAIN_NOT_FOUND'
  /** `--chain` is required. */
  | 'SEVERAL_CHAINS'
  | 'NO_LEADER'
  | 'ALREADY_LEADER'
  /** The leader refuses the hand-over. */
  | 'REFUSED'
  /** The leader does not answer in time: another node may lead later. */
  | 'OUTCOME_UNKNOWN'
  /** The next leader has the lease, but does not build blocks in time. */
  | 'NOT_LEADING_YET'

/** Ends the command with exit code 1; the message is for the operator. */
class ClusterError extends CodedError<ClusterErrorCode> {}

/** `tickertape cluster status`. @returns the exit code */
export function showCluster(options: ClusterOptions): Promise<number> {
  return withCluster(options, async (client, chains) => {
    const states: ClusterState[] = []
    for (const chain of chains) states.push(await client.state(chain))
    const text = options.json ? `${JSON.stringify(states.map(clusterJson))}\n` : states.map(clusterText).join('\n')
    process.stdout.write(text)
    return states.every(({ nodes }) => nodes.some(({ role }) => role === 'leader')) ? 0 : 1
  })
}

/** `tickertape cluster transfer`. @returns the exit code */
export function transferLead(options: TransferOptions): Promise<number> {
  return withCluster(options, async (client, [chain, ...others]) => {
    if (others.length > 0) {
      throw new ClusterError('SEVERAL_CHAINS', 'the servers have several chains: name one with --chain')
    }
    const before = await client.nodes(chain!)
    const leader = before.find(({ role }) => role === 'leader')
    if (leader === undefined) throw new ClusterError('NO_LEADER', 'no node leads: see tickertape cluster status')
    if (leader.name === options.to) throw new ClusterError('ALREADY_LEADER', `${leader.name} leads already`)
    const begun = systemClock.monotonic()
    const result = await client
      .handOver(chain!, { leader, to: options.to, timeoutMs: HAND_OVER_LIMIT_MS })
      .catch((error: unknown) => {
        const waited = `${leader.name} did not answer in ${HAND_OVER_LIMIT_MS / 1_000} s (${reasonOf(error)})`
        throw new ClusterError('OUTCOME_UNKNOWN', `${waited}: the lead may still change; see tickertape cluster status`)
      })
    if (result.kind === 'refused') {
      throw new ClusterError('REFUSED', `${leader.name} did not hand over: ${result.message}`)
    }
    const { to, sequence } = result
    const epoch = await epochOf(to, client, chain!, before)
    const milliseconds = Math.round(systemClock.monotonic() - begun)
    const line = `${to} leads from record ${epoch} on; the last one of ${leader.name} is ${sequence}\n`
    process.stdout.write(
      options.json ? `${JSON.stringify({ from: leader.name, to, sequence, epoch, milliseconds })}\n` : line,
    )
    return 0
  })
}

/** The record with which a node that holds the lease began to lead. */
async function epochOf(
  name: string,
  client: ClusterClient,
  chain: ReplicatedLogDescription,
  before: readonly { readonly id: string }[],
): Promise<number> {
  const deadline = systemClock.monotonic() + TAKE_OVER_LIMIT_MS
  const known = new Set(before.map(({ id }) => id))
  while (systemClock.monotonic() < deadline) {
    const nodes = await client.nodes(chain)
    const next = nodes.find((node) => node.name === name && known.has(node.id) && node.role === 'leader')
    if (next?.epoch?.leader === name) return next.epoch.sequence
    await sleep(POLL_INTERVAL_MS)
  }
  const message = `${name} has the lease and does not lead yet: see its log and tickertape cluster status`
  throw new ClusterError('NOT_LEADING_YET', message)
}

async function withCluster(
  { nats, chain: id, json }: ClusterOptions,
  use: (client: ClusterClient, chains: readonly ReplicatedLogDescription[]) => Promise<number>,
): Promise<number> {
  let client: ClusterClient | undefined
  try {
    client = await ClusterClient.connect(nats, TIMING, { wall: systemClock.wall })
    const all = await client.chains()
    const chains = all.filter(({ chainId }) => id === undefined || chainId === BigInt(id))
    if (chains.length === 0) {
      const ids = all.map(({ chainId }) => chainId).join(', ') || 'none'
      const which = id === undefined ? 'a chain' : `chain ${id}`
      const message = `${natsName(nats)} has no records of ${which} (chains: ${ids}): start a node with --nats`
      throw new ClusterError('CHAIN_NOT_FOUND', message)
    }
    return await use(client, chains)
  } catch (error) {
    const isExplained = error instanceof ClusterError || error instanceof ReplicatedLogError
    const { code, message } = isExplained
      ? error
      : { code: 'NATS_FAILED', message: `${natsName(nats)} cannot be used: ${reasonOf(error)}` }
    process.stderr.write(failureLine(message))
    if (json) process.stdout.write(`${JSON.stringify({ error: { code, message } })}\n`)
    return 1
  } finally {
    await client?.close()
  }
}
