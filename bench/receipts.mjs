// Time from a send to its receipt with the libraries that people use, and whether the first read at latest is old.
//   npm run bench -- receipts [--rounds 30] [--clients viem,wagmi,ethers6,ethers5,web3,cast,forge] [--together]
//                             [--markdown F]
// Each client deploys a contract, waits for the receipt in its usual way, and reads the code of the contract: on a node
// with `--receipt-wait 0`, with the defaults, and with `--latest-state preconfirmed`. Clients run one after another, or
// with --together at the same time. The times of cast and forge include the start of a process. Takes about 20 minutes.
// `npm run bench:peers` installs wagmi, ethers 5, cast and forge.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { JsonRpcProvider, Wallet } from 'ethers'
import { createPublicClient, createWalletClient, defineChain, http, toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { Web3 } from 'web3'
import { startNode } from '../scripts/support/node-process.mjs'
import { request } from './support/json-rpc.mjs'
import { foundryBinary } from './support/peers.mjs'
import { percentile, printTable } from './support/statistics.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    rounds: { type: 'string', default: '30' },
    clients: { type: 'string', default: 'viem,wagmi,ethers6,ethers5,web3,cast,forge' },
    together: { type: 'boolean', default: false },
    markdown: { type: 'string' },
  },
})

/** Creates a contract whose code is 00. */
const CREATION = '0x6001600c60003960016000f300'
const MNEMONIC = 'test test test test test test test test test test test junk'
const SETTINGS = [['--receipt-wait', '0'], [], ['--latest-state', 'preconfirmed']]
const require = createRequire(import.meta.url)
const run = promisify(execFile)

/** Clients by name: each deploys and returns the address, and reads code at `latest`. */
const CLIENTS = {
  viem: { name: 'viem `waitForTransactionReceipt`', connect: viemClient },
  wagmi: { name: 'wagmi `waitForTransactionReceipt`', connect: wagmiClient },
  ethers6: { name: 'ethers 6 `wait(1)`', connect: (url, key) => ethersClient(new JsonRpcProvider(url), Wallet, key) },
  ethers5: { name: 'ethers 5 `wait(1)`', connect: ethers5Client },
  web3: { name: 'web3.js `sendTransaction`', connect: web3Client },
  cast: { name: '`cast send`, `cast code`', connect: castClient },
  forge: { name: '`forge create`, `cast code`', connect: forgeClient },
}

const chainAt = (url) =>
  defineChain({
    id: 31337,
    name: 'Tickertape',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })

function viemClient(url, key) {
  const chain = chainAt(url)
  const reader = createPublicClient({ chain, transport: http() })
  const wallet = createWalletClient({ account: key.account, chain, transport: http() })
  return {
    async deploy() {
      const hash = await wallet.sendTransaction({ data: CREATION })
      return (await reader.waitForTransactionReceipt({ hash })).contractAddress
    },
    code: async (address) => (await reader.getCode({ address })) ?? '0x',
  }
}

async function wagmiClient(url, { account }) {
  const wagmi = await import('@wagmi/core')
  const chain = chainAt(url)
  const config = wagmi.createConfig({ chains: [chain], transports: { [chain.id]: wagmi.http() } })
  return {
    async deploy() {
      const hash = await wagmi.sendTransaction(config, { account, data: CREATION })
      return (await wagmi.waitForTransactionReceipt(config, { hash })).contractAddress
    },
    code: async (address) => (await wagmi.getBytecode(config, { address })) ?? '0x',
  }
}

function ethersClient(provider, EthersWallet, { privateKey }) {
  const wallet = new EthersWallet(privateKey, provider)
  return {
    async deploy() {
      const sent = await wallet.sendTransaction({ data: CREATION })
      return (await sent.wait(1)).contractAddress
    },
    code: (address) => provider.getCode(address),
  }
}

function ethers5Client(url, key) {
  const { ethers } = require('ethers-5')
  return ethersClient(new ethers.providers.StaticJsonRpcProvider(url), ethers.Wallet, key)
}

function web3Client(url, { privateKey }) {
  const web3 = new Web3(url)
  const { address } = web3.eth.accounts.wallet.add(privateKey)[0]
  return {
    deploy: async () => (await web3.eth.sendTransaction({ from: address, data: CREATION })).contractAddress,
    code: (address) => web3.eth.getCode(address),
  }
}

const foundry = async (program, args, options) => (await run(foundryBinary(program), args, options)).stdout
const codeOf = async (url, address) => (await foundry('cast', ['code', '--rpc-url', url, address])).trim()

