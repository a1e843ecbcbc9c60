// `npm run fuzz:http` compares the HTTP parser of the node with llhttp on random requests.
import { prepareTestBuild } from './prepare.mjs'

prepareTestBuild()
const { httpFuzzCommand } = await import('../dist-test/test/fuzz/http/http-command.js')
process.exitCode = httpFuzzCommand(process.argv.slice(2), (text) => process.stdout.write(text))
