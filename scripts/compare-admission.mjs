// Sends one transaction per admission rule to this node and to the installed development nodes, and prints a Markdown
// table of their answers: that of docs/admission.md. `npm run bench:peers` installs Anvil and Hardhat.
import { concatHex, keccak256, toHex, toRlp } from 'viem'
import { mnemonicToAccount, privateKeyToAccount, sign } from 'viem/accounts'
import { startAutominingAnvil, startAutominingHardhat } from '../bench/support/development-peers.mjs'
import { prepare } from './prepare.mjs'
import { startNode } from './support/node-process.mjs'

const MNEMONIC = 'test test test test test test test test test test test junk'
const GWEI = 10n ** 9n
const TO = `0x${'99'.repeat(20)}`
const account = (addressIndex) => mnemonicToAccount(MNEMONIC, { addressIndex })
const stranger = privateKeyToAccount(`0x${'42'.repeat(32)}`)
const fees = { maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI }
const transfer = { type: 'eip1559', chainId: 31337, nonce: 0, to: TO, value: 1n, gas: 21_000n, ...fees }

/** A signed transaction of a development account; fields replace those of a transfer. */
const signed = (index, fields = {}) => account(index).signTransaction({ ...transfer, ...fields })

/** Rules by name: the raw transactions to send in order; the answer to the last one counts. */
const RULES = {
  'nonce below the account’s': async () => [await signed(0), await signed(0, { value: 2n })],
  'nonce gap': async () => [await signed(1, { nonce: 5 })],
  'nonce 2^64 − 1': async () => [await signed(1, { nonce: 2n ** 64n - 1n })],
  'same transaction again, not yet included': async () => [
    await signed(2, { nonce: 3 }),
    await signed(2, { nonce: 3 }),
  ],
  'replacement with 5 % more': async () => [
    await signed(2, { nonce: 7 }),
    await signed(2, { nonce: 7, value: 2n, maxFeePerGas: 105n * GWEI, maxPriorityFeePerGas: (105n * GWEI) / 100n }),
  ],
  'replacement with 10 % more': async () => [
    await signed(2, { nonce: 9 }),
    await signed(2, { nonce: 9, value: 2n, maxFeePerGas: 110n * GWEI, maxPriorityFeePerGas: (110n * GWEI) / 100n }),
  ],
  'sender without funds': async () => [await stranger.signTransaction(transfer)],
  'tip above the fee cap': async () => [await tipAboveFeeCap(3)],
  'fee cap below the base fee': async () => [await signed(3, { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n })],
  'gas above the block gas limit': async () => [await signed(3, { gas: 2_000_000_000n })],
  'gas above 2^24 (EIP-7825)': async () => [await signed(3, { gas: 20_000_000n })],
  'gas below the intrinsic gas': async () => [await signed(4, { gas: 20_999n })],
  'gas below the floor of data (EIP-7623)': async () => [
    await signed(4, { gas: 30_000n, data: `0x${'01'.repeat(400)}` }),
  ],
  'initcode of 49,153 bytes': async () => [
    await signed(4, { to: null, value: 0n, gas: 15_000_000n, data: `0x${'00'.repeat(49_153)}` }),
  ],
  'no chain id (before EIP-155)': async () => [
    await account(5).signTransaction({
      type: 'legacy',
      nonce: 0,
      to: TO,
      value: 1n,
      gas: 21_000n,
      gasPrice: 100n * GWEI,
    }),
  ],
  'size above 128 KiB': async () => [
    await signed(0, { nonce: 1, gas: 15_000_000n, data: `0x${'00'.repeat(131_073)}` }),
  ],
  'another chain’s id': async () => [await signed(5, { chainId: 1 })],
  'type 4 without authorizations': async () => [
    await signed(6, { type: 'eip7702', authorizationList: [], gas: 100_000n }),
  ],
  'fifth transaction of a delegated account': async () => [
    await signed(7, { type: 'eip7702', authorizationList: [await authorization(7, 1)], gas: 100_000n }),
    ...(await Promise.all([2, 3, 4, 5, 6].map((nonce) => signed(7, { nonce, gas: 50_000n })))),
  ],
  'nonce of a pooled authorization, by its authority': async () => [
    await signed(8, { nonce: 0, type: 'eip7702', authorizationList: [await authorization(9, 0)], gas: 100_000n }),
    await signed(9, { nonce: 0 }),
  ],
}

/** viem refuses to sign it. */
async function tipAboveFeeCap(index) {
  const quantity = (value) => (value === 0n ? '0x' : toHex(value))
  const fields = [31337n, 0n, 101n * GWEI, 100n * GWEI, 21_000n].map(quantity).concat(TO, '0x1', '0x')
  fields[6] = '0x01'
  const unsigned = [...fields, []]
  const privateKey = toHex(account(index).getHdKey().privateKey)
  const { r, s, yParity } = await sign({ hash: keccak256(concatHex(['0x02', toRlp(unsigned)])), privateKey })
  return concatHex(['0x02', toRlp([...unsigned, quantity(BigInt(yParity)), r, s])])
}

function authorization(index, nonce) {
  return account(index).signAuthorization({ contractAddress: TO, chainId: 31337, nonce })
}

async function answer(url, raw) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { error } = await response.json()
  return error === undefined ? 'accepted' : `${error.code} ${error.message}`
}

const NODES = [
  ['Tickertape', () => startNode(['--log-level', 'error'])],
  ['`--compat anvil`', () => startOnDemand('anvil')],
  ['Anvil', () => startAutominingAnvil()],
  ['`--compat hardhat`', () => startOnDemand('hardhat')],
  ['Hardhat', () => startAutominingHardhat()],
]

const startOnDemand = (compat) => startNode(['--log-level', 'error', '--mining', 'auto', '--compat', compat])

/** Answers to all rules, each on a node of its own state: rules use different accounts. */
async function answersOf(start) {
  const node = await start()
  const url = node.rpc ?? `http://127.0.0.1:${node.port}`
  const answers = []
  try {
    for (const transactions of Object.values(RULES)) {
      const all = []
      for (const raw of await transactions()) all.push(await answer(url, raw))
      answers.push(all.at(-1))
    }
  } finally {
    await node.stop()
  }
  return answers
}

prepare()
const columns = []
for (const [, start] of NODES) columns.push(await answersOf(start))
console.log(`| rule | ${NODES.map(([name]) => name).join(' | ')} |`)
console.log(`|---|${NODES.map(() => '---|').join('')}`)
for (const [index, rule] of Object.keys(RULES).entries()) {
  console.log(`| ${rule} | ${columns.map((answers) => answers[index]).join(' | ')} |`)
}
