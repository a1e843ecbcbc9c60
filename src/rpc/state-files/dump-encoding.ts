import { createGunzip } from 'node:zlib'
import { piped } from './piped.ts'
import { StateDumpError } from './state-dump-error.ts'

const GZIP = [0x1f, 0x8b]
/** Bytes at the beginning that tell the encoding. */
const RECOGNIZED_BYTES = 16
/** The result of `anvil_dumpState` as text, also as the JSON string that `cast rpc` prints. */
const HEX_START = /^\s*"?0x/
const HEX_END = /"?\s*$/

/**
 * The JSON of a dump that is plain, compressed with gzip, or either as hex text.
 *
 * @throws StateDumpError
 */
export async function* decompressed(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]()
  let first = Buffer.alloc(0)
  while (first.length < RECOGNIZED_BYTES) {
    const { value, done } = await iterator.next()
    if (done) break
    first = Buffer.concat([first, value])
  }
  const all = async function* () {
    yield first
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  if (HEX_START.test(first.subarray(0, RECOGNIZED_BYTES).toString('latin1'))) {
    yield* decompressed(hexDecoded(all()))
    return
  }
  if (GZIP.some((byte, index) => first[index] !== byte)) {
    yield* all()
    return
  }
  try {
    yield* piped(all(), createGunzip())
  } catch (error) {
    throw new StateDumpError(`the dump cannot be decompressed: ${(error as Error).message}`)
  }
}

async function* hexDecoded(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let rest = ''
  let isFirst = true
  for await (const chunk of chunks) {
    const text = chunk.toString('latin1')
    const digits = rest + (isFirst ? text.replace(HEX_START, '') : text)
    isFirst = false
    // The last characters may end the text.
    const length = Math.max(0, digits.length - END_CHARACTERS)
    const even = length - (length % 2)
    rest = digits.slice(even)
    yield bytesOf(digits.slice(0, even))
  }
  yield bytesOf(rest.replace(HEX_END, ''))
}

/** A quotation mark and a line end. */
const END_CHARACTERS = 4

function bytesOf(digits: string): Buffer {
  const bytes = Buffer.from(digits, 'hex')
  if (bytes.length * 2 !== digits.length)
    throw new StateDumpError('the dump is no hex text: a digit is wrong or missing')
  return bytes
}
