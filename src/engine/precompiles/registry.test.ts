import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Precompile } from '../precompile.ts'
import { PRECOMPILES } from './registry.ts'

const FOLDER = import.meta.dirname

/** Precompiles by name of their export, from every source file of the folder. */
async function exportedPrecompiles(): Promise<Map<string, Precompile>> {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /^(?!assembly\/).*\.ts$/.test(file) && !file.endsWith('.test.ts'),
  )
  const found = new Map<string, Precompile>()
  for (const file of files) {
    const exports: Record<string, unknown> = await import(join(FOLDER, file))
    for (const [name, value] of Object.entries(exports)) if (isPrecompile(value)) found.set(name, value)
  }
  return found
}

function isPrecompile(value: unknown): value is Precompile {
  const candidate = value as Partial<Precompile> | null
  return typeof candidate === 'object' && typeof candidate?.gas === 'function' && typeof candidate.run === 'function'
}

describe('the registry of precompiles', () => {
  it('lists every precompile that a file of the folder exports', async () => {
    const listed = new Set(PRECOMPILES.map(({ precompile }) => precompile))

    const exported = await exportedPrecompiles()

    expect(exported.size).toBe(PRECOMPILES.length)
    expect([...exported].filter(([, precompile]) => !listed.has(precompile)).map(([name]) => name)).toEqual([])
  })

  it('uses each address and each name once', () => {
    expect(new Set(PRECOMPILES.map(({ address }) => address)).size).toBe(PRECOMPILES.length)
    expect(new Set(PRECOMPILES.map(({ name }) => name)).size).toBe(PRECOMPILES.length)
  })
})
