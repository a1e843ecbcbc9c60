// `npm run fuzz:evm` runs random programs in the engine and in @ethereumjs/evm and compares the results.
import { prepareTestBuild } from './prepare.mjs'

prepareTestBuild()
const { fuzzCommand } = await import('../dist-test/test/fuzz/command.js')
process.exitCode = await fuzzCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
})
