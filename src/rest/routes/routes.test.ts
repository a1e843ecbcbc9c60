import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Route } from './route.ts'
import { ROUTES } from './routes.ts'

const folder = new URL('.', import.meta.url)
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
)

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'operationId' in value && 'handle' in value
}

test('lists every route that a file of the folder exports', async () => {
  const modules = await Promise.all(files.map((file) => import(new URL(file, folder).href)))
  const exported = modules.flatMap((module) => Object.values(module)).filter(isRoute)

  expect(new Set(ROUTES)).toEqual(new Set(exported))
  expect(exported.length).toBe(ROUTES.length)
})

test('lists each path and each operation once', () => {
  expect(new Set(ROUTES.map(({ path }) => path)).size).toBe(ROUTES.length)
  expect(new Set(ROUTES.map(({ operationId }) => operationId)).size).toBe(ROUTES.length)
})
