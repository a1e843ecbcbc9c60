import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const { V8_FLAGS } = (await import(new URL('../scripts/support/v8-flags.mjs', import.meta.url).href)) as {
  readonly V8_FLAGS: readonly string[]
}
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

test('npm start and the benchmarks run with the V8 flags of the command line', () => {
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> }

  expect(V8_FLAGS).toHaveLength(2)
  expect(scripts.start).toBe(`node ${V8_FLAGS.join(' ')} scripts/start.mjs`)
  expect(scripts.bench).toBe(`node ${V8_FLAGS.join(' ')} scripts/bench.mjs`)
})

test.each(['compose.yaml', 'failover.compose.yaml'])('the nodes of deploy/%s run with them too', (file) => {
  const text = read(`deploy/${file}`)

  expect(text).toContain('/tickertape/dist/bundle/main.js')
  expect(text).not.toMatch(/\bnode\W+dist\/cli\/main\.js/)
})
