import { gunzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { Representation } from './representation.ts'

/** Whether zlib has no memory. */
const zlib = vi.hoisted(() => ({ isShortOfMemory: false }))

vi.mock('node:zlib', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:zlib')>()
  const gzip = (body: string, done: (error: Error | null, result: Buffer) => void) =>
    zlib.isShortOfMemory ? done(new Error('insufficient memory'), Buffer.alloc(0)) : real.gzip(body, done)
  return { ...real, gzip }
})

const BODY = 'x'.repeat(2_000)

function request(acceptEncoding: string) {
  const header = (name: string) => (name === 'accept-encoding' ? acceptEncoding : undefined)
  return { method: 'GET', target: '/docs', id: 'test', header }
}

test('compresses a response again after a failed compression', async () => {
  const page = new Representation({ type: 'text/html', body: BODY, tag: 'tag', cacheControl: 'no-cache' })
  zlib.isShortOfMemory = true
  await expect(page.answer(request('gzip'))).rejects.toThrow('insufficient memory')
  zlib.isShortOfMemory = false
  const { body } = await page.answer(request('gzip'))
  expect(String(gunzipSync(body))).toBe(BODY)
  expect(page.answer(request('gzip'))).toBe(page.answer(request('gzip')))
})
