/** Time and rounds of upstream requests until the first transactions of a fresh fork are pre-confirmed. */
import { encodeFunctionData, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { compile } from '../../bench/support/compile.mjs'
import { startTickertape } from './nodes.mjs'
import { startProxy } from './proxy.mjs'
import { DEVELOPMENT_KEY } from './workload.mjs'

const ETHER = 10n ** 18n
const CALL = 'call of the swap'
const HINTS = ['debug_traceCall', 'eth_createAccessList']
const PROOFS = ['eth_getProof', 'eth_getAccountInfo']
/** Kinds of upstreams, by the methods that they lack. */
export const UPSTREAMS = {
  'proofs and access lists': [],
  'values and traces': PROOFS,
  'proofs and traces': ['eth_createAccessList'],
  'proofs only': HINTS,
  'values only': [...PROOFS, ...HINTS],
}
const ABI = parseAbi([
  'function give(address to, uint256 amount)',
  'function swap(uint256 amount) returns (uint256)',
  'function tokens(uint256 index) view returns (address)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
])
/** Not an account of the node, so that a fork has to load it. */
const TRADER = privateKeyToAccount(`0x${'5'.repeat(64)}`)
const RECIPIENT = `0x${'7e'.repeat(20)}`

/** A node with four tokens, three pools between them, and an account that has approved the router. */
export async function startExchange() {
  const node = await startTickertape('--ephemeral', '--mining', 'auto')
  const chainId = Number(await node.call('eth_chainId'))
  const developer = privateKeyToAccount(DEVELOPMENT_KEY)
  const send = async (account, nonce, fields) => {
    const raw = await signed(account, { chainId, nonce, gas: 15_000_000n, ...fields })
    const hash = await node.call('eth_sendRawTransaction', raw)
    const receipt = await node.call('eth_getTransactionReceipt', hash)
    if (receipt.status !== '0x1') throw new Error(`the set-up of the exchange fails: ${JSON.stringify(receipt)}`)
    return receipt
  }
  const { init } = compile('SwapRouter')
  const { contractAddress: router } = await send(developer, 0, { data: `0x${init.toString('hex')}` })
  const data = (functionName, ...args) => encodeFunctionData({ abi: ABI, functionName, args })
  const word = await node.call('eth_call', { to: router, data: data('tokens', 0n) }, 'latest')
  const token = `0x${word.slice(-40)}`
  await send(developer, 1, { to: TRADER.address, value: 100n * ETHER })
  await send(developer, 2, { to: router, data: data('give', TRADER.address, 1_000n * ETHER) })
  await send(TRADER, 0, { to: token, data: data('approve', router, 1_000n * ETHER) })
  const transactions = {
    transfer: { to: token, data: data('transfer', RECIPIENT, ETHER) },
    swap: { to: router, data: data('swap', ETHER) },
  }
  return { node, chainId, transactions }
}

/**
 * Sends a transaction to a fork that has read nothing before, or calls instead (`eth_call`).
 *
 * @param {'transfer' | 'swap' | 'call of the swap'} kind
 * @param {{ delayMs: number, without: readonly string[] }} upstream
 * @returns milliseconds until it is included, and rounds of requests to the upstream
 */
export async function measure({ node, chainId, transactions }, kind, { delayMs, without }) {
  const proxy = await startProxy(node.url, { random: () => 1, faultShare: 0, delayMs, without })
  const fork = await startTickertape('--fork-url', proxy.url, '--no-fork-cache', '--mining', 'auto')
  try {
    const isCall = kind === CALL
    const request = isCall
      ? ['eth_call', { from: TRADER.address, ...transactions.swap }, 'latest']
      : ['eth_sendRawTransaction', await signed(TRADER, { chainId, nonce: 1, gas: 1_000_000n, ...transactions[kind] })]
    // The slots for the start of the block are loaded as those of any other block.
    proxy.state.countRounds()
    const before = proxy.state.requests
    const start = performance.now()
    const result = await fork.call(...request)
    const milliseconds = performance.now() - start
    const { rounds, requests } = proxy.state
    if (!isCall) {
      const { status } = await fork.call('eth_getTransactionReceipt', result)
      if (status !== '0x1') throw new Error(`the ${kind} fails on the fork`)
    }
    return { milliseconds, rounds, requests: requests - before }
  } finally {
    await fork.stop()
    await proxy.close()
  }
}

/** Measures every kind with every upstream, and prints a line for each. */
export async function reportLatency({ delayMs }) {
  const exchange = await startExchange()
  for (const [name, without] of Object.entries(UPSTREAMS)) {
    for (const kind of ['transfer', 'swap', CALL]) {
      const { milliseconds, rounds, requests } = await measure(exchange, kind, { delayMs, without })
      console.log(`${name}, ${kind}: ${Math.round(milliseconds)} ms, ${rounds} rounds, ${requests} requests`)
    }
  }
  await exchange.node.stop()
}

function signed(account, fields) {
  const fees = { maxFeePerGas: 20n * 10n ** 9n, maxPriorityFeePerGas: 1_000_000n }
  return account.signTransaction({ type: 'eip1559', ...fees, ...fields })
}
