import { IMPORTED_UPGRADES } from '../chain/genesis/networks.ts'
import { BASE_TIME_GAS_LIMIT } from '../chain/system-transactions/base-time.ts'
import { L1_ATTRIBUTES_GAS_LIMIT } from '../chain/system-transactions/l1-attributes.ts'
import { MAX_DEPOSIT_GAS } from '../chain/system-transactions/user-deposit.ts'
import { GENESIS_FLAGS } from '../flags/chain-flags.ts'
import { flagName } from '../flags/flag.ts'
import { hardforkFault, minBaseFeeFault, profileOf } from '../flags/genesis/profile-options.ts'
import type { StartOptions } from '../flags/start-flags.ts'
import { isPublic } from './exposure.ts'

/** The first pair of options that contradict each other, as a text that names their flags. */
export function contradictionOf(options: StartOptions): string | undefined {
  const { failover, nats, standStill, ephemeral, mining, mnemonicRandom } = options
  if (failover && nats === undefined) {
    return '--failover needs --nats: the servers that hold the records and the lease'
  }
  if (failover && standStill) {
    // The node would never publish and therefore never notice another leader.
    return '--stand-still contradicts --failover: a node that can lead has to build blocks'
  }
  if (mnemonicRandom !== undefined && !ephemeral) {
    return '--mnemonic-random needs --ephemeral: every start has other accounts in block 0'
  }
  const demonstration = options.demo ? demonstrationContradiction(options) : undefined
  if (demonstration !== undefined) return demonstration
  const market = options.stocksMarket === undefined ? undefined : marketContradiction(options)
  if (market !== undefined) return market
  const profile = profileContradiction(options)
  if (profile !== undefined) return profile
  const fork = options.forkUrl === undefined ? undefined : forkContradiction(options)
  if (fork !== undefined) return fork
  if (mining.kind !== 'on-demand') return undefined
  if (failover) return '--mining contradicts --failover: its nodes build flashblocks'
  if (standStill) return '--mining contradicts --stand-still: no blocks are built'
  return undefined
}

/** Why a node with these flags cannot have the transfers of `--demo`: the node must sign them and include them. */
function demonstrationContradiction(options: StartOptions): string | undefined {
  const { accounts, exposeDev, httpApi, standStill } = options
  if (accounts < 2) return '--demo needs --accounts 2 or more: it sends transfers between them'
  if (standStill) return '--stand-still contradicts --demo: without blocks, no transfer is included'
  if (httpApi !== undefined && !httpApi.includes('eth')) {
    return '--demo needs eth in --http-api: it sends transfers with eth_sendTransaction'
  }
  if (isPublic(options) && !exposeDev) {
    return '--demo needs --expose-dev when other machines reach the node: without it, the node signs for no account'
  }
  return undefined
}

/** Why a node with these flags cannot move the market of the demonstration stocks: its owner sends transactions. */
function marketContradiction(options: StartOptions): string | undefined {
  const { accounts, compat, demoStocks, derivationPath, genesis, httpApi, mnemonic, mnemonicRandom } = options
  if (options.forkUrl !== undefined) {
    return '--fork-url contradicts --stocks-market: a fork has no demonstration stocks; start another node for them'
  }
  if (genesis !== undefined) {
    return '--genesis contradicts --stocks-market: only the built-in block 0 has the demonstration stocks'
  }
  if (compat !== undefined) {
    return `--compat ${compat} contradicts --stocks-market: block 0 has no demonstration stocks; start without --compat`
  }
  if (demoStocks === 'v1') {
    return '--demo-stocks v1 contradicts --stocks-market: they have no market; use another --datadir with --demo-stocks v2'
  }
  const isOwnerFunded =
    mnemonicRandom === undefined &&
    mnemonic === GENESIS_FLAGS.mnemonic.fallback &&
    derivationPath === GENESIS_FLAGS.derivationPath.fallback
  if (accounts < 1 || !isOwnerFunded) {
    return '--stocks-market needs the default --mnemonic with --accounts 1 or more: account 0 owns the market and pays'
  }
  if (options.standStill) return '--stand-still contradicts --stocks-market: without blocks, no price changes'
  if (httpApi !== undefined && !httpApi.includes('eth')) {
    return '--stocks-market needs eth in --http-api: it sends transactions'
  }
  return undefined
}

