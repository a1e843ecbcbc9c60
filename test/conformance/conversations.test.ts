import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { METHODS } from '../../src/rpc/registry.ts'
import { type CompiledProgram, compileProgram, runNode } from '../support/compiled-program.ts'
import { hasConformanceData } from '../support/conformance-data.ts'

const SUITE = fileURLToPath(new URL('../../../shared/conformance/execution-apis/', import.meta.url))
const PLAYER = fileURLToPath(new URL('../../../shared/conformance/run-io.mjs', import.meta.url))
const SCRIPT = fileURLToPath(new URL('../../scripts/conformance-serve.mjs', import.meta.url))
const isThere = hasConformanceData('execution-apis/chain.rlp', 'recorded JSON-RPC conversations')

interface Played {
  readonly name: string
  readonly pass: boolean
  readonly why?: readonly string[]
}

/** As `npm run conformance:serve` serves it and the suite's own rules judge it (`docs/conformance.md`). */
describe.skipIf(!isThere)('recorded conversations of ethereum/execution-apis', () => {
  let program: CompiledProgram
  let server: ChildProcess | undefined
  let directory: string
  let played: ReadonlyMap<string, Played>

  beforeAll(async () => {
    program = await compileProgram()
    directory = mkdtempSync(join(tmpdir(), 'tickertape-conversations-'))
    server = spawn(
      process.execPath,
      [SCRIPT, '--suite', SUITE, '--program', program.main, '--port', '0', '--json-ready'],
      { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, TMPDIR: directory } },
    )
    const [line] = (await once(createInterface({ input: server.stdout! }), 'line')) as [string]
    const { rpc } = JSON.parse(line) as { readonly rpc: string }
    const report = join(directory, 'report.json')
    await runNode([PLAYER, SUITE, rpc, '--summary', '--json', report])
    const { tests } = JSON.parse(readFileSync(report, 'utf8')) as { readonly tests: readonly Played[] }
    played = new Map(tests.map((one) => [one.name, one]))
  }, 180_000)

  afterAll(async () => {
    if (server !== undefined && server.exitCode === null) {
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
    expect(readdirSync(directory).filter((name) => name.startsWith('tickertape-suite-'))).toEqual([])
    rmSync(directory, { recursive: true, force: true })
    program.remove()
  })

  const names = isThere ? conversationNames() : []
  const isBuilt = (name: string) => METHODS.some((method) => method.name === name.slice(0, name.indexOf('/')))
  const unbuilt = [...new Set(names.filter((name) => !isBuilt(name)).map((name) => name.slice(0, name.indexOf('/'))))]
  if (unbuilt.length > 0) console.warn(`skipped: conversations of ${unbuilt.join(', ')} (no such methods yet)`)

  test.each(names.filter(isBuilt))('%s', (name) => {
    expect(played.get(name)?.why).toBeUndefined()
    expect(played.get(name)?.pass).toBe(true)
  })
})

function conversationNames(): string[] {
  return readdirSync(SUITE, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(SUITE, name)).map((file) => `${name}/${file.replace(/\.io(\.gz)?$/, '')}`))
}
