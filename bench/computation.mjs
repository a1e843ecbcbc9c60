// Compares `eth_call`s that compute for a while with the same calls in the engine alone and, if installed, with Anvil.
//   npm run bench -- computation [--runs 15] [--pin]
// Calls of about 14 million gas, one at a time, in alternation. `--pin` runs all of them on one processor. A ratio is
// the median of the ratios of the rounds, because the speed of a virtual machine may change for seconds. `first`: the
// first such call of a node, median of three nodes.
import { parseArgs } from 'node:util'
import { createEngine } from '../dist/engine/session/create-engine.js'
import { compile } from './support/compile.mjs'
import { startAutominingAnvil, startAutominingOurs } from './support/development-peers.mjs'
import { engineCaller, nodeCaller } from './support/evm-callers.mjs'
import { installedPeers } from './support/peers.mjs'
import { pinTo } from './support/processors.mjs'
import { percentile, printTable } from './support/statistics.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { runs: { type: 'string', default: '15' }, pin: { type: 'boolean', default: false } },
})
const runs = Number(values.runs)
const RUN_GAS = 14_000_000
/** Calls of the engine before the first one that counts. */
const WARM_UPS = 5
/** Nodes whose first call is measured. */
const FRESH_NODES = 3
/** `engine`: least part of the engine's own speed; `anvil`: least speed relative to Anvil's. */
const CALLS = [
  { name: 'arith', goals: { engine: 0.9, anvil: 1 } },
  { name: 'mulmods', goals: { engine: 0.9, anvil: 0.8 } },
  { name: 'keccaks', goals: { engine: 0.9, anvil: 0.9 } },
  { name: 'solidity', goals: { engine: 0.9, anvil: 1.2 } },
]
const contract = compile('Loops')
const engine = createEngine({ config: { chainId: 31337n, forkBlocks: {}, forkTimes: {}, blobSchedule: {} } })

if (values.pin && !pinTo(process.pid, 0)) throw new Error('--pin requires the program taskset')

/** Starts a node with the contract. @returns it with a caller of the contract */
async function startNode(start) {
  const node = await start()
  if (values.pin && !pinTo(node.pid, 0)) throw new Error('the node could not be pinned to a processor')
  const call = await nodeCaller(node, contract)
  return { ...node, call }
}

/** Rounds of a loop that use about `RUN_GAS`. */
async function roundsOf(call, name) {
  const few = await call(name, 10)
  const more = await call(name, 110)
  return Math.round(RUN_GAS / ((more.gas - few.gas) / 100))
}

/** The first call of a fresh node, between two of the engine. `ratio`: to the speed of the engine. */
async function firstCall(inEngine, name, rounds) {
  const node = await startNode(startAutominingOurs)
  const before = await inEngine(name, rounds)
  const { ms } = await node.call(name, rounds)
  const after = await inEngine(name, rounds)
  await node.stop()
  return { ms, ratio: (before.ms + after.ms) / 2 / ms }
}

async function measureCall({ name }) {
  const inEngine = await engineCaller(engine, contract)
  const rounds = await roundsOf(inEngine, name)
  const anvil = installedPeers().anvil ? await startNode(startAutominingAnvil) : undefined
  const { gas } = await inEngine(name, rounds)
  for (let run = 0; run < WARM_UPS; run++) await inEngine(name, rounds)
  const firsts = []
  for (let count = 0; count < FRESH_NODES; count++) firsts.push(await firstCall(inEngine, name, rounds))
  const ours = await startNode(startAutominingOurs)
  const times = { engine: [], ours: [], anvil: [] }
  for (let run = 0; run < runs; run++) {
    times.engine.push((await inEngine(name, rounds)).ms)
    times.ours.push((await ours.call(name, rounds)).ms)
    if (anvil !== undefined) times.anvil.push((await anvil.call(name, rounds)).ms)
  }
  await ours.stop()
  await anvil?.stop()
  const speed = (samples) => gas / 1000 / percentile(samples, 0.5)
  const ratioTo = (others) => {
    const ratios = others.map((other, run) => other / times.ours[run])
    return percentile(ratios, 0.5)
  }
  return {
    engine: speed(times.engine),
    ours: speed(times.ours),
    anvil: anvil && speed(times.anvil),
    first: speed(firsts.map(({ ms }) => ms)),
    firstToEngine: percentile(
      firsts.map(({ ratio }) => ratio),
      0.5,
    ),
    toEngine: ratioTo(times.engine),
    toAnvil: anvil && ratioTo(times.anvil),
  }
}

const rows = [['Mgas/s', 'engine', 'eth_call', 'first', 'Anvil', 'to engine', 'first to engine', 'to Anvil', 'goals']]
let missed = 0
for (const call of CALLS) {
  const { engine: alone, ours, first, anvil, firstToEngine, toEngine, toAnvil } = await measureCall(call)
  const { goals } = call
  const isReached = Math.min(toEngine, firstToEngine) >= goals.engine && (anvil === undefined || toAnvil >= goals.anvil)
  if (!isReached) missed += 1
  rows.push([
    call.name,
    alone.toFixed(0),
    ours.toFixed(0),
    first.toFixed(0),
    anvil?.toFixed(0) ?? '',
    toEngine.toFixed(2),
    firstToEngine.toFixed(2),
    toAnvil?.toFixed(2) ?? '',
    `${goals.engine}, ${goals.anvil}: ${isReached ? 'reached' : 'MISSED'}`,
  ])
}
printTable(rows)
process.exitCode = missed === 0 ? 0 : 1
