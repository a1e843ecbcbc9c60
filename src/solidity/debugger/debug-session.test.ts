import { beforeAll, describe, expect, test } from 'vitest'
import { type DebugScene, openDebugScene, SENDER } from '../../../test/debugger/debug-scene.ts'
import { fixtureBuild } from '../../../test/debugger/solidity-fixtures.ts'
import { hexToBytes } from '../../primitives/hex.ts'
import { stackHeights } from '../trace/stack-heights.ts'
import type { VariableValue } from '../values/variable-value.ts'
import type { DebugSession } from './debug-session.ts'
import { WINDOW_STEPS } from './machine-windows.ts'
import type { StepView } from './step-view.ts'

type Values = Readonly<Record<string, unknown>>

/** Values by name: a text, or the parts. */
function valuesOf(values: readonly VariableValue[]): Values {
  return Object.fromEntries(values.map(({ name, text, parts }) => [name, parts.length > 0 ? valuesOf(parts) : text]))
}

function locals({ locals: found }: StepView): Values | string {
  return found.kind === 'known' ? valuesOf(found.variables) : found.reason
}

function textAt(session: DebugSession, step: number | undefined): string | undefined {
  const line = step === undefined ? undefined : session.lineAt(step)
  return line?.file.lines[line.line - 1]?.trim()
}

/** The first step at a line with this text. */
function stepAt(session: DebugSession, text: string): number {
  for (const step of session.visits()) if (textAt(session, step)?.includes(text)) return step
  throw new Error(`no step is at ${text}`)
}

/** Views of the steps of one activation. */
async function viewsOf(session: DebugSession, from: number, to: number): Promise<readonly StepView[]> {
  const { index } = session.activationAt(from)
  const views: StepView[] = []
  for (let step = from; step < to; step++) {
    if (session.activationAt(step).index === index) views.push(await session.view(step))
  }
  return views
}

const names = ({ callStack }: StepView) =>
  callStack.map(({ kind, contract, function: name }) => `${kind} ${contract}.${name}`)

let scene: DebugScene
let swapHash: string
let swap: DebugSession
let add: DebugSession
beforeAll(async () => {
  scene = await openDebugScene(fixtureBuild())
  const { pool, proxy, input } = scene
  swapHash = await scene.send(pool, input('Pool', 'swap', [0, 5_000n, 6_000n]))
  const addHash = await scene.send(proxy, input('Ledger', 'add', ['rent', [5n, -2n]]))
  // Both are pre-confirmed.
  await scene.node.nextFlashblock()
  swap = await scene.debug(swapHash)
  add = await scene.debug(addHash)
  return () => scene.node.stop()
})

