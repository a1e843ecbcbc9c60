/** Chain ids and default ports of the two networks. */
export const MAIN_NETWORK = { name: 'main', chainId: 31337n } as const
export const TEST_NETWORK = { name: 'test', chainId: 31338n } as const

const MAX_PORT = 65_535

/** Port of the test network: as given, or the next one; 0 (any free port) if the main network's port is 0. */
export function testnetPort(options: { readonly port: number; readonly testnetPort?: number | undefined }): number {
  const next = options.port === 0 ? 0 : options.port + 1
  return options.testnetPort ?? (next > MAX_PORT ? 0 : next)
}
