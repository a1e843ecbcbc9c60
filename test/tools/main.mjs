// Runs each chosen tool against a fresh node of each chosen kind, and prints what is wrong.
import { equal } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startNode } from '../../scripts/support/node-process.mjs'
import { installPackages } from '../support/npm-packages.mjs'
import { HardhatProject, hardhatDeploy, ignition, upgrades, verify } from './hardhat.mjs'
import { chosenNodes, chosenTools, NODES } from './options.mjs'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
if (!existsSync(`${FOLDER}node_modules/.package-lock.json`)) installPackages(FOLDER)

/** Runs a program of this folder to its end. @throws Error with its output if it fails */
const program = (name) => (url) => {
  const args = [`${FOLDER}${name}.mjs`, url]
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (error !== undefined) throw error
  equal(status, 0, `${stdout}${stderr}`)
}

const RUNS = {
  'hardhat-deploy': hardhatDeploy,
  upgrades,
  ignition,
  verify,
  verify3: program('verify3'),
  safe: program('safe'),
  alto: program('alto'),
}

/** Hardhat 3 refuses to verify on the chain 31337. */
const CHAIN_FLAGS = ['--chain-id', '4663']
const RUNS_HARDHAT3 = Number(process.versions.node.split('.')[0]) >= 22

const project = new HardhatProject()
let failed = 0
try {
  for (const name of chosenNodes) {
    const { flags, query = '' } = NODES[name]
    for (const tool of chosenTools) {
      if (tool === 'verify3' && !RUNS_HARDHAT3) {
        console.log(`skipped ${name}, verify3: Hardhat 3 needs Node 22`)
        continue
      }
      const node = await startNode(['--log-level', 'error', ...(tool === 'verify3' ? CHAIN_FLAGS : []), ...flags])
      const start = performance.now()
      try {
        RUNS[tool](`${node.rpc}${query}`, project)
        console.log(`ok      ${name}, ${tool}: ${((performance.now() - start) / 1_000).toFixed(1)} s`)
      } catch (error) {
        failed++
        console.log(`FAILED  ${name}, ${tool}\n${error.message}`)
      } finally {
        project.forget()
        await node.stop()
      }
    }
  }
} finally {
  project.remove()
}
process.exitCode = failed > 0 ? 1 : 0
