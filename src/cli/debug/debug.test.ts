import { beforeAll, describe, expect, test } from 'vitest'
import { type DebugScene, openDebugScene } from '../../../test/debugger/debug-scene.ts'
import { fixtureBuild } from '../../../test/debugger/solidity-fixtures.ts'
import { schemaViolations } from '../../../test/support/json-schema.ts'
import { DebugSession } from '../../solidity/debugger/debug-session.ts'
import { SourceFile } from '../../solidity/syntax/source-file.ts'
import { COMMAND_OUTPUTS } from '../output/command-outputs.ts'
import { StockError } from '../stock/terms/stock-error.ts'
import { debugJson } from './debug-json.ts'
import { linesText, stepText, summaryText } from './debug-text.ts'
import { failureReport } from './failure-report.ts'
import { runKeys } from './run-keys.ts'

let scene: DebugScene
let swap: DebugSession
let add: DebugSession
beforeAll(async () => {
  scene = await openDebugScene(fixtureBuild())
  const { pool, proxy, input } = scene
  swap = await scene.debugCall({ to: pool, data: input('Pool', 'swap', [0, 5_000n, 6_000n]) })
  add = await scene.debugCall({ to: proxy, data: input('Ledger', 'add', ['rent', [5n, 0n]]) })
  return () => scene.node.stop()
})

/** Types each input into the debugger. @returns its output after each */
async function typed(session: DebugSession, ...inputs: readonly string[]): Promise<readonly string[]> {
  const written: string[] = ['']
  async function* keys() {
    for (const input of inputs) {
      written.push('')
      yield input
    }
  }
  await runKeys(session, {
    keys: keys(),
    write: (text) => {
      written[written.length - 1] += text
    },
  })
  return written
}

const marked = (text: string) => /^> +(\d+) {2}(.*)$/m.exec(text)?.[2]?.trim()

test('a failure is reported with its reason, and the line and function of each caller', () => {
  expect(failureReport(swap)).toMatchObject({
    reason: 'reverted with SlippageExceeded(amountOut: 4960, minimumOut: 6000)',
    places: [
      { function: '_requireOutput', contract: 'Pool', file: 'src/Pool.sol', text: expect.stringMatching(/^revert/) },
      { function: 'swap', contract: 'Pool', text: '_requireOutput(amountOut, minimumOut);' },
    ],
  })
  expect(failureReport(add)).toMatchObject({
    reason: 'reverted: a change is needed',
    places: [
      { function: '_record', contract: 'Ledger' },
      { function: 'add', contract: 'Ledger' },
      { function: 'fallback', contract: 'LedgerProxy' },
    ],
  })
})

test('the summary and the lines are text for people', () => {
  const summary = summaryText(swap)
  const lines = linesText(swap, 5)

  expect(summary).toMatch(/^failed: \d+ instructions, \d+ gas$/m)
  expect(summary).toMatch(/at Pool\._requireOutput \(src\/Pool\.sol:\d+\)/)
  expect(lines).toContain('bool wasLocked = locked;')
  expect(lines).toMatch(/and \d+ more lines/)
})

test('long lines and many slots are cut', async () => {
  const view = await swap.view(swap.start)
  const slot = { slot: 1n, value: 2n, isWritten: false, variables: [] }
  const many = Array.from({ length: 40 }, () => slot)
  const file = new SourceFile(0, 'a.sol', `${'x'.repeat(5_000)}\n`.repeat(200))
  const session = new DebugSession(swap.trace, swap.codes, async () => [])
  session.lineAt = () => ({ file, line: 100 })

  const text = stepText(session, { ...view, storage: many, callStack: [] })

  expect(text.match(/slot 0x1 = 0x2/g)).toHaveLength(32)
  expect(text).toContain('and 8 more slots')
  expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThan(220)
})

test('a call of an account without code is said to be one', async () => {
  const to = `0x${'12'.repeat(20)}`
  const session = await scene.debugCall({ to, data: '0x12345678' })

  expect(summaryText(session)).toContain(`there is no code at ${to}`)
})

test('contracts without sources are named with what to do', () => {
  const unknown = new DebugSession(
    swap.trace,
    swap.codes.map(() => undefined),
    async () => [],
  )

  expect(summaryText(unknown)).toContain(`no sources of ${scene.pool}: verify them`)
  expect(failureReport(unknown)).toMatchObject({ places: [{ contract: scene.pool }] })
})

test('--json has the whole trace by lines, as its schema says', async () => {
  const { line } = COMMAND_OUTPUTS.find(({ command }) => command === 'debug')!
  for (const session of [swap, add]) {
    const json = JSON.parse(JSON.stringify(await debugJson(session)))
    expect(schemaViolations(line, json)).toEqual([])
    expect(json.isCut).toBe(false)
  }
  const { lines, failure } = (await debugJson(swap)) as {
    lines: readonly { text: string; variables: unknown; gas: number }[]
    failure: object
  }
  expect(failure).toMatchObject({ reason: expect.stringContaining('SlippageExceeded') })
  expect(lines.at(-1)).toMatchObject({
    text: 'revert SlippageExceeded(amountOut, minimumOut);',
    function: 'Pool._requireOutput',
    variables: [
      { name: 'amountOut', type: 'uint256', value: '4960' },
      { name: 'minimumOut', type: 'uint256', value: '6000' },
    ],
  })
})

