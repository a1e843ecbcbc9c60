// `npm run simulate` runs whole clusters on simulated time, disks and networks; `-- --help` describes it.
import { setFlagsFromString } from 'node:v8'
import { values } from '../test/simulation/options.mjs'
import { prepareTestBuild, root } from './prepare.mjs'

// Each life of a node evaluates the same script: its functions are compiled once for all lives.
setFlagsFromString('--always-sparkplug')
setFlagsFromString('--no-flush-bytecode')
prepareTestBuild()
const { simulateCommand } = await import('../dist-test/test/simulation/command.js')
// The seed that runs is finished first, so that it counts.
let isInterrupted = false
process.once('SIGINT', () => {
  isInterrupted = true
})
const out = (text) => process.stdout.write(text)
process.exitCode = await simulateCommand(values, { root, out, isInterrupted: () => isInterrupted })
