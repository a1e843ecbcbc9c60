// Time from a send to its receipt with the libraries that people use, and whether the first read at latest is old.
//   npm run bench -- receipts [--rounds 30] [--clients viem,ethers6,ethers5,web3,cast] [--markdown F]
// Each client deploys a contract, waits for the receipt in its usual way, and reads the code of the contract. All
// clients run at the same time, on a node with `--receipt-wait 0`, with the defaults, and with
// `--latest-state preconfirmed`. Takes about three minutes; the time of cast includes the start of its process.
// `npm run bench:peers` installs ethers 5 and cast.
import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parseArgs, promisify } from 'node:util'
import { JsonRpcProvider, Wallet } from 'ethers'
import { createPublicClient, createWalletClient, defineChain, http, toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { Web3 } from 'web3'
import { startNode } from '../scripts/support/node-process.mjs'
import { foundryBinary } from './support/peers.mjs'
import { percentile, printTable } from './support/statistics.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    rounds: { type: 'string', default: '30' },
    clients: { type: 'string', default: 'viem,ethers6,ethers5,web3,cast' },
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
  ethers6: { name: 'ethers 6 `wait(1)`', connect: (url, key) => ethersClient(new JsonRpcProvider(url), Wallet, key) },
  ethers5: { name: 'ethers 5 `wait(1)`', connect: ethers5Client },
  web3: { name: 'web3.js `sendTransaction`', connect: web3Client },
  cast: { name: '`cast send`, `cast code`', connect: castClient },
}

function viemClient(url, key) {
  const chain = defineChain({
    id: 31337,
    name: 'Tickertape',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
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

function castClient(url, { privateKey }) {
  const cast = async (command, ...args) =>
    (await run(foundryBinary('cast'), [command, '--rpc-url', url, ...args])).stdout
  return {
    async deploy() {
      const receipt = await cast('send', '--json', '--private-key', privateKey, '--create', CREATION)
      return JSON.parse(receipt).contractAddress
    },
    code: async (address) => (await cast('code', address)).trim(),
  }
}

function isInstalled(client) {
  if (client === 'cast') return existsSync(foundryBinary('cast'))
  if (client !== 'ethers5') return true
  try {
    return require.resolve('ethers-5') !== ''
  } catch {
    return false
  }
}

/** Rounds of one client. Sends that the node refuses, because the client reads an old nonce, are counted. */
async function measure(client, rounds) {
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
    const results = await Promise.all(
      chosen.map((client, addressIndex) => {
        const account = mnemonicToAccount(MNEMONIC, { addressIndex })
        const privateKey = toHex(account.getHdKey().privateKey)
        return measure(CLIENTS[client].connect(node.rpc, { account, privateKey }), Number(values.rounds))
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
