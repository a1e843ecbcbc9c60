import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { pino } from 'pino'
import { systemClock } from '../../node/core/clock.ts'
import { buildGenesis } from '../../node/core/genesis-chain.ts'
import { assertSameBeginning, differingSettings } from '../../node/following/source-rules.ts'
import { streamSettingsOf } from '../../node/roles/node-settings.ts'
import { ClusterClient } from '../../replication/nats/cluster-client.ts'
import { reasonOf } from '../../replication/nats/nats-failure.ts'
import { connectNats, natsName } from '../../replication/nats/nats-servers.ts'
import { findStream, refuseOtherChains } from '../../replication/nats/nats-stream.ts'
import { checkServers } from '../../replication/nats/server-checks.ts'
import { leaderSettingsOf } from '../../service/node-settings.ts'
import { type Examined, type ExaminedNetwork, type Finding, fault, faultsOf, warning } from './finding.ts'

const TIMING = { connectTimeoutMs: 5_000, requestTimeoutMs: 2_000, pingIntervalMs: 2_000 }
const SILENT = pino({ level: 'silent' })

type NatsOptions = Examined['options'] & { readonly nats: string }

/** The NATS servers, what they store of the chains, and the other nodes there. */
export async function checkNats({ options, networks }: Examined): Promise<readonly Finding[]> {
  const { nats } = options
  if (nats === undefined) return []
  const found = { ...options, nats }
  let connection: NatsConnection
  try {
    connection = await connectNats(nats, TIMING, false)
  } catch (error) {
    const reason = `${natsName(nats)} cannot be reached (${reasonOf(error)})`
    return [fault('NATS', `${reason}: start a NATS server with JetStream there, or look at --nats`)]
  }
  try {
    const servers = await checkServer(connection, found)
    const unusable = await faultsOf('NATS', () => jetstreamManager(connection, { timeout: TIMING.requestTimeoutMs }))
    if (unusable.length > 0) {
      const reason = `${natsName(nats)} has no JetStream (${unusable[0]!.message})`
      return [...servers, fault('NATS', `${reason}: start it with deploy/nats.conf`)]
    }
    const findings = [...servers]
    for (const network of networks) {
      const checked = checkChain(connection, found, network, networks)
      // The lease or the records may have no leader: what other checks found is of use then.
      findings.push(
        ...(await checked.catch((error: Error) => [
          fault('NATS', `${natsName(nats)} does not answer (${error.message}): look at the log of its servers`),
        ])),
      )
    }
    return findings
  } finally {
    await connection.close()
  }
}

async function checkServer(connection: NatsConnection, options: NatsOptions): Promise<readonly Finding[]> {
  const { nats, natsReplicas, natsMonitor: monitors, allowOldNats: allowsOldServers } = options
  const warnings: Finding[] = []
  const log = { warn: (_: object, message: string) => void warnings.push(warning('NATS', message)) }
  const checks = { allowsOldServers, monitors, servers: nats.split(',').length }
  const faults = await faultsOf('NATS', () => checkServers(connection, checks, log))
  const isCluster = connection.info?.cluster !== undefined
  const alone = `--nats-replicas ${natsReplicas} needs a cluster, and ${natsName(nats)} is a server alone`
  return [...faults, ...warnings, ...(natsReplicas > 1 && !isCluster ? [fault('NATS', `${alone}: give 1`)] : [])]
}

async function checkChain(
  connection: NatsConnection,
  options: NatsOptions,
  { genesis }: ExaminedNetwork,
  networks: readonly ExaminedNetwork[],
): Promise<readonly Finding[]> {
  const manager = await jetstreamManager(connection, { timeout: TIMING.requestTimeoutMs })
  const { config } = genesis
  const { block } = buildGenesis(genesis)
  const chain = { chainId: config.chainId, genesisHash: block.hash }
  if (options.failover && !options.newChain) {
    const own = networks.map((network) => buildGenesis(network.genesis).block.hash)
    const foreign = await faultsOf('chain', () => refuseOtherChains(manager, chain, own))
    if (foreign.length > 0) return foreign
  }
  const findings: Finding[] = []
  const stream = await findStream(manager, chain).catch((error: Error) => {
    findings.push(fault('chain', error.message))
    return undefined
  })
  if (stream === undefined) return findings
  const { settings } = stream.description
  const own = streamSettingsOf(leaderSettingsOf(options, config, SILENT), config)
  const rules = await faultsOf('chain', () => assertSameBeginning(settings, config, block.header))
  const names = differingSettings(own, settings).join(', ')
  if (rules.length === 0 && names !== '') {
    findings.push(
      warning('chain', `the other nodes of this chain have other settings (${names}): give all the same flags`),
    )
  }
  return [...findings, ...rules, ...(options.failover ? await checkNodes(options, stream.description) : [])]
}

async function checkNodes(
  { nats, nodeName, leaseTtlMs, maxClockJumpMs }: NatsOptions,
  chain: Parameters<ClusterClient['state']>[0],
): Promise<readonly Finding[]> {
  const client = await ClusterClient.connect(nats, TIMING, { wall: systemClock.wall })
  try {
    const { lease, nodes } = await client.state(chain)
    const offsetMs = await client.clockOffsetMs(chain)
    const findings: Finding[] = []
    if (nodes.some(({ name }) => name === nodeName)) {
      findings.push(fault('node name', `a node named ${nodeName} runs already: give each its own --node-name`))
    }
    if (lease?.holder !== undefined && lease.leaseTtlMs !== leaseTtlMs) {
      const reason = `--lease-ttl-ms is ${leaseTtlMs} here and ${lease.leaseTtlMs} at the leader (${lease.holder})`
      findings.push(fault('lease', `${reason}: give all nodes the same`))
    }
    if (Math.abs(offsetMs) > maxClockJumpMs) {
      const reason = `the clock here differs by ${Math.round(Math.abs(offsetMs))} ms from that of the NATS servers`
      findings.push(
        fault('clock', `${reason}, more than --max-clock-jump-ms: this node would not lead; correct it (NTP)`),
      )
    }
    for (const { name, clockOffsetMs } of nodes) {
      if (Math.abs(clockOffsetMs) <= maxClockJumpMs) continue
      findings.push(
        warning('clock', `the clock of ${name} differs by ${clockOffsetMs} ms from that of the NATS servers`),
      )
    }
    return findings
  } finally {
    await client.close()
  }
}
