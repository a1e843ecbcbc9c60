import { pino } from 'pino'
import { fallbacksOf } from '../../src/flags/flag.ts'
import { MAIN_NETWORK, TEST_NETWORK } from '../../src/flags/network-flags.ts'
import { START_FLAGS, type StartOptions } from '../../src/flags/start-flags.ts'
import type { NetworkUrls } from '../../src/service/roles/network-node.ts'
import { serveNetwork } from '../../src/service/roles/network-server.ts'

const DEFAULTS: StartOptions = {
  ...fallbacksOf(START_FLAGS),
  port: 0,
  ephemeral: true,
  maxLogs: 100_000,
  callWorkers: 0,
  quiet: true,
}

export interface RunningNode {
  readonly urls: NetworkUrls
  close(): Promise<void>
}

/**
 * A node as `npm start` runs it, in this process, on a free port and on the real clock.
 *
 * @param network which of the two networks; the main one by default
 */
export function startNode(
  options: Partial<StartOptions> = {},
  network: 'main' | 'test' = 'main',
): Promise<RunningNode> {
  const all = { ...DEFAULTS, ...options }
  const identity = network === 'main' ? MAIN_NETWORK : TEST_NETWORK
  return serveNetwork(all, { ...identity, port: all.port }, { log: pino({ level: all.logLevel }, pino.destination(2)) })
}
