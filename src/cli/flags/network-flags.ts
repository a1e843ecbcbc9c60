import { homedir } from 'node:os'
import { join } from 'node:path'
import { flag } from './flag.ts'
import { blocksOrAll, integer } from './values.ts'

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
  dialect: flag<'base' | 'ethereum'>({
    value: 'name',
    description:
      'responses as in the interface specification (base) or exactly as in ethereum/execution-apis (ethereum)',
    choices: ['base', 'ethereum'],
    fallback: 'base',
  }),
}
