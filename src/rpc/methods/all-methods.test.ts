import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Method } from '../registry/method.ts'
import { RPC_METHODS } from './all-methods.ts'

const folder = new URL('../methods/', import.meta.url)
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
)

test.each(files)('registers every export of methods/%s', async (file) => {
  const module: Record<string, Method | readonly Method[]> = await import(new URL(file, folder).href)
  const exported = Object.values(module).flat()

  expect(exported.length).toBeGreaterThan(0)
  for (const method of exported) expect(RPC_METHODS).toContain(method)
})

test('registers each name once', () => {
  const names = RPC_METHODS.map(({ name }) => name)

  expect(new Set(names).size).toBe(names.length)
})
