// `npm run simulate` runs whole clusters on simulated time, disks and networks; `-- --help` describes it.
import { values } from '../test/simulation/options.mjs'
import { prepareTestBuild, root } from './prepare.mjs'

prepareTestBuild()
const { simulateCommand } = await import('../dist-test/test/simulation/command.js')
process.exitCode = await simulateCommand(values, { root, out: (text) => process.stdout.write(text) })
