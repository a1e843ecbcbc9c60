import type { DevelopmentAccount } from '../../chain/accounts/development-accounts.ts'
import { hasNativeTokens } from '../../chain/forks/upgrades.ts'
import { DEMO_STOCKS, NATIVE_DEMO_STOCKS } from '../../chain/predeploys/demo-stocks.ts'
import { networkChainId } from '../../flags/genesis/genesis-flags.ts'
import { profileOf, upgradeOf } from '../../flags/genesis/profile-options.ts'
import type { ReplicaOptions, StartOptions } from '../../flags/start-flags.ts'
import type { ForkStatus } from '../../fork/chain-fork.ts'
import { checksumAddress } from '../../primitives/checksum-address.ts'
import { bytesToHex, toAddress } from '../../primitives/hex.ts'
import { peerName } from '../../primitives/text/url-credentials.ts'
import type { NetworkUrls } from '../../service/roles/network-node.ts'
import { VERSION } from '../../service/version.ts'

/** Printed before the node is ready: development accounts, stocks and settings. Lines fit 80 columns. */
export function banner(options: StartOptions, funded: readonly DevelopmentAccount[]): string {
  const hasStocks = options.compat === undefined && options.forkUrl === undefined
  const ours = [
    ...(funded.length === 0 ? ['No development accounts (--accounts 0).'] : accountLines(options, funded)),
    ...(hasStocks ? demoStockLines(options, funded) : []),
  ]
  const oneOfMany = [
    `One of several failover nodes: the lease in NATS (${options.leaseTtlMs} ms) decides`,
    'which one leads; /ready shows it.',
    '',
  ]
  return [
    `Tickertape ${VERSION}: ${chainFacts(options).join(', ')}`,
    paceOf(options),
    '',
    ...(options.failover ? oneOfMany : []),
    ...(options.genesis === undefined ? ours : [`The genesis of the main network is ${options.genesis}.`]),
    '',
    ...(options.ephemeral
      ? ['The chain is kept in a temporary directory and gone when this process ends.']
      : [
          `The chain is kept in ${options.datadir};`,
          '--ephemeral uses a temporary directory that is deleted at exit.',
        ]),
    '',
  ].join('\n')
}

function accountLines({ balance, mnemonic }: StartOptions, funded: readonly DevelopmentAccount[]): string[] {
  const ether = balance.toLocaleString('en-US')
  return [
    `Development accounts, ${ether} ETH each`,
    ...funded.map(({ address }, index) => `  (${index}) ${checksumAddress(address)}`),
    '',
    'Their private keys, which everybody knows: never send real funds to them',
    ...funded.map(({ privateKey }, index) => `  (${index}) ${bytesToHex(privateKey)}`),
    '',
    `Mnemonic: ${mnemonic}`,
  ]
}

function demoStockLines(options: StartOptions, funded: readonly DevelopmentAccount[]): string[] {
  const areNative = hasNativeTokens(upgradeOf(options))
  const stocks = (areNative ? NATIVE_DEMO_STOCKS : DEMO_STOCKS).map(
    ({ address, symbol, decimals }) =>
      `  ${symbol.padEnd(8)} ${checksumAddress(toAddress(address))}  ${decimals} decimals`,
  )
  return ['', `Demonstration stocks${funded.length === 0 ? '' : ', owned by account (0)'}`, ...stocks]
}

/** The flags alone do not tell the chain id of a genesis file or of a forked chain. */
function chainFacts(options: StartOptions): readonly string[] {
  const { compat, chainId, genesis, forkUrl } = options
  const isKnown = genesis === undefined && (forkUrl === undefined || chainId !== undefined)
  return [
    `profile ${profileOf(options)}`,
    ...(isKnown ? [`chain id ${networkChainId('main', options)}`] : []),
    ...(compat === undefined ? [] : [`--compat ${compat}`]),
  ]
}

/** When blocks are built. */
function paceOf({ standStill, mining, blockTime, flashblockInterval }: StartOptions): string {
  if (standStill) return 'No blocks are built'
  if (mining.kind === 'flashblocks') {
    return `Blocks every ${blockTime / 1000} s, flashblocks every ${flashblockInterval} ms`
  }
  const { auto, interval } = mining
  if (!auto && interval === undefined) return 'Blocks on request only (evm_mine)'
  if (interval === undefined) return 'A block for each transaction'
  return `A block ${auto ? 'for each transaction and ' : ''}every ${interval.minMs / 1000} s`
}

/** The banner of a replica. */
export function replicaBanner({ from, ephemeral, datadir }: ReplicaOptions): string {
  return [
    `Tickertape ${VERSION}: replica of ${from.split(',').map(peerName).join(',')}`,
    '',
    ephemeral
      ? 'Its chain is kept in a temporary directory and gone when this process ends.'
      : `Its chain is kept in ${datadir}.`,
    'It answers as soon as it has a head: at once after a restart, otherwise when',
    'the node that it follows has given it one.',
    '',
  ].join('\n')
}

/** Printed before the URLs: where the chain begins. */
export function forkLine({ upstream, chainId, number, hash, rules }: ForkStatus): string {
  const where = `Fork of ${upstream ?? 'a chain in the cache (--fork-offline)'}: chain id ${chainId}, block ${number} (${hash})`
  if (rules === undefined) return where
  const missing = rules.missing === undefined ? '' : `. Not supported: ${rules.missing}`
  return `${where}\nRules: ${rules.name}, ${rules.reason}${missing}`
}

/** Follows the URLs of a node on loopback. */
export const FOR_DEVELOPMENT = 'Development methods are on. If a proxy is in front, name it with --trust-proxy'

/** Printed when the node is ready: one URL a line. @param only the network that `urls` belong to */
export function readyText(only: 'main' | 'test', urls: NetworkUrls, testnet: NetworkUrls | undefined): string {
  const first = `Ready. ${only === 'main' ? 'Main' : 'Test'} network:\n${urlLines(urls)}`
  return testnet === undefined ? first : `${first}\nTest network:\n${urlLines(testnet)}`
}

function urlLines({ rpc, ws, rest, studio, metrics }: NetworkUrls): string {
  const labelled = {
    'JSON-RPC': rpc,
    WebSocket: ws,
    REST: `${rest}/v1/tokenized-stocks`,
    Reference: `${rest}/docs`,
    Studio: studio,
    Metrics: metrics,
  }
  const shown = Object.entries(labelled).filter(([, url]) => url !== undefined)
  return shown.map(([label, url]) => `  ${label.padEnd(9)}  ${url}`).join('\n')
}

/** The ready line for programs, as JSON. */
export function readyJson(main: NetworkUrls, testnet: NetworkUrls | undefined): string {
  return JSON.stringify({ ...main, testnet: testnet ?? null })
}
