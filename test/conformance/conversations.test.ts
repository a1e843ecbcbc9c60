import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RPC_METHODS } from '../../src/rpc/methods/all-methods.ts'
import { type CompiledProgram, compileProgram } from '../support/compiled-program.ts'
import { conformanceJson, conformancePath, hasConformanceData } from '../support/conformance-data.ts'
import { type Conversation, difference, readConversations, resultSchemas } from './conversation.ts'

const SCRIPT = fileURLToPath(new URL('../../scripts/conformance-serve.mjs', import.meta.url))
const REQUEST_TIMEOUT_MS = 5_000
const isThere = hasConformanceData('execution-apis/chain.rlp', 'recorded JSON-RPC conversations')

/** Runs against a process started by `npm run conformance:serve`: see docs/conformance.md. */
describe.skipIf(!isThere)('recorded conversations of ethereum/execution-apis', () => {
  let program: CompiledProgram
  let server: ChildProcess | undefined
  let url: string
  let directory: string

  beforeAll(async () => {
    program = await compileProgram()
    directory = mkdtempSync(join(tmpdir(), 'tickertape-conversations-'))
    const suite = conformancePath('execution-apis')
    server = spawn(
      process.execPath,
      [SCRIPT, '--suite', suite, '--program', program.main, '--port', '0', '--json-ready'],
      { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, TMPDIR: directory } },
    )
    const [line] = (await once(createInterface({ input: server.stdout! }), 'line')) as [string]
    url = (JSON.parse(line) as { readonly rpc: string }).rpc
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

  const schemas = isThere ? resultSchemas(conformanceJson('execution-apis/openrpc.json')) : new Map()
  const conversations = isThere ? readConversations(conformancePath('execution-apis')) : []
  const isImplemented = ({ method }: Conversation) => RPC_METHODS.some(({ name }) => name === method)
  const missing = new Set(conversations.filter((one) => !isImplemented(one)).map(({ method }) => method))
  if (missing.size > 0) console.warn(`skipped: conversations of ${[...missing].join(', ')} (not implemented)`)

  // In the suite's order on one node: the pool depends on earlier transactions.
  const playable = conversations.filter(isImplemented).map((conversation) => [conversation.name, conversation] as const)
  test.each(playable)('%s', async (_name, conversation) => {
    for (const exchange of conversation.exchanges) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: exchange.request,
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      })
      expect(difference(conversation, exchange, await response.text(), schemas)).toBeUndefined()
    }
  })
})
