// Reads the OpenAPI document of a running node with the programs of others.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNode } from '../../scripts/support/node-process.mjs'
import { chosenTools } from './options.mjs'
import { installTools, runTool } from './packages.mjs'
import { problemsOfProxy } from './validating-proxy.mjs'

/** The operator of a node decides who answers for it, so the document names no contact. */
const SPECTRAL_RULES = 'extends: ["spectral:oas"]\nrules: { info-contact: off }\n'
const REDOCLY_RULES = 'extends: [recommended]\n'
const ORVAL = `export default { api: { input: './openapi.json', output: { target: './orval/api.ts', client: 'fetch' } } }\n`
const KUBB = {
  root: '.',
  input: { path: './openapi.json' },
  output: { path: './kubb', clean: true, format: false },
}

/** Runs of the tools in the folder of the document; each returns what is wrong. */
const RUNS = {
  spectral: ({ folder }) => {
    writeFileSync(join(folder, 'spectral.yaml'), SPECTRAL_RULES)
    return runTool(folder, 'spectral', 'lint', 'openapi.json', '--ruleset', 'spectral.yaml', '--fail-severity', 'warn')
  },
  redocly: ({ folder }) => {
    writeFileSync(join(folder, 'redocly.yaml'), REDOCLY_RULES)
    return runTool(
      folder,
      'redocly',
      'lint',
      'openapi.json',
      '--max-problems',
      '100',
      '--format',
      'stylish',
      '--config',
      'redocly.yaml',
    )
  },
  'openapi-typescript': ({ folder }) =>
    runTool(folder, 'openapi-typescript', 'openapi.json', '--output', 'types.ts') ?? compile(folder, 'types.ts'),
  orval: ({ folder }) => {
    writeFileSync(join(folder, 'orval.config.mjs'), ORVAL)
    return runTool(folder, 'orval', '--config', 'orval.config.mjs') ?? compile(folder, 'orval/api.ts')
  },
  kubb: ({ folder }) => {
    writeFileSync(
      join(folder, 'kubb.config.mjs'),
      `import { defineConfig } from '@kubb/core'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'
export default defineConfig({ ...${JSON.stringify(KUBB)}, plugins: [pluginOas(), pluginTs()] })\n`,
    )
    return runTool(folder, 'kubb', 'generate', '--config', 'kubb.config.mjs') ?? compile(folder, 'kubb/index.ts')
  },
  prism: problemsOfProxy,
}

function compile(folder, file) {
  const options = [
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--lib',
    'es2022,dom,dom.iterable',
  ]
  return runTool(folder, 'tsc', ...options, '--allowImportingTsExtensions', file)
}

installTools(chosenTools)
const node = await startNode(['--log-level', 'error'])
const folder = mkdtempSync(join(tmpdir(), 'tickertape-openapi-'))
let failed = 0
try {
  writeFileSync(join(folder, 'openapi.json'), await (await fetch(`${node.rpc}/v1/openapi.json`)).text())
  for (const tool of chosenTools) {
    const problem = await RUNS[tool]({ folder, url: node.rpc })
    console.log(problem === undefined ? `ok      ${tool}` : `FAILED  ${tool}\n${problem}`)
    if (problem !== undefined) failed++
  }
} finally {
  await node.stop()
  rmSync(folder, { recursive: true })
}
console.log(`${chosenTools.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
