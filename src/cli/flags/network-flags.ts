import { homedir } from 'node:os'
import { join } from 'node:path'
import { flag } from './flag.ts'
import { blocksOrAll, integer } from './values.ts'

/** Where the chains are kept, a folder per network. */
export const datadir = flag<string>({
  value: 'path',
  description: 'where the chains are kept, a folder per network',
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
  testnet: flag<boolean>({ description: 'run the test network too', fallback: false }),
  testnetPort: flag<number | undefined>({
    value: 'port',
    description: 'its port',
    parse: integer(0, 65_535),
    fallback: undefined,
    shown: 'port + 1, or 0 if that is 0',
  }),
  datadir,
  ephemeral: flag<boolean>({
    description: 'keep the chains in a temporary directory that is deleted at the end',
    fallback: false,
  }),
  history: flag<number | 'all'>({
    value: 'blocks',
    description: 'blocks whose state stays readable, or all',
    parse: blocksOrAll,
    fallback: 'all',
  }),
  dialect: flag<'base' | 'ethereum'>({
    value: 'name',
    description: 'answers as the interface specification says, or exactly as ethereum/execution-apis',
    choices: ['base', 'ethereum'],
    fallback: 'base',
  }),
}