describe('a failed swap', () => {
  test('leads to the line that reverted, with the variables of its function', async () => {
    const view = await swap.view(swap.revertStep!)

    expect(textAt(swap, swap.revertStep)).toBe('revert SlippageExceeded(amountOut, minimumOut);')
    expect(names(view)).toEqual(['internal Pool._requireOutput', 'external Pool.swap'])
    expect(locals(view)).toEqual({ amountOut: '4960', minimumOut: '6000' })
  })

  test('is stepped through by lines, into functions and over them', () => {
    const call = stepAt(swap, '_reserves(direction);')

    expect(textAt(swap, swap.start)).toBe('bool wasLocked = locked;')
    expect(textAt(swap, swap.into(call))).toBe('Reserves memory current = reserves;')
    expect(textAt(swap, swap.over(call))).toBe('uint256 fee = SwapMath.feeOf(amountIn);')
    expect(textAt(swap, swap.out(swap.into(call)!))).toBe(
      '(uint256 reserveIn, uint256 reserveOut) = _reserves(direction);',
    )
    expect(swap.over(swap.revertStep!)).toBeUndefined()
  })

  test('is stepped back over functions, and from the first line of one to its call', () => {
    const after = stepAt(swap, 'uint256 fee =')
    const inner = stepAt(swap, 'Reserves memory')

    expect(swap.back(after)).toBe(stepAt(swap, '_reserves(direction);'))
    expect(textAt(swap, swap.back(inner))).toBe('(uint256 reserveIn, uint256 reserveOut) = _reserves(direction);')
    expect(swap.back(swap.start)).toBeUndefined()
  })

  test('continues to a line, and not to one that is not reached', () => {
    const { line } = swap.lineAt(stepAt(swap, 'uint256 sum ='))!

    expect(textAt(swap, swap.continueTo(swap.start, 'SwapMath.sol', line))).toContain('uint256 sum =')
    expect(swap.continueTo(swap.revertStep!, 'SwapMath.sol', line)).toBeUndefined()
    expect(swap.continueTo(swap.start, 'SwapMath.sol', 1)).toBeUndefined()
    expect(swap.continueTo(swap.start, 'src/SwapMath.sol', line)).toBeDefined()
    expect(swap.continueTo(swap.start, 'Math.sol', line)).toBeUndefined()
  })

  test('is stepped through by instructions', async () => {
    const step = swap.instruction(swap.start)!
    const view = await swap.view(step)

    expect(step).toBe(swap.start + 1)
    expect(view.instruction).toMatch(/^[A-Z0-9]+$/)
    expect(swap.instruction(0, -1)).toBeUndefined()
    expect(swap.instruction(swap.trace.count - 1)).toBeUndefined()
  })

  test('shows structs, enumerations and texts of memory, and variables of a modifier', async () => {
    const inReserves = await swap.view(stepAt(swap, 'if (direction == Direction.FirstToSecond) return'))
    const inModifier = await swap.view(stepAt(swap, 'locked = true'))

    expect(locals(inReserves)).toMatchObject({
      direction: 'FirstToSecond',
      current: { first: '1000000', second: '1000000', updatedAt: expect.stringMatching(/^\d{10}$/) },
    })
    expect(names(inModifier)).toEqual(['inlined Pool.lock', 'external Pool.swap'])
    expect(locals(inModifier)).toMatchObject({ amountIn: '5000', reason: '"swap"', wasLocked: 'false' })
  })

  test('shows the arguments of the call in the terms of the source', async () => {
    const { callStack } = await swap.view(swap.start)

    expect(valuesOf(callStack.at(-1)!.arguments!)).toEqual({
      direction: 'FirstToSecond',
      amountIn: '5000',
      minimumOut: '6000',
    })
    expect(swap.callStack(swap.start).at(-1)).not.toHaveProperty('arguments')
  })

  test('names the variables of storage that share a slot', async () => {
    const view = await swap.view(swap.revertStep!)
    const variables = view.storage.flatMap((slot) => slot.variables)

    expect(view.account).toBe(scene.pool)
    expect(valuesOf(variables)).toMatchObject({ 'reserves.first': '1000000', locked: 'true' })
    expect(view.storage.filter(({ isWritten }) => isWritten).map(({ slot }) => slot)).toEqual([2n])
  })

  test('has a library function that was copied as a function of its own', async () => {
    const view = await swap.view(stepAt(swap, 'FEE_BASIS_POINTS) / 10_000'))

    expect(names(view)[0]).toBe('internal SwapMath.feeOf')
    expect(locals(view)).toEqual({ amount: '5000' })
  })

  test('knows the first step of each function of its flame graph', async () => {
    const { firstStep } = swap.flameGraph().children.find(({ name }) => name === 'SwapMath.amountOut')!

    expect(names(await swap.view(firstStep))[0]).toBe('internal SwapMath.amountOut')
    expect(names(await swap.view(firstStep - 1))[0]).not.toBe('internal SwapMath.amountOut')
    expect(textAt(swap, swap.beginning(firstStep))).toBe('uint256 product = amountIn * reserveOut;')
    expect(swap.beginning(0)).toBe(swap.start)
  })

  test('attributes all execution gas to functions: receipt gas minus intrinsic gas', async () => {
    const { gasUsed } = (await scene.node.result('eth_getTransactionReceipt', swapHash)) as { readonly gasUsed: string }
    const input = hexToBytes(scene.input('Pool', 'swap', [0, 5_000n, 6_000n]))
    const intrinsic = 21_000 + input.reduce((sum, byte) => sum + (byte === 0 ? 4 : 16), 0)

    const root = swap.flameGraph()

    expect(root.name).toBe('Pool.swap')
    expect(root.children.map(({ name }) => name)).toContain('SwapMath.amountOut')
    expect(root.totalGas).toBe(Number(gasUsed) - intrinsic)
  })

  test('attributes most gas to the line that writes storage, and none twice', () => {
    const byLine = swap.gasByLine()

    expect(byLine[0]!.line).toBe(swap.lineAt(stepAt(swap, 'locked = true'))!.line)
    expect(byLine.reduce((sum, { gas }) => sum + gas, 0)).toBeLessThanOrEqual(swap.flameGraph().totalGas)
  })
})

