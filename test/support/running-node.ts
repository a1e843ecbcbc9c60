import { pino } from 'pino'
import type { NetworkUrls } from '../../src/cli/banner.ts'
import { serveNetwork } from '../../src/cli/network-server.ts'
import { MAIN_NETWORK, type StartOptions, TEST_NETWORK } from '../../src/cli/start-options.ts'

const DEFAULTS: StartOptions = {
  host: '127.0.0.1',
  port: 0,
  testnet: false,
  datadir: '',
  ephemeral: true,
  history: 'all',
  logsMaxRange: 0,
  logsMaxResults: 100_000,
  logsTimeout: 5_000,
  dialect: 'base',
  blockTime: 2_000,
  flashblockInterval: 200,
  timeBudget: 0.6,
  gasLimit: 400_000_000n,
  minBaseFee: 5_000_000n,
  elasticity: 5,
  denominator: 100,
  finalityDepth: 64,
  poolSize: 10_240,
  poolSenderSlots: 1_024,
  minimumTip: 0n,
  callWorkers: 0,
  allowedHosts: [],
  corsOrigins: [],
  logLevel: 'warn',
  json: false,
  jsonReady: false,
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
  return serveNetwork(all, { ...identity, port: all.port }, pino({ level: all.logLevel }, pino.destination(2)))
}