function castClient(url, { privateKey }) {
  return {
    async deploy() {
      const keys = ['--rpc-url', url, '--private-key', privateKey]
      return JSON.parse(await foundry('cast', ['send', '--json', ...keys, '--create', CREATION])).contractAddress
    },
    code: (address) => codeOf(url, address),
  }
}

/** Its first deployment compiles the contract. */
function forgeClient(url, { privateKey }) {
  const folder = mkdtempSync(join(tmpdir(), 'tickertape-receipts-'))
  process.once('exit', () => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'foundry.toml'), '[profile.default]\nsrc = "."\noffline = true\n')
  writeFileSync(
    join(folder, 'Empty.sol'),
    '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\ncontract Empty {}\n',
  )
  const solc = fileURLToPath(new URL('../test/foundry/solc.mjs', import.meta.url))
  const options = { cwd: folder, env: { ...process.env, FOUNDRY_SOLC: solc } }
  const args = ['create', '--json', '--broadcast', '--rpc-url', url, '--private-key', privateKey, 'Empty.sol:Empty']
  return {
    deploy: async () => JSON.parse(await foundry('forge', args, options)).deployedTo,
    code: (address) => codeOf(url, address),
  }
}

/** Packages and programs of clients that `npm run bench:peers` installs. */
const NEEDED = {
  wagmi: [fileURLToPath(new URL('node_modules/@wagmi/core', import.meta.url))],
  ethers5: [fileURLToPath(new URL('node_modules/ethers-5', import.meta.url))],
  cast: [foundryBinary('cast')],
  forge: [foundryBinary('forge'), foundryBinary('cast')],
}
const isInstalled = (client) => (NEEDED[client] ?? []).every((path) => existsSync(path))

/**
 * Rounds of one client. Sends that the node refuses, because the client reads an old nonce, are counted; the next round
 * begins with the next block, so that it has the nonce of its account.
 */
async function measure(client, port, rounds) {
  // Libraries load and connect at first use.
  await client.deploy()
  const samples = { receipt: [], read: [], old: 0, refused: 0 }
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    let address
    try {
      address = await client.deploy()
    } catch {
      samples.refused++
      await nextBlock(port)
      continue
    }
    const received = performance.now()
    const code = await client.code(address)
    samples.receipt.push(received - start)
    samples.read.push(performance.now() - received)
    if (code === '0x') samples.old++
  }
  return samples
}

async function nextBlock(port) {
  const before = await request(port, 'eth_blockNumber')
  while ((await request(port, 'eth_blockNumber')) === before) await sleep(20)
}

async function measureAll(measurements) {
  if (values.together) return Promise.all(measurements.map((measurement) => measurement()))
  const results = []
  for (const measurement of measurements) results.push(await measurement())
  return results
}

const range = (samples) =>
  samples.length === 0 ? '–' : `${Math.round(percentile(samples, 0.5))}, ${Math.round(percentile(samples, 0.99))}`

const chosen = values.clients.split(',').filter((client) => {
  if (CLIENTS[client] === undefined) throw new Error(`--clients knows ${Object.keys(CLIENTS).join(', ')}`)
  if (isInstalled(client)) return true
  process.stderr.write(`skipped: ${client}, which npm run bench:peers installs\n`)
  return false
})
const rows = [['client', 'flags', 'receipt: p50, p99 (ms)', 'first read: p50, p99 (ms)', 'old reads', 'refused sends']]
for (const flags of SETTINGS) {
  const node = await startNode(['--log-level', 'error', ...flags])
  try {
    const results = await measureAll(
      chosen.map((client, addressIndex) => async () => {
        const account = mnemonicToAccount(MNEMONIC, { addressIndex })
        const privateKey = toHex(account.getHdKey().privateKey)
        const connected = await CLIENTS[client].connect(node.rpc, { account, privateKey })
        return measure(connected, new URL(node.rpc).port, Number(values.rounds))
      }),
    )
    for (const [index, { receipt, read, old, refused }] of results.entries()) {
      const shown = flags.length === 0 ? 'defaults' : `\`${flags.join(' ')}\``
      const { name } = CLIENTS[chosen[index]]
      rows.push([name, shown, range(receipt), range(read), `${old} of ${read.length}`, `${refused}`])
    }
  } finally {
    await node.stop()
  }
}
printTable(rows)
if (values.markdown !== undefined) {
  const lines = rows.map((row) => `| ${row.join(' | ')} |`)
  writeFileSync(values.markdown, `${[lines[0], `|${'---|'.repeat(rows[0].length)}`, ...lines.slice(1)].join('\n')}\n`)
}
