// `npm run fuzz` runs decoders of untrusted bytes on random inputs; `-- --help` describes it.
import { options } from '../test/fuzz/decoders/options.mjs'
import { prepareTestBuild, root } from './prepare.mjs'

prepareTestBuild()
const { fuzzCommand } = await import('../dist-test/test/fuzz/decoders/decoder-command.js')
// The counts until then are reported.
let isInterrupted = false
process.on('SIGINT', () => {
  isInterrupted = true
})
process.exitCode = await fuzzCommand(options, {
  root,
  out: (text) => process.stdout.write(text),
  isInterrupted: () => isInterrupted,
})
