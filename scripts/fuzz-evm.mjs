// `npm run fuzz:evm`: random programs in our engine and in @ethereumjs/evm.
import { prepareTestBuild } from './prepare.mjs'

prepareTestBuild()
const { fuzzCommand } = await import('../dist-test/test/fuzz/command.js')
process.exitCode = await fuzzCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
})
