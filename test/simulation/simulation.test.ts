import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { simulate } from './cluster/cluster.ts'
import { MUTANTS } from './mutants.ts'
import { buildProgram, ProgramError } from './program/build-program.ts'
import { type CompiledProgram, compileProgram } from './world/simulated-process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const STEPS = 800
let program: CompiledProgram

beforeAll(async () => {
  program = compileProgram(await buildProgram(root))
})

describe('a simulated cluster', () => {
  test.each([1, 2, 3, 4, 5])('seed %i keeps every promise, and gives the same trace twice', async (seed) => {
    const first = await simulate({ seed, steps: STEPS }, { program })
    const second = await simulate({ seed, steps: STEPS }, { program })

    expect(first.failure).toBeUndefined()
    expect(first.flashblocks).toBeGreaterThan(5)
    expect(second.digest).toBe(first.digest)
  })

  test('another seed gives another trace', async () => {
    const [one, other] = [6, 7].map((seed) => simulate({ seed, steps: 100 }, { program }))

    expect((await one!).digest).not.toBe((await other!).digest)
  })
})

describe('the program of a simulated process', () => {
  test('is not built with a change that fits no source', async () => {
    const change = { ...MUTANTS[0]!.change, from: 'text that is nowhere' }

    await expect(buildProgram(root, [change])).rejects.toThrow('0 places')
    expect(ProgramError.name).toBe('ProgramError')
  })
})
