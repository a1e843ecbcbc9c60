// Runs each chosen bundler with each chosen entry point against a fresh node of each chosen kind, and prints a table.
import { equal } from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startNode } from '../../scripts/support/node-process.mjs'
import { installPackages } from '../support/npm-packages.mjs'
import { BUNDLERS, chosenBundlers, chosenNodes, chosenVersions, NODES, options } from './options.mjs'

/** The bundlers obey OP-011 of ERC-7562, and name the rule alike. */
const REFUSAL = 'paymaster uses banned opcode: TIMESTAMP'

for (const path of ['../../examples/bundler/', './']) {
  const folder = fileURLToPath(new URL(path, import.meta.url))
  if (!existsSync(`${folder}node_modules/.package-lock.json`)) installPackages(folder)
}
const { startAlto } = await import('../../examples/bundler/src/alto.js')
const { runSession } = await import('../../examples/bundler/src/session.js')
const { referenceBundler } = await import('./reference.mjs')
const USES = { alto: { startBundler: startAlto }, reference: referenceBundler }

/** @returns the cells of a row */
async function run(node, bundler, version) {
  const { results, refusal } = await runSession(
    { nodeUrl: node.rpc, version, operations: options.operations, ...USES[bundler] },
    () => undefined,
  )
  equal(refusal, REFUSAL)
  const times = (name) => results.map((result) => Math.round(result[name])).join(', ')
  return [times('acceptedMs'), times('submittedMs'), times('preconfirmedMs'), refusal]
}

const HEADINGS = [
  'node',
  'bundler',
  'EntryPoint',
  'result',
  'accepted (ms)',
  'in a bundle (ms)',
  'from there pre-confirmed (ms)',
  'refused operation',
]
const rows = []
let failed = 0
for (const name of chosenNodes) {
  for (const bundler of chosenBundlers) {
    for (const version of BUNDLERS[bundler].filter((one) => chosenVersions.includes(one))) {
      const node = await startNode(['--log-level', 'error', ...NODES[name]])
      try {
        rows.push([name, bundler, version, 'ok', ...(await run(node, bundler, version))])
      } catch (error) {
        failed++
        rows.push([name, bundler, version, 'FAILED', '', '', '', ''])
        console.log(`${name}, ${bundler}, EntryPoint ${version}: ${error.message}`)
      } finally {
        await node.stop()
      }
      console.error(`${name}, ${bundler}, EntryPoint ${version}: ${rows.at(-1)[3]}`)
    }
  }
}
for (const row of [HEADINGS, HEADINGS.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`)
process.exitCode = failed > 0 || rows.length === 0 ? 1 : 0
