import { DEVELOPMENT_ACCOUNTS, DEVELOPMENT_MNEMONIC } from '../chain/genesis/development-accounts.ts'
import { DEMO_STOCKS } from '../chain/predeploys/demo-stocks.ts'
import { bytesToHex } from '../primitives/hex.ts'
import type { ReplicaOptions, StartOptions } from './flags/start-flags.ts'
import { VERSION } from './version.ts'

/** Where a network is reached. */
export interface NetworkUrls {
  readonly rpc: string
  readonly ws: string
  /** Base of the REST paths, which begin with `/v1/`. */
  readonly rest: string
}

/** What a person sees before the node is ready: whom to be on this chain, and what is on it. */
export function banner(options: StartOptions): string {
  const accounts = DEVELOPMENT_ACCOUNTS.map(
    ({ address, privateKey }, index) => `  (${index}) ${address}  ${bytesToHex(privateKey)}`,
  )
  const stocks = DEMO_STOCKS.map(
    ({ address, symbol, decimals }) => `  ${symbol.padEnd(8)} ${address}  ${decimals} decimals`,
  )
  const ours = [
    'Development accounts, 10,000 ETH each. Everybody knows these keys: never send real funds to them.',
    ...accounts,
    `  Mnemonic: ${DEVELOPMENT_MNEMONIC}`,
    '',
    'Demonstration stocks, owned by account (0)',
    ...stocks,
  ]
  const pace = !options.standStill
    ? `blocks every ${options.blockTime / 1000} s, flashblocks every ${options.flashblockInterval} ms`
    : 'the chain stands still'
  const oneOfMany = `One of several nodes that may make the blocks: the lease in NATS (${options.leaseTtl} ms) decides; /ready says who does.`
  return [
    `Tickertape ${VERSION}: ${pace}`,
    '',
    ...(options.failover ? [oneOfMany, ''] : []),
    ...(options.genesis === undefined ? ours : [`Block 0 of the main network is that of ${options.genesis}.`]),
    '',
    options.ephemeral
      ? 'The chain is kept in a temporary directory and gone when this process ends.'
      : `The chain is kept in ${options.datadir}; --ephemeral starts a new one that is deleted at the end.`,
    '',
  ].join('\n')
}

/** The same for a node that follows another one: nothing is known of it but where it is. */
export function replicaBanner({ from, ephemeral, datadir }: ReplicaOptions): string {
  return [
    `Tickertape ${VERSION}: a replica of ${from}`,
    '',
    ephemeral
      ? 'Its chain is kept in a temporary directory and gone when this process ends.'
      : `Its chain is kept in ${datadir}.`,
    'It answers as soon as it has a head: at once after a restart, otherwise when the node that it follows has given it one.',
    '',
  ].join('\n')
}

/** The last line before the node runs silently; it holds the URLs. @param only the network that `urls` are of */
export function readyLine(only: 'main' | 'test', urls: NetworkUrls, testnet: NetworkUrls | undefined): string {
  const line = (name: string, { rpc, ws, rest }: NetworkUrls) =>
    `${name}: JSON-RPC ${rpc}  WebSocket ${ws}  REST ${rest}/v1/`
  return `Ready. ${line(only === 'main' ? 'Main network' : 'Test network', urls)}${testnet ? `  |  ${line('Test network', testnet)}` : ''}`
}

/** The same for programs: one line of JSON. */
export function readyJson(main: NetworkUrls, testnet: NetworkUrls | undefined): string {
  return JSON.stringify({ ...main, testnet: testnet ?? null })
}
