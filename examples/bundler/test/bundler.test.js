// Needs a running node, as README.md says. NODE_URL is its URL.
import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { startAlto } from '../src/alto.js'
import { runSession } from '../src/session.js'

const { NODE_URL: nodeUrl = 'http://127.0.0.1:8545', ENTRY_POINT: version = '0.7' } = process.env

test(`Alto in safe mode bundles sponsored operations for EntryPoint ${version}, and refuses a banned opcode`, async () => {
  // Throws unless each operation has its effect in the pre-confirmed state.
  const { results, refusal } = await runSession(
    { nodeUrl, version, startBundler: startAlto, operations: 3 },
    console.log,
  )

  equal(new Set(results.map(({ transactionHash }) => transactionHash)).size, 3)
  equal(refusal, 'paymaster uses banned opcode: TIMESTAMP')
})
