import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type CompiledProgram, compileProgram } from './support/compiled-program.ts'
import { type RunningNode, startNode } from './support/running-node.ts'

interface Step {
  readonly script: string
  /** Output shown in the guide; a line `…` stands for any lines, `…` in a line for any text. */
  readonly expected: string | undefined
}

const guideOf = (name: string) => readFileSync(new URL(`../docs/guides/${name}.md`, import.meta.url), 'utf8')
const NODE_URL = 'http://127.0.0.1:8545'
/** The only command that does not end; the test's own node replaces it. */
const START = 'npm start -- --ephemeral\n'

let program: CompiledProgram
let commands: string
beforeAll(async () => {
  program = await compileProgram()
  commands = mkdtempSync(join(tmpdir(), 'tickertape-guide-'))
  // `npx tickertape` of a checkout, with the current sources.
  writeFileSync(join(commands, 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${program.main}" "$@"\n`)
  chmodSync(join(commands, 'npx'), 0o755)
})
afterAll(() => {
  program.remove()
  rmSync(commands, { recursive: true, force: true })
})

/** The commands of a page in order, each with the output shown after it. */
function stepsOf(page: string): readonly Step[] {
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({ language, text: text! }))
  return blocks.flatMap(({ language, text }, index) => {
    const next = blocks[index + 1]
    return language === 'sh' ? [{ script: text, expected: next?.language === 'text' ? next.text : undefined }] : []
  })
}

/** Standard output and standard error together, as in a terminal. */
function run(script: string, node: RunningNode): Promise<string> {
  const env = {
    ...process.env,
    PATH: `${commands}${delimiter}${process.env.PATH}`,
    TICKERTAPE_RPC_URL: node.urls.rpc,
  }
  return new Promise((resolve, reject) => {
    const shell = spawn('sh', ['-ec', `exec 2>&1\n${script.replaceAll(NODE_URL, node.urls.rpc)}`], { env })
    let output = ''
    shell.stdout.on('data', (bytes: Buffer) => {
      output += bytes
    })
    shell.on('error', reject)
    shell.on('close', (status) => {
      if (status === 0) resolve(output)
      else reject(new Error(`${script}ended with ${status}: ${output}`))
    })
  })
}

/** Column widths depend on the content: one space matches any number. */
function patternOf(expected: string): RegExp {
  const lines = expected.trimEnd().split('\n')
  const patterns = lines.map((line) => {
    if (line === '…') return '(?:.*\\n)*?'
    const escaped = line.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ +/g, ' +'))
    return `${escaped.join('.*')}\\n`
  })
  return new RegExp(`^${patterns.join('')}$`)
}

test.each(['stocks', 'stocks-market'])(
  'every command of the guide %s has the output shown there',
  async (name) => {
    const node = await startNode()
    onTestFinished(() => node.close())
    const [start, ...steps] = stepsOf(guideOf(name))
    expect(start!.script).toBe(START)
    expect(steps.length).toBeGreaterThan(10)
    for (const { script, expected } of steps) {
      const output = await run(script, node)
      if (expected !== undefined) expect(`${output.trimEnd()}\n`, script).toMatch(patternOf(expected))
    }
  },
  180_000,
)

test('detects output that differs from a page', () => {
  const pattern = patternOf('supply  5\n…\nblock … of …Z\n')
  expect('supply 5\na\nb\nblock 7 of 2026Z\n').toMatch(pattern)
  expect('supply 6\nblock 7 of 2026Z\n').not.toMatch(pattern)
  expect('supply 5\nblock 7 of 2026\n').not.toMatch(pattern)
})
