// The node as a library: time from createNode to the first answer and memory of a further node, beside starting nodes
// as processes.
//   npm run bench -- library [--peers anvil,hardhat|none] [--rounds 5] [--markdown F]
// Each round runs a new process with the library, and starts and stops our command, Anvil and Hardhat 2's node, in
// turns. Medians of the rounds. `npm run bench:peers` installs the other nodes.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import {
  installedDevelopmentPeers,
  startAutominingAnvil,
  startAutominingHardhat,
  startAutominingOurs,
} from './support/development-peers.mjs'
import { percentile } from './support/statistics.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    peers: { type: 'string', default: 'anvil,hardhat' },
    rounds: { type: 'string', default: '5' },
    markdown: { type: 'string' },
  },
})

const GOALS = { warmMs: 100, firstMs: 300, bytesPerNode: 25 * 2 ** 20 }
const PROBE = fileURLToPath(new URL('support/library-probe.mjs', import.meta.url))

const run = promisify(execFile)
const median = (samples) => percentile(samples, 0.5)
const installed = installedDevelopmentPeers()
const wanted = values.peers.split(',')
const processes = {
  'tickertape start': startAutominingOurs,
  ...(wanted.includes('anvil') && installed.anvil && { Anvil: startAutominingAnvil }),
  ...(wanted.includes('hardhat') && installed.hardhat && { "Hardhat 2's node": startAutominingHardhat }),
}
const probes = []
const starts = Object.fromEntries(Object.keys(processes).map((name) => [name, []]))

for (let round = 0; round < Number(values.rounds); round++) {
  process.stderr.write(`round ${round + 1}\n`)
  const { stdout } = await run(process.execPath, ['--expose-gc', PROBE])
  probes.push(JSON.parse(stdout))
  for (const [name, start] of Object.entries(processes)) {
    const began = performance.now()
    const node = await start()
    starts[name].push(performance.now() - began)
    await node.stop()
  }
}

const of = (read) => median(probes.map(read))
const firstMs = of(({ importMs, firstMs: ms }) => importMs + ms)
const warmMs = of(({ warm }) => median(warm))
const bytesPerNode = of(({ bytesPerNode: bytes }) => bytes)
const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`
const milliseconds = (ms) => `${Math.round(ms)} ms`
const verdict = (value, goal) => (value < goal ? 'reached' : 'missed')
const rows = [
  ['createNode, first in a process, with loading the package', milliseconds(firstMs), verdict(firstMs, GOALS.firstMs)],
  ['of which loading the package', milliseconds(of(({ importMs }) => importMs)), ''],
  ['createNode, warm', milliseconds(warmMs), verdict(warmMs, GOALS.warmMs)],
  [
    'memory of a further node, 10 transactions each',
    mebibytes(bytesPerNode),
    verdict(bytesPerNode, GOALS.bytesPerNode),
  ],
  ...Object.entries(starts).map(([name, samples]) => [
    `${name}, process to first answer`,
    milliseconds(median(samples)),
    '',
  ]),
]
const table = [
  '| to the first answer | median | goal |',
  '|---|---:|---|',
  ...rows.map((row) => `| ${row.join(' | ')} |`),
]
process.stdout.write(`${table.join('\n')}\n`)
if (values.markdown !== undefined) writeFileSync(values.markdown, `${table.join('\n')}\n`)
