// Compares the interpreter with @ethereumjs/evm (the oracle) and, if installed with `npm run bench:peers`, with Anvil.
// Loops of one kind of work and token transfers; the engines run the same calls in alternation.
//   npm run bench -- evm [--runs 11]
// Time of Anvil: `eth_call` minus the median time of calls to an address without code made immediately before.
import { parseArgs } from 'node:util'
import { createEngine } from '../dist/engine/session/create-engine.js'
import { prepareTestBuild } from '../scripts/prepare.mjs'
import { compile } from './support/compile.mjs'
import { dataOf, deploy, ENV, engineCaller, message, SENDER, startCallableAnvil } from './support/evm-callers.mjs'
import { installedPeers } from './support/peers.mjs'
import { percentile, printTable } from './support/statistics.mjs'

// The oracle is not part of the published package.
prepareTestBuild()
const { createEthereumjsEngine } = await import('../dist-test/test/oracle/ethereumjs-engine.js')

const { values } = parseArgs({ args: process.argv.slice(3), options: { runs: { type: 'string', default: '11' } } })
const runs = Number(values.runs)
const CONFIG = { chainId: 31337n, forkBlocks: {}, forkTimes: {}, blobSchedule: {} }
/** Approximate gas of one run; the oracle runs a tenth of it. */
const RUN_GAS = 14_000_000
const ORACLE_PART = 10
const ORACLE_RUNS = 5
const CHECKED = { nonce: true, baseFee: true, senderWithoutCode: true, gasFunds: true }
/** `goal`: minimum speed relative to Anvil. */
const CALLS = [
  { contract: 'Loops', name: 'arith', goal: 0.7 },
  { contract: 'Loops', name: 'mulmods', goal: 0.5 },
  { contract: 'Loops', name: 'keccaks', goal: 0.6 },
  { contract: 'Loops', name: 'solidity', goal: 0.7 },
  { contract: 'Transfers', name: 'transfers', goal: undefined },
]

const engine = createEngine({ config: CONFIG })
const oracle = createEthereumjsEngine({ config: CONFIG })
const anvil = installedPeers().anvil ? await startCallableAnvil() : undefined
if (anvil === undefined) console.log('Anvil is not installed: npm run bench:peers')
else console.log(anvil.version)

const callers = new Map()
for (const name of new Set(CALLS.map(({ contract }) => contract))) {
  const contract = compile(name)
  callers.set(name, {
    ours: await engineCaller(engine, contract),
    oracle: await engineCaller(oracle, contract),
    anvil: await anvil?.caller(contract),
  })
}

const speedOf = (gas, times) => gas / 1000 / percentile(times, 0.5)

async function measureCall({ contract, name }) {
  const by = callers.get(contract)
  const few = await by.ours(name, 10)
  const more = await by.ours(name, 110)
  const perRound = (more.gas - few.gas) / 100
  const rounds = Math.round(RUN_GAS / perRound)
  const first = await by.ours(name, rounds)
  await by.anvil?.(name, rounds)
  const times = { ours: [], anvil: [], oracle: [] }
  for (let run = 0; run < runs; run++) {
    times.ours.push((await by.ours(name, rounds)).ms)
    if (by.anvil) times.anvil.push((await by.anvil(name, rounds)).ms)
  }
  const oraclePart = Math.round(rounds / ORACLE_PART)
  for (let run = 0; run < ORACLE_RUNS; run++) times.oracle.push((await by.oracle(name, oraclePart)).ms)
  const judged = await by.oracle(name, 110)
  const isSame = judged.gas === more.gas && judged.output === more.output
  const isSameInAnvil = by.anvil === undefined || (await by.anvil(name, 110)).output === more.output
  return {
    speed: speedOf(first.gas, times.ours),
    first: first.gas / 1000 / first.ms,
    oracle: speedOf(first.gas / ORACLE_PART, times.oracle),
    anvil: by.anvil && speedOf(first.gas, times.anvil),
    each: (percentile(times.ours, 0.5) * 1000) / rounds,
    isSame: isSame && isSameInAnvil,
  }
}

/** Runs token transfers as separate transactions, with nonce, fees and journal. Times in microseconds. */
async function measureTransaction(of, count) {
  const contract = compile('Token')
  const { state, address } = await deploy(of, contract)
  const session = of.open({ ...ENV, number: 8 }, state)
  const recipients = Array.from({ length: 64 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '7')}`)
  const inputs = recipients.map((recipient) => dataOf(contract, 'transfer', [recipient, 1n]))
  let { nonce } = session.state.account(SENDER)
  const transfer = () => {
    const data = inputs[Number(nonce % 64n)]
    const fields = { gasLimit: 100_000n, nonce, maxFeePerGas: 100n, maxPriorityFeePerGas: 2n }
    nonce += 1n
    return session.call(message(address, data, fields), CHECKED)
  }
  for (let index = 0; index < count / 4; index++) await transfer()
  const start = performance.now()
  let last
  for (let index = 0; index < count; index++) last = await transfer()
  const each = ((performance.now() - start) * 1000) / count
  session.close()
  if (last.status !== 'success') throw new Error('the transfer failed')
  return { each, gas: last.gasUsed }
}

const rows = [
  [
    'Mgas/s',
    'ours',
    'first call',
    '@ethereumjs/evm',
    'Anvil',
    'ratio to oracle',
    'ratio to Anvil',
    'goal',
    '',
    'same result',
  ],
]
let missed = 0
let perTransfer
for (const call of CALLS) {
  const { speed, first, oracle: slow, anvil: other, each, isSame } = await measureCall(call)
  const ratio = other === undefined ? undefined : speed / other
  const isMissed = !isSame || (call.goal !== undefined && ratio !== undefined && ratio < call.goal)
  if (isMissed) missed += 1
  if (call.name === 'transfers') perTransfer = each
  rows.push([
    call.name,
    speed.toFixed(0),
    first.toFixed(0),
    slow.toFixed(1),
    other?.toFixed(0) ?? '',
    (speed / slow).toFixed(0),
    ratio?.toFixed(2) ?? '',
    call.goal ?? '',
    call.goal === undefined || ratio === undefined ? '' : isMissed ? 'MISSED' : 'reached',
    isSame ? 'yes' : 'NO',
  ])
}
await anvil?.stop()
printTable(rows)
const mine = await measureTransaction(engine, 20_000)
const theirs = await measureTransaction(oracle, 1_000)
console.log(`token transfer, many in one call: ${perTransfer.toFixed(1)} us each`)
console.log(
  `token transfer, a transaction each: ${mine.each.toFixed(1)} us, @ethereumjs/evm ${theirs.each.toFixed(0)} us, same gas: ${mine.gas === theirs.gas ? 'yes' : 'NO'}`,
)
if (mine.gas !== theirs.gas) missed += 1
console.log(missed === 0 ? 'all goals reached' : `${missed} goals missed`)
process.exitCode = missed === 0 ? 0 : 1
