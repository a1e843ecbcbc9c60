// The interpreter against the oracle: four loops in Mgas/s, and a whole ERC-20 transfer in microseconds.
//   npm run bench -- evm
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import solc from 'solc'
import { encodeFunctionData } from 'viem'
import { createEngine } from '../dist/engine/create-engine.js'
import { StateOverlay } from '../dist/state/overlay.js'
import { prepareTestBuild } from '../scripts/prepare.mjs'
import { percentile, printTable } from './support/statistics.mjs'

// The oracle is no part of the package.
prepareTestBuild()
const { createEthereumjsEngine } = await import('../dist-test/test/oracle/ethereumjs-engine.js')

const require = createRequire(import.meta.url)
const CONFIG = { chainId: 31337n, forkBlocks: {}, forkTimes: {}, blobSchedule: {} }
const ENV = {
  number: 7,
  timestamp: 1_700_000_000n,
  gasLimit: 1n << 40n,
  coinbase: `0x${'c0'.repeat(20)}`,
  baseFee: 10n,
  difficulty: 0n,
  prevRandao: `0x${'ab'.repeat(32)}`,
  blobBaseFee: 1n,
  fork: 'prague',
}
const SENDER = `0x${'5e'.repeat(20)}`
const LOOPS = `0x${'10'.repeat(20)}`
const TOKEN = `0x${'20'.repeat(20)}`
const FREE = { nonce: false, baseFee: false, senderWithoutCode: false, gasFunds: false }
const CHECKED = { nonce: true, baseFee: true, senderWithoutCode: true, gasFunds: true }
/** Gas of one run of a loop, about, and how often it runs. */
const ENGINES = [
  { name: 'ours', create: createEngine, gas: 14_000_000, runs: 11, transfers: 20_000 },
  { name: '@ethereumjs/evm', create: createEthereumjsEngine, gas: 1_400_000, runs: 5, transfers: 1_000 },
]

function compile(name, source) {
  const input = {
    language: 'Solidity',
    sources: { [name]: { content: source } },
    settings: {
      evmVersion: 'prague',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const find = (path) => ({ contents: readFileSync(require.resolve(path), 'utf8') })
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: find }))
  const contract = Object.values(output.contracts[name])[0]
  return {
    abi: contract.abi,
    init: Buffer.from(contract.evm.bytecode.object, 'hex'),
    runtime: Buffer.from(contract.evm.deployedBytecode.object, 'hex'),
  }
}

const loops = compile('Loops.sol', readFileSync(new URL('contracts/Loops.sol', import.meta.url), 'utf8'))
const token = compile(
  'Token.sol',
  `pragma solidity ^0.8.20;
   import "@openzeppelin/contracts/token/ERC20/ERC20.sol";
   contract Token is ERC20("Token", "TOK") { constructor() { _mint(msg.sender, 1e30); } }`,
)

function call(to, data, fields = {}) {
  return {
    from: SENDER,
    to,
    gasLimit: 1n << 34n,
    value: 0n,
    data,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
    ...fields,
  }
}

function dataOf(contract, functionName, args) {
  return Buffer.from(encodeFunctionData({ abi: contract.abi, functionName, args }).slice(2), 'hex')
}

const NOTHING = {
  account: () => undefined,
  storage: () => 0n,
  code: () => new Uint8Array(0),
  blockHash: () => `0x${'00'.repeat(32)}`,
}

const state = new StateOverlay(NOTHING)
state.setCode(LOOPS, loops.runtime)
state.setAccount(SENDER, { nonce: 0n, balance: 10n ** 30n, codeHash: state.setCode(SENDER, new Uint8Array(0)) })

async function measureLoop(engine, name, { gas, runs }) {
  const session = engine.open(ENV, state)
  const run = async (rounds) => {
    const start = performance.now()
    const result = await session.call(call(LOOPS, dataOf(loops, name, [BigInt(rounds)])), FREE)
    return { ms: performance.now() - start, gas: result.gasUsed, output: Buffer.from(result.output).toString('hex') }
  }
  const few = await run(10)
  const more = await run(110)
  const rounds = Math.round(gas / ((more.gas - few.gas) / 100))
  const first = await run(rounds)
  const speeds = []
  for (let index = 0; index < runs; index++) {
    const { ms, gas: used } = await run(rounds)
    speeds.push(used / 1000 / ms)
  }
  session.close()
  return { speed: percentile(speeds, 0.5), first: first.gas / 1000 / first.ms, check: `${more.gas} ${more.output}` }
}

async function measureTransfer(engine, { transfers }) {
  const session = engine.open({ ...ENV, number: 8 }, state)
  const creation = await session.call(call(null, token.init, { gasLimit: 30_000_000n }), FREE)
  if (creation.status !== 'success') throw new Error(`the token was not created: ${JSON.stringify(creation.halt)}`)
  session.takeDiff()
  const to = creation.contractAddress ?? TOKEN
  const recipients = Array.from({ length: 64 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '7')}`)
  const inputs = recipients.map((recipient) => dataOf(token, 'transfer', [recipient, 1n]))
  let nonce = session.state.account(SENDER).nonce
  const transfer = () => {
    const data = inputs[Number(nonce % 64n)]
    const fields = { gasLimit: 100_000n, nonce, maxFeePerGas: 100n, maxPriorityFeePerGas: 2n }
    nonce += 1n
    return session.call(call(to, data, fields), CHECKED)
  }
  for (let index = 0; index < transfers / 4; index++) await transfer()
  const start = performance.now()
  let last
  for (let index = 0; index < transfers; index++) last = await transfer()
  const each = ((performance.now() - start) * 1000) / transfers
  const startDiff = performance.now()
  const diff = session.takeDiff()
  const diffMs = performance.now() - startDiff
  session.close()
  if (last.status !== 'success') throw new Error('the transfer failed')
  return { each, gas: last.gasUsed, diffMs, accounts: diff.accounts.size }
}

const names = ['arith', 'mulmods', 'keccaks', 'solidity']
const results = new Map()
for (const engine of ENGINES) {
  const instance = engine.create({ config: CONFIG })
  const loopResults = []
  for (const name of names) loopResults.push(await measureLoop(instance, name, engine))
  results.set(engine.name, { loopResults, transfer: await measureTransfer(instance, engine) })
}
const [ours, oracle] = ENGINES.map(({ name }) => results.get(name))
const rows = [['', 'ours', 'first call', '@ethereumjs/evm', 'times', 'same gas and result']]
names.forEach((name, index) => {
  const mine = ours.loopResults[index]
  const theirs = oracle.loopResults[index]
  const ratio = (mine.speed / theirs.speed).toFixed(0)
  rows.push([
    `${name}, Mgas/s`,
    mine.speed.toFixed(0),
    mine.first.toFixed(0),
    theirs.speed.toFixed(1),
    ratio,
    mine.check === theirs.check ? 'yes' : 'NO',
  ])
})
rows.push([
  'ERC-20 transfer, microseconds',
  ours.transfer.each.toFixed(1),
  '',
  oracle.transfer.each.toFixed(0),
  (oracle.transfer.each / ours.transfer.each).toFixed(0),
  ours.transfer.gas === oracle.transfer.gas ? 'yes' : 'NO',
])
printTable(rows)
