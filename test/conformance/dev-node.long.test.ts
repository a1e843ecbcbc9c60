import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { conformancePath, hasConformanceData } from '../support/conformance-data.ts'
import { spawnNode } from '../support/node-processes.ts'

interface Report {
  readonly passed: number
  readonly files: readonly { readonly file: string; readonly failures: readonly { readonly title: string }[] }[]
}

const TIMEOUT = 600_000
const isThere = hasConformanceData('dev-node/run-conversations.mjs', 'conversations of development nodes')

/** Conversations that may differ: rows "| `file` | title | reason |" of docs/migrating.md. */
function knownDifferences(): ReadonlySet<string> {
  const guide = readFileSync(new URL('../../docs/migrating.md', import.meta.url), 'utf8')
  const rows = guide.matchAll(/^\| `([\w-]+--[\w-]+)` \| (.+) \| [^|]+ \|$/gm)
  return new Set([...rows].map(([, file, title]) => `${file}: ${title}`))
}

/** Replays the conversations that were recorded on a node against ours. */
async function replay(recordedOn: 'hardhat' | 'anvil'): Promise<Report> {
  const directory = mkdtempSync(join(tmpdir(), 'tickertape-dev-node-'))
  const flags = ['--ephemeral', '--log-level', 'error', '--mining', 'auto', '--chain-id', '31337']
  const node = await spawnNode([...flags, '--compat', recordedOn])
  try {
    const report = join(directory, 'report.json')
    const runner = conformancePath('dev-node/run-conversations.mjs')
    const conversations = conformancePath('dev-node/conversations')
    const args = [runner, conversations, node.rpc, '--node', recordedOn, '--json', report]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    console.info(await text(child.stdout))
    return JSON.parse(readFileSync(report, 'utf8'))
  } finally {
    await node.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

describe.skipIf(!isThere)('conversations recorded on development nodes', () => {
  let passed: number
  let failed: readonly string[]
  beforeAll(async () => {
    const reports = [await replay('hardhat'), await replay('anvil')]
    passed = reports.reduce((sum, report) => sum + report.passed, 0)
    failed = reports.flatMap(({ files }) =>
      files.flatMap(({ file, failures }) => failures.map(({ title }) => `${file}: ${title}`)),
    )
  }, TIMEOUT)

  test('have the recorded responses, except for listed differences, which exist', () => {
    expect([...failed].sort()).toEqual([...knownDifferences()].sort())
  })

  test('have the recorded responses in at least 93 % of all', () => {
    expect(passed + failed.length).toBe(457)
    expect(passed / 457).toBeGreaterThanOrEqual(0.93)
  })
})
