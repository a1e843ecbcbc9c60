import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { Representation } from './representation.ts'

const BODY = 'x'.repeat(2_000)

function request(acceptEncoding: string) {
  const header = (name: string) => (name === 'accept-encoding' ? acceptEncoding : undefined)
  return { method: 'GET', target: '/docs', id: 'test', header }
}

test('compresses for the next request a response whose compression has failed before', async () => {
  let isShortOfMemory = true
  const compress = async (body: string) => {
    if (isShortOfMemory) throw new Error('insufficient memory')
    return gzipSync(body)
  }
  const page = new Representation({ type: 'text/html', body: BODY, tag: 'tag', cacheControl: 'no-cache' }, { compress })

  await expect(page.respond(request('gzip'))).rejects.toThrow('insufficient memory')
  isShortOfMemory = false
  const { body } = await page.respond(request('gzip'))

  expect(String(gunzipSync(body))).toBe(BODY)
  expect(page.respond(request('gzip'))).toBe(page.respond(request('gzip')))
})