describe('a mint', () => {
  test('names members and array items of a struct in a mapping', async () => {
    const hash = await scene.send(scene.pool, scene.input('Pool', 'mint', [10n, 20n]))
    await scene.node.nextFlashblock()
    const session = await scene.debug(hash)

    const view = await session.view(session.trace.count - 1)
    const variables = valuesOf(view.storage.flatMap((slot) => slot.variables))
    const position = `positions[${SENDER}]`

    expect(variables).toMatchObject({
      [`${position}.liquidity`]: '1000010',
      [`${position}.isActive`]: 'true',
      [`${position}.checkpoints`]: '2 items',
      [`${position}.checkpoints[1]`]: expect.stringMatching(/^[1-9]\d*$/),
    })
  })
})

describe('a call of a proxy', () => {
  test('shows the source of the implementation, and storage of the proxy by its layout', async () => {
    const inRecord = await add.view(stepAt(add, 'counts[label] += 1'))
    const end = await add.view(add.trace.count - 1)

    expect(names(inRecord)).toEqual(['internal Ledger._record', 'external Ledger.add', 'external LedgerProxy.fallback'])
    expect(locals(inRecord)).toEqual({
      label: '"rent"',
      change: '5',
      entry: { label: '"rent"', change: '5', author: SENDER },
    })
    expect(inRecord.account).toBe(scene.proxy)
    expect(valuesOf(inRecord.storage.flatMap((slot) => slot.variables))).toMatchObject({
      entries: '1 items',
      'entries[0].label': '"rent"',
      'entries[0].change': '5',
      'entries[0].author': SENDER,
    })
    expect(names(end)).toEqual(['external LedgerProxy.fallback'])
    expect(locals(end)).toContain('receive and fallback functions')
  })

  test('shows call data, loops and keys of mappings that are texts', async () => {
    const visits = [...add.visits()].filter((step) => textAt(add, step) === '_record(label, change);')
    const second = await add.view(visits.at(-1)!)
    const lines = [...add.visits()].filter((step) => textAt(add, step)?.startsWith('total +='))
    const last = await add.view(add.out(lines.at(-1)!)!)

    expect(locals(second)).toEqual({
      label: '"rent"',
      changes: { '[0]': '5', '[1]': '-2' },
      index: '1',
      change: '-2',
    })
    expect(valuesOf(last.storage.flatMap((slot) => slot.variables))).toMatchObject({ 'counts["rent"]': '2' })
  })
})

test('no variables are shown where a function ends, and none of a block behind it', async () => {
  const first = stepAt(add, 'int64 change = changes[index]')
  const { firstStep, endStep } = add.activationAt(first)
  const { firstStep: begin, endStep: end } = add.activationAt(stepAt(add, 'Entry memory entry'))
  const inLoop = await viewsOf(add, firstStep, endStep)
  const ofRecord = await viewsOf(add, begin, end)

  expect(locals(ofRecord.at(-1)!)).toBe('the function is ending')
  const behind = inLoop.filter(({ location }) => location.kind === 'source' && location.isDeclaration)
  expect(behind.map(locals)).toContain('the function is ending')

  for (const view of behind) expect(locals(view)).not.toHaveProperty('change')
})

