/** Flags of `tickertape start`, read and within their bounds. */
export interface StartOptions {
  readonly host: string
  readonly port: number
  readonly testnet: boolean
  readonly testnetPort?: number
  readonly datadir: string
  readonly ephemeral: boolean
  readonly history: number | 'all'
  readonly dialect: 'base' | 'ethereum'
  readonly blockTime: number
  readonly flashblockInterval: number
  readonly timeBudget: number
  readonly gasLimit: bigint
  readonly minBaseFee: bigint
  readonly elasticity: number
  readonly denominator: number
  readonly finalityDepth: number
  readonly poolSize: number
  readonly poolSenderSlots: number
  readonly minimumTip: bigint
  readonly logsMaxRange: number
  readonly logsMaxResults: number
  readonly logsTimeout: number
  readonly callWorkers: number
  readonly allowedHosts: readonly string[]
  readonly corsOrigins: readonly string[]
  readonly logLevel: string
  readonly json: boolean
  readonly jsonReady: boolean
}

/** Chain ids and default ports of the two networks (design section 7). */
export const MAIN_NETWORK = { name: 'main', chainId: 31337n } as const
export const TEST_NETWORK = { name: 'test', chainId: 31338n } as const

const MAX_PORT = 65_535

/** The test network's port: given, or the next one; 0 (any free port) when the main one's is 0. */
export function testnetPort(options: Pick<StartOptions, 'port' | 'testnetPort'>): number {
  const next = options.port === 0 ? 0 : options.port + 1
  return options.testnetPort ?? (next > MAX_PORT ? 0 : next)
}
