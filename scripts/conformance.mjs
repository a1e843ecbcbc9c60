// `npm run conformance:state -- DIR` and `npm run conformance:blocks -- DIR` run public test suites in the engine.
import { prepareTestBuild } from './prepare.mjs'

prepareTestBuild()
const { conformanceCommand } = await import('../dist-test/test/conformance/command.js')
const [kind, ...args] = process.argv.slice(2)
process.exitCode = await conformanceCommand(kind, args, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
})
