// Runs the example with Alto against a running node.
import { startAlto } from './alto.js'
import { ENTRY_POINTS } from './contracts.js'
import { runSession } from './session.js'

const { NODE_URL = 'http://127.0.0.1:8545', ENTRY_POINT = '0.7' } = process.env
if (!Object.hasOwn(ENTRY_POINTS, ENTRY_POINT)) {
  console.error(`ENTRY_POINT is one of ${Object.keys(ENTRY_POINTS).sort().join(', ')}, not ${ENTRY_POINT}`)
  process.exit(2)
}
await runSession({ nodeUrl: NODE_URL, version: ENTRY_POINT, startBundler: startAlto, operations: 3 }, console.log)
