import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { MUTANTS } from './mutants.ts'
import { buildProgram, ProgramError } from './program/build-program.ts'
import { simulate } from './simulate.ts'
import { tracePage } from './trace-page.ts'
import { type CompiledProgram, compileProgram } from './world/simulated-process.ts'
import type { TracedMessage, TraceEntry } from './world/trace.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const STEPS = 500
let code: string
let program: CompiledProgram

beforeAll(async () => {
  code = await buildProgram(root)
  program = compileProgram(code)
})

describe('a simulated cluster', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])('seed %i keeps every promise', async (seed) => {
    const { failure, flashblocks } = await simulate({ seed, steps: STEPS }, { program })

    expect(failure).toBeUndefined()
    expect(flashblocks).toBeGreaterThan(5)
  })

  test('the core of seed 17 makes flashblocks although other machines stay broken', async () => {
    const { failure, flashblocks } = await simulate({ seed: 17, steps: 200, mode: 'liveness' }, { program })

    expect(failure).toBeUndefined()
    expect(flashblocks).toBeGreaterThan(30)
  })

  test.each([1, 2])('seed %i keeps every promise where readers serve clients', async (seed) => {
    const { failure, acknowledged } = await simulate({ seed, steps: STEPS, profile: 'readers' }, { program })

    expect(failure).toBeUndefined()
    expect(acknowledged).toBeGreaterThan(0)
  })

  test.each(['all', 'readers'])('a seed of profile %s repeats its trace; another seed differs', async (profile) => {
    const [first, again, other] = await Promise.all(
      [11, 11, 12].map((seed) => simulate({ seed, steps: 200, profile }, { program })),
    )

    expect(again!.digest).toBe(first!.digest)
    expect(other!.digest).not.toBe(first!.digest)
  })

  test('a seed gives the same trace without native addons', async () => {
    const withoutAddons = compileProgram(code, false)

    const [native, other] = await Promise.all(
      [program, withoutAddons].map((one) => simulate({ seed: 11, steps: 200 }, { program: one })),
    )

    expect(other!.digest).toBe(native!.digest)
  })

  test.each([1, 2, 3])('no node of seed %i makes flashblocks with servers that do not sync first', async (seed) => {
    const options = { seed, steps: 600, profile: 'unsynced' }

    const { failure, flashblocks, refusals } = await simulate(options, { program })

    expect(failure).toBeUndefined()
    expect(flashblocks).toBe(0)
    expect(refusals).toBeGreaterThan(0)
  })

  test('the page of a run holds its timeline and its messages', async () => {
    const entries: TraceEntry[] = []
    const messages: TracedMessage[] = []
    const listeners = { onEntry: (entry: TraceEntry) => entries.push(entry) }
    const onMessage = (message: TracedMessage) => messages.push(message)
    await simulate({ seed: 13, steps: 200, until: 200 }, { program, ...listeners, onMessage })

    const page = tracePage(13, entries, messages)

    const [, data] = /<script type="application\/json" id="run">(.*?)<\/script>/.exec(page)!
    expect(JSON.parse(data!)).toMatchObject({ entries, messages })
    expect(messages.length).toBeGreaterThan(10)
  })
})

describe('the program of a simulated process', () => {
  test('is not built with a change that fits no source', async () => {
    const change = { ...MUTANTS[0]!.changes[0]!, from: 'text that is nowhere' }

    await expect(buildProgram(root, [change])).rejects.toThrow('0 places')
    expect(ProgramError.name).toBe('ProgramError')
  })
})
