import { expect, test } from 'vitest'
import { effectsOf } from './effects.ts'

const namesIn = (text: string) => effectsOf('source.ts', text).map(({ effect, name }) => `${effect} ${name}`)

test.each([
  ['Date.now()', ['clock Date.now']],
  ['const wall = Date.now', ['clock Date.now']],
  ['new Date()', ['clock Date()']],
  ['Date(0)', ['clock Date()']],
  ['performance.now()', ['clock performance']],
  ['process.hrtime.bigint()', ['clock process.hrtime']],
  ['setTimeout(action, 5)', ['timer setTimeout']],
  ['const deps = { nextRound: setImmediate }', ['timer setImmediate']],
  ['const deps = { fetch }', ['network fetch']],
  ['globalThis.setInterval(action)', ['timer setInterval']],
  ['globalThis.Date.now()', ['clock Date.now']],
  ['AbortSignal.timeout(5)', ['timer AbortSignal.timeout']],
  ['function read(now = Date.now) {}', ['clock Date.now']],
  ["import { readFileSync } from 'node:fs'", ['files node:fs']],
  ["import * as crypto from 'node:crypto'", ['random node:crypto']],
  ["import { createHash, randomBytes as bytes } from 'node:crypto'", ['random node:crypto']],
  ["import { isIP, connect } from 'node:net'", ['network node:net']],
  ["const { Worker } = await import('node:worker_threads')", ['threads node:worker_threads']],
  ["import { connect } from '@nats-io/transport-node'", ['network @nats-io/transport-node']],
  ["export { readFileSync } from 'node:fs'", ['files node:fs']],
])('finds the effect of %s', (text, effects) => {
  expect(namesIn(text)).toEqual(effects)
})

test.each([
  'new Date(5)',
  'Math.max(1, 2)',
  'process.cwd()',
  'time.setInterval(5)',
  'class Time { setInterval() {} }',
  'interface Deps { readonly fetch: typeof fetch }',
  'function send({ fetch }: Deps) { return () => fetch(url) }',
  'const performance = measured(); performance.now()',
  "import { setTimeout as wait } from './clock.ts'",
  "import type { Server } from 'node:net'",
  "import { type Server, isIP } from 'node:net'",
  "import { createHash } from 'node:crypto'",
  '// Date.now()',
  'queueMicrotask(action)',
])('finds no effect in %s', (text) => {
  expect(namesIn(text)).toEqual([])
})

test('a declaration hides a global in its scope only', () => {
  expect(namesIn('function one(fetch: Fetch) { fetch(url) }\nfetch(url)')).toEqual(['network fetch'])
  expect(effectsOf('source.ts', 'const time = 5\n\nDate.now()')).toMatchObject([{ line: 3 }])
})
