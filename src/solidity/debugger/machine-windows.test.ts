import { expect, test } from 'vitest'
import { MachineWindows, type ReadSteps, WINDOW_STEPS, type WindowRange } from './machine-windows.ts'

const MEGABYTE = 2 ** 20

interface ReadOptions {
  readonly maxSteps?: number
  /** Characters of the return data of each first step. */
  readonly size?: number
}

/** Windows of a machine whose stack has the number of its step, and the ranges that were read. */
function windowsOf(count: number, { maxSteps = Number.POSITIVE_INFINITY, size = 0 }: ReadOptions = {}) {
  const asked: (readonly WindowRange[])[] = []
  const data = `0x${'0'.repeat(size)}`
  const read: ReadSteps = async (ranges) => {
    asked.push(ranges)
    if (ranges.reduce((sum, range) => sum + range.count, 0) > maxSteps) return undefined
    return ranges.map(({ from, count: steps }) => ({
      from,
      steps: Array.from({ length: Math.min(steps, count - from) }, (_, index) => ({
        kept: 0,
        pushed: [`0x${(from + index).toString(16)}`],
        ...(index < 2 && { returnData: index === 0 ? data : '0x' }),
      })),
    }))
  }
  return { windows: new MachineWindows(count, read), asked }
}

test('windows that are too large together are loaded in smaller requests', async () => {
  const { windows, asked } = windowsOf(4 * WINDOW_STEPS, { maxSteps: 2 * WINDOW_STEPS })

  await windows.load([0, WINDOW_STEPS, 2 * WINDOW_STEPS, 3 * WINDOW_STEPS])

  expect(asked.map((ranges) => ranges.length)).toEqual([4, 2, 2])
  expect(windows.known(3 * WINDOW_STEPS + 1)?.stack).toEqual([BigInt(3 * WINDOW_STEPS + 1)])
})

test('a window that is too large is halved around its step, down to one step', async () => {
  const { windows, asked } = windowsOf(WINDOW_STEPS, { maxSteps: 1 })

  const machine = await windows.at(301)

  expect(machine.stack).toEqual([301n])
  expect(asked.at(-1)).toEqual([{ from: 301, count: 1 }])
  expect(windows.known(300)).toBeUndefined()
})

test('steps of a window that is too large are each there when they are asked for at once', async () => {
  const { windows } = windowsOf(WINDOW_STEPS, { maxSteps: 4 })

  const machines = await Promise.all([windows.at(0), windows.at(301)])

  expect(machines.map(({ stack }) => stack)).toEqual([[0n], [301n]])
})

test('a machine that is too large alone is an error', async () => {
  const { windows } = windowsOf(10, { maxSteps: 0 })

  await expect(windows.at(3)).rejects.toThrow('the machine at step 3 is too large to be loaded')
})

test('all windows that are loaded together are kept, and earlier ones make room', async () => {
  const { windows } = windowsOf(40 * WINDOW_STEPS, { size: 2.5 * MEGABYTE })
  const steps = Array.from({ length: 20 }, (_, index) => index * WINDOW_STEPS)

  await windows.load(steps)
  const first = steps.filter((step) => windows.known(step + 1) === undefined)
  await windows.load([30 * WINDOW_STEPS])

  expect(first).toEqual([])
  expect(steps.filter((step) => windows.known(step + 1) !== undefined).length).toBeLessThan(20)
})
