import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decompressed } from './dump-encoding.ts'

const TEXT = '{"accounts":{}}'
const hex = (bytes: Buffer) => `0x${bytes.toString('hex')}`

async function read(bytes: Buffer, chunkBytes = bytes.length): Promise<string> {
  const chunks = async function* () {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  const found: Buffer[] = []
  for await (const chunk of decompressed(chunks())) found.push(chunk)
  return Buffer.concat(found).toString()
}

test.each([
  ['plain', Buffer.from(TEXT)],
  ['compressed', gzipSync(TEXT)],
  ['hex text of plain', Buffer.from(hex(Buffer.from(TEXT)))],
  ['hex text of compressed', Buffer.from(`${hex(gzipSync(TEXT))}\n`)],
  ['quoted hex text of compressed', Buffer.from(`"${hex(gzipSync(TEXT))}"\n`)],
])('property: a %s dump is read in chunks of any size', async (_, bytes) => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: bytes.length }), async (chunkBytes) => {
      expect(await read(bytes, chunkBytes)).toBe(TEXT)
    }),
  )
})

test.each(['0x1f8b0', '0xzz', '"0x1f8b08"!!'])('%s is refused as hex text', async (text) => {
  await expect(read(Buffer.from(text))).rejects.toMatchObject({ message: expect.stringMatching(/hex text/) })
})
