import { once } from 'node:events'
import { existsSync, rmdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { buildGenesis } from '../../node/core/genesis-chain.ts'
import { isPublic } from '../../service/exposure.ts'
import { exposureOf } from '../../service/open-network.ts'
import { LOCK_NAME, makeDirectory, openStoppedDatabase } from '../../state/chain-store/open-chain-database.ts'
import { lockDirectory } from '../../storage/directory-lock.ts'
import { listenFailure } from '../process/listen-failure.ts'
import { type Examined, type ExaminedNetwork, type Finding, fault, faultsOf, warning } from './finding.ts'

const SILENT = pino({ level: 'silent' })

/** Everything that a start needs besides NATS: access, ports, files and the data directory. */
export async function checkNode({ options, networks }: Examined): Promise<readonly Finding[]> {
  const findings: Finding[] = [...(await checkRegistry(options.stocksRegistry))]
  for (const network of networks) {
    findings.push(...(await faultsOf('access', () => exposureOf(options, network.genesis))))
    findings.push(...(await checkPorts(options.host, network, options.metricsHost)))
    if (!options.ephemeral) findings.push(...(await checkDirectory(join(options.datadir, network.name), network)))
  }
  return [...findings, ...checkMethods(options)]
}

async function checkRegistry(path: string | undefined): Promise<readonly Finding[]> {
  if (path === undefined) return []
  const { RegistryFile } = await import('../../service/serving/registry-file.ts')
  return faultsOf('stock registry', () => new RegistryFile({ path }, { log: SILENT }))
}

function checkMethods(options: Examined['options']): readonly Finding[] {
  const { exposeDev, exposeDebug, exposeMetrics, exposeVerify } = options
  if (!isPublic(options)) return []
  const findings: Finding[] = []
  if (exposeDev)
    findings.push(warning('exposed methods', '--expose-dev: every client can change time, balances and blocks'))
  if (exposeDebug) findings.push(warning('exposed methods', '--expose-debug: every client can trace and unwind blocks'))
  if (exposeMetrics) {
    findings.push(warning('exposed methods', '--expose-metrics: every client can read them; use --metrics-port'))
  }
  if (exposeVerify) findings.push(warning('exposed methods', '--expose-verify: every client can make the node compile'))
  return findings
}

async function checkPorts(
  host: string,
  { port, metricsPort }: ExaminedNetwork,
  metricsHost: string,
): Promise<readonly Finding[]> {
  const own = await checkPort({ host, port }, '--port or --testnet-port')
  if (metricsPort === undefined) return own
  return [...own, ...(await checkPort({ host: metricsHost, port: metricsPort }, '--metrics-port'))]
}

async function checkPort(address: { host: string; port: number }, flags: string): Promise<readonly Finding[]> {
  const server = createServer().listen(address)
  try {
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
    return []
  } catch (error) {
    return [fault('ports', (await listenFailure(error as Error, address, flags)) ?? String(error))]
  }
}

/** Creates a directory and removes it again, with its parents that were missing. */
async function tryDirectory(path: string): Promise<void> {
  const missing = [path]
  while (!existsSync(dirname(missing.at(-1)!))) missing.push(dirname(missing.at(-1)!))
  await makeDirectory(path)
  try {
    for (const made of missing) rmdirSync(made)
  } catch {
    // A node that starts at the same time has begun to use it.
  }
}

/** A directory that another process uses, or that a node could not open. */
async function checkDirectory(path: string, { genesis }: ExaminedNetwork): Promise<readonly Finding[]> {
  if (!existsSync(path)) return faultsOf('data directory', () => tryDirectory(path))
  return faultsOf('data directory', async () => {
    const lock = await lockDirectory(path, LOCK_NAME)
    try {
      const identity = { chainId: genesis.config.chainId, genesisHash: buildGenesis(genesis).block.hash }
      const database = existsSync(join(path, 'data.mdb')) ? await openStoppedDatabase({ path, identity }) : undefined
      await database?.close()
    } finally {
      await lock.release()
    }
  })
}