function profileContradiction(options: StartOptions): string | undefined {
  // A fork names any rules, whatever the profile of its responses.
  const isChecked = options.forkUrl === undefined || IMPORTED_UPGRADES.some((name) => name === options.hardfork)
  const fault = (isChecked ? hardforkFault(options) : undefined) ?? minBaseFeeFault(options)
  if (fault !== undefined && options.genesis === undefined) return fault
  const { denimAfter } = options
  const profile = profileOf(options)
  if (options.systemTransactions !== undefined && options.genesis !== undefined) {
    const flag = options.systemTransactions ? '--system-transactions' : '--no-system-transactions'
    return `${flag} contradicts --genesis: the upgrades of the file determine them`
  }
  if (options.l1Portal !== undefined && options.l1Url === undefined) return '--l1-portal needs --l1-url'
  const leastGas = MAX_DEPOSIT_GAS + L1_ATTRIBUTES_GAS_LIMIT + BASE_TIME_GAS_LIMIT
  const blockGas = options.gasLimit !== undefined && options.gasLimit / (denimAfter > 0n ? 10n : 1n)
  if (options.l1Portal !== undefined && blockGas !== false && blockGas < leastGas) {
    return `--gas-limit is too low for --l1-portal: a block must have ${leastGas} gas for deposits and attributes`
  }
  if (options.l1Url !== undefined && options.genesis === undefined && profile !== 'op' && profile !== 'denim') {
    return '--l1-url needs --profile op or denim: other chains have no L1 origins'
  }
  if (denimAfter > 0n && profile !== 'denim') return '--denim-after needs --profile denim, whose activation it delays'
  if (profile !== 'op' && profile !== 'denim') return undefined
  if (options.forkUrl !== undefined) return undefined
  if (options.compat !== undefined) {
    return `--profile ${profile} contradicts --compat ${options.compat}: that node has no fees for layer 1`
  }
  return profile === 'denim' ? denimContradiction(options) : undefined
}

/** The time of each Denim block follows from its number and the time of block 0. */
function denimContradiction(options: StartOptions): string | undefined {
  const { denimAfter, ephemeral, genesis, timestamp } = options
  if (genesis !== undefined && denimAfter > 0n) {
    return '--denim-after contradicts --genesis: config.denimTime of the file is the activation of Denim'
  }
  if (ephemeral || genesis !== undefined || timestamp !== undefined) return undefined
  return (
    '--profile denim needs --ephemeral, or --timestamp with the Unix time of block 0, such as that of the first start: ' +
    'the time of each block follows from it, and blocks that are overdue are built at once'
  )
}

/** Why `--fork-url` cannot be combined with another flag. */
function forkContradiction(options: StartOptions): string | undefined {
  const { forkBlockNumber, forkUrl, forkTransactionHash, noForkCache, forkOffline } = options
  const contradicting = {
    genesis: options.genesis !== undefined,
    testnet: options.testnet,
    nats: options.nats !== undefined,
    failover: options.failover,
    rpcWorkers: options.rpcWorkers > 0,
    addressIndex: options.addressIndex,
    replicaToken: options.replicaToken !== undefined,
  }
  const other = Object.entries(contradicting).find(([, isGiven]) => isGiven)?.[0]
  if (other !== undefined) return `${flagName(other)} contradicts --fork-url: state of a fork is read by one process`
  if (forkTransactionHash !== undefined) {
    if (forkOffline) return '--fork-offline contradicts --fork-transaction-hash: the node names the block'
    if ((forkBlockNumber ?? forkUrl?.blockNumber) !== undefined) {
      return '--fork-block-number contradicts --fork-transaction-hash: the transaction determines the block'
    }
  }
  if (forkOffline && noForkCache) return '--no-fork-cache contradicts --fork-offline: give it the cache'
  if (forkOffline && !((forkBlockNumber ?? forkUrl?.blockNumber ?? -1) >= 0)) {
    return '--fork-offline needs --fork-block-number with a height: without the node, the newest block is unknown'
  }
  return undefined
}