describe('windows', () => {
  test('are loaded once, and ahead of the steps that commands lead to', async () => {
    const session = await scene.debugCall({ to: scene.pool, data: scene.input('Pool', 'swap', [1, 9_000n, 1n]) })
    scene.read.length = 0
    await session.prefetch(session.start)
    const asked = scene.read.length

    await session.view(session.into(session.start)!)
    await session.view(session.over(session.start)!)

    expect(asked).toBeGreaterThan(0)
    expect(scene.read).toHaveLength(asked)
    expect(scene.read.every(({ from, count }) => from % WINDOW_STEPS === 0 && count === WINDOW_STEPS)).toBe(true)
  })

  test('are loaded around a step as well, for stepping by instructions', async () => {
    const session = await scene.debugCall({
      from: SENDER,
      to: scene.pool,
      data: scene.input('Pool', 'swap', [1, 9_000n, 1n]),
    })
    await session.prefetch(2 * WINDOW_STEPS)
    const asked = scene.read.length

    await session.view(WINDOW_STEPS)
    await session.view(3 * WINDOW_STEPS)

    expect(scene.read).toHaveLength(asked)
  })

  test('have stacks as high as the instructions make them, and variables within them', async () => {
    const heights = stackHeights(add.trace)
    for (let step = 0; step < add.trace.count; step += 7) {
      expect((await add.view(step)).machine.stack).toHaveLength(heights[step]!)
    }
    for (const step of add.visits()) {
      const { locals: found } = await add.view(step)
      const texts = found.kind === 'known' ? found.variables.map(({ text }) => text) : []
      expect(texts).not.toContain('not on the stack here')
    }
  })
})

describe('a creation', () => {
  test('shows the constructor with its arguments', async () => {
    const { build, input: _, node } = scene
    const { facts } = build.contracts.find(({ facts: { name } }) => name === 'Token')!
    const { encodeDeployData } = await import('viem')
    const bytecode = `0x${facts.creation.object}` as const
    const data = encodeDeployData({ abi: facts.abi as never, bytecode, args: ['Third', 7n] } as never)
    const hash = await scene.send(null, data)
    await node.nextFlashblock()

    const session = await scene.debug(hash)
    const view = await session.view(stepAt(session, 'balanceOf[msg.sender] = supply'))

    expect(names(view)).toEqual(['external Token.constructor'])
    expect(valuesOf(view.callStack[0]!.arguments!)).toEqual({ name_: '"Third"', supply: '7' })
    expect(locals(view)).toContain('constructors')
  })
})

test('code without sources is passed over, and said to have none', async () => {
  const session = await scene.debugCall({ data: '0x600160020100' })
  const view = await session.view(session.start)

  expect(session.hasLines).toBe(false)
  expect(session.revertStep).toBeUndefined()
  expect(view).toMatchObject({ instruction: 'PUSH1', notes: ['the sources of this contract are not known'] })
})

describe.each([
  ['the optimizer', { optimizer: { enabled: true } }, ['internal Pool._requireOutput', 'external Pool.swap']],
  [
    'the optimizer through Yul',
    { viaIR: true, optimizer: { enabled: true } },
    ['inlined Pool._requireOutput', 'external Pool.swap'],
  ],
])('code of %s', (kind, settings, stack) => {
  test('leads to the line and the functions, and says which variables are not known', async () => {
    const optimized = await openDebugScene(fixtureBuild(settings))
    const { pool, input, node } = optimized
    const session = await optimized.debugCall({
      from: SENDER,
      to: pool,
      data: input('Pool', 'swap', [0, 5_000n, 6_000n]),
    })
    const view = await session.view(session.revertStep!)

    expect(textAt(session, session.revertStep)).toBe('revert SlippageExceeded(amountOut, minimumOut);')
    expect(names(view)).toEqual(stack)
    if (kind === 'the optimizer') {
      expect(locals(view)).toEqual({ amountOut: '4960', minimumOut: '6000' })
      expect(view.locals).toMatchObject({ note: expect.stringContaining('optimizer moves variables') })
    } else expect(locals(view)).toContain('viaIR')
    await node.stop()
  })
})
