import { homedir } from 'node:os'
import { join } from 'node:path'
import { DIALECTS, type Dialect } from '../rpc/protocol/dialect.ts'
import { flag } from './flag.ts'
import { blocksOrAll, integer } from './values.ts'

/** Chain ids and default ports of the two networks. */
export const MAIN_NETWORK = { name: 'main', chainId: 31337n } as const
export const TEST_NETWORK = { name: 'test', chainId: 31338n } as const

const MAX_PORT = 65_535

/** Directory of the chains, with a folder per network. */
export const datadir = flag<string>({
  value: 'path',
  description: 'data directory, with a folder per network',
  fallback: join(homedir(), '.tickertape'),
  shown: '~/.tickertape',
  env: 'TICKERTAPE_DATADIR',
})

export const NETWORK_FLAGS = {
  host: flag<string>({
    value: 'address',
    description: 'address to listen on',
    fallback: '127.0.0.1',
    env: 'TICKERTAPE_HOST',
  }),
  port: flag<number>({
    value: 'port',
    description: 'JSON-RPC over HTTP and WebSocket, and REST; 0: any free port',
    parse: integer(0, 65_535),
    fallback: 8545,
    env: 'TICKERTAPE_PORT',
  }),
  testnet: flag<boolean>({ description: 'also run the test network', fallback: false }),
  testnetPort: flag<number | undefined>({
    value: 'port',
    description: 'port of the test network',
    parse: integer(0, 65_535),
    fallback: undefined,
    shown: 'port + 1, or 0 if that is 0',
  }),
  datadir,
  ephemeral: flag<boolean>({
    description: 'use a temporary data directory that is deleted at exit',
    fallback: false,
  }),
  history: flag<number | 'all'>({
    value: 'blocks',
    description: 'blocks whose state is kept, or all',
    parse: blocksOrAll,
    fallback: 'all',
  }),
  scrubBytesPerSecond: flag<number>({
    value: 'bytes',
    description: 'bytes per second of a check of the database in the background, which repeats; 0: none',
    parse: integer(0),
    fallback: 0,
  }),
  dialect: flag<Dialect>({
    value: 'name',
    description:
      'responses as in the interface specification (base) or exactly as in ethereum/execution-apis (ethereum); ' +
      'ethereum is an alias of --profile ethereum',
    choices: DIALECTS,
    fallback: 'base',
  }),
}

/** Port of the test network: as given, or the next one; 0 (any free port) if the main network's port is 0. */
export function testnetPort(options: { readonly port: number; readonly testnetPort?: number | undefined }): number {
  const next = options.port === 0 ? 0 : options.port + 1
  return options.testnetPort ?? (next > MAX_PORT ? 0 : next)
}

/** Where a command reads flags that its command line does not have. */
export const CONFIGURATION_FLAGS = {
  config: flag<string | undefined>({
    value: 'file',
    description: 'YAML file with flags, as in `block-time: 1000`; the command line and the environment win over it',
    fallback: undefined,
    shown: 'none',
  }),
}