describe('keys', () => {
  test('begin at the revert, and step back, out, into and over', async () => {
    const [first, back, out, into] = await typed(swap, 'b', 'b', 's')

    expect(marked(first!)).toBe('revert SlippageExceeded(amountOut, minimumOut);')
    expect(first).toContain('uint256 amountOut = 4960')
    expect(first).toContain('reserves.first = 1000000')
    expect(marked(back!)).toBe('if (amountOut < minimumOut) {')
    expect(marked(out!)).toBe('_requireOutput(amountOut, minimumOut);')
    expect(marked(into!)).toBe('if (amountOut < minimumOut) {')
  })

  test('lead to the first line, on to a line that is typed, with corrections, and back to the revert', async () => {
    const line = scene.build.input
      .sources!['src/SwapMath.sol']!.content!.split('\n')
      .findIndex((text) => text.includes('uint256 sum'))
    const written = await typed(swap, 'f', `cSwapMath.sol:9\u007f${line + 1}\r`, 'r')

    expect(marked(written[1]!)).toBe('bool wasLocked = locked;')
    expect(marked(written[2]!)).toBe('uint256 sum = reserveIn + amountIn;')
    expect(marked(written[3]!)).toBe('revert SlippageExceeded(amountOut, minimumOut);')
  })

  test('return to a line that runs only before, and say so', async () => {
    const line = scene.build.input
      .sources!['src/SwapMath.sol']!.content!.split('\n')
      .findIndex((text) => text.includes('uint256 sum'))
    const [, back] = await typed(swap, `cSwapMath.sol:${line + 1}\r`)

    expect(marked(back!)).toBe('uint256 sum = reserveIn + amountIn;')
    expect(back).toContain('does not run after this step')
  })

  test('say which part of a place leads to nothing', async () => {
    const written = await typed(swap, 'cx.sol:1\r', 'cPool.sol\r', 'cPool.sol:1\r', 'cPool\u001b', 'b')

    expect(written[1]).toContain('no contract of this transaction has a file x.sol')
    expect(written[2]).toContain('name a file and a line')
    expect(written[3]).toContain('Pool.sol:1 does not run')
    expect(marked(written[5]!)).toBe('if (amountOut < minimumOut) {')
  })

  test('lead from a line that fails to the call of its function', async () => {
    const [, out, outermost] = await typed(swap, 'o', 'o')

    expect(marked(out!)).toBe('_requireOutput(amountOut, minimumOut);')
    expect(outermost).toContain('no caller with a source')
  })

  test('are listed when one of them is unknown', async () => {
    const written = await typed(swap, '?', 'z', '\u001b[A')

    for (const text of written.slice(1)) expect(text).toMatch(/^n over .* f first line .* q quit$/m)
  })

  test('say when there is nothing further, and end with q', async () => {
    const written = await typed(swap, 'n', 'q', 's')

    expect(written[1]).toContain('no further line')
    expect(written).toHaveLength(3)
  })

  test('end at once if no code ran', async () => {
    const transfer = await scene.debugCall({ to: `0x${'ab'.repeat(20)}` })

    const written = await typed(transfer, 'c', '\r')

    expect(written).toEqual(['no code ran: there is nothing to step through\n'])
  })

  test('go on after steps could not be loaded, without leaving the step', async () => {
    let requests = 0
    const session = new DebugSession(swap.trace, swap.codes, async (ranges) => {
      if (++requests > 1) throw new StockError('NODE_UNREACHABLE', 'no node')
      return ranges.map(({ from, count }) => ({
        from,
        steps: Array.from({ length: count }, () => ({ kept: 0, pushed: [] })),
      }))
    })

    const [first, back, revert] = await typed(session, 'b'.repeat(100), 'r')

    expect(back).toContain('no node')
    expect(revert).toBe(first)
  })

  test('show a single instruction', async () => {
    const [, , instruction] = await typed(swap, 'b', 'i')
    expect(instruction).toMatch(/step \d+ of \d+ {2}[A-Z0-9]+ at \d+/)
  })

  test('begin at the line that called code without sources, if that failed', async () => {
    const poor = { from: `0x${'99'.repeat(20)}`, to: scene.pool, data: scene.input('Pool', 'swap', [0, 5_000n, 1n]) }
    const failed = await scene.debugCall(poor)
    const codes = failed.codes.map((code) => (code?.contract.facts.name === 'Pool' ? code : undefined))
    const empty = { kept: 0, pushed: [] }
    const session = new DebugSession(failed.trace, codes, async (ranges) =>
      ranges.map(({ from, count }) => ({ from, steps: Array.from({ length: count }, () => empty) })),
    )

    const [first] = await typed(session)

    expect(marked(first!)).toBe('tokenIn.transferFrom(msg.sender, address(this), amountIn);')
  })
})
