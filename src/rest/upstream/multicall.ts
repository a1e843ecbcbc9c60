import { type Bytes, hexToBytes, toAddress } from '../../primitives/hex.ts'
import { bigintToWord, bytesToBigint } from '../../primitives/quantity.ts'
import type { ContractCall } from '../tokenized-stocks/chain-source.ts'

/** Multicall3, at the same address on most chains. */
export const MULTICALL = toAddress('0xca11bde05977b3631167028862be2a173976ca11')

const WORD = 32
/** `aggregate3((address target, bool allowFailure, bytes callData)[])` */
const AGGREGATE3 = hexToBytes('0x82ad56cb')
const ONE = bigintToWord(1n)

/** Calldata of Multicall3 for these calls, each of which may fail on its own. */
export function encodeAggregate(calls: readonly ContractCall[]): Bytes {
  const tuples = calls.map(({ to, data }) =>
    Buffer.concat([
      Buffer.alloc(12),
      hexToBytes(to),
      ONE,
      word(3 * WORD),
      word(data.length),
      data,
      Buffer.alloc(paddingOf(data.length)),
    ]),
  )
  let offset = calls.length * WORD
  const offsets = tuples.map((tuple) => {
    const own = word(offset)
    offset += tuple.length
    return own
  })
  return Buffer.concat([AGGREGATE3, word(WORD), word(calls.length), ...offsets, ...tuples])
}

/**
 * Decodes the result of `aggregate3`, `(bool success, bytes returnData)[]`: the output of each call, `undefined` for
 * a failed one.
 *
 * @returns `undefined` for any other output, or another number of results
 */
export function decodeAggregate(output: Bytes, count: number): readonly (Bytes | undefined)[] | undefined {
  const list = at(output, numberAt(output, 0))
  if (list === undefined || numberAt(list, 0) !== count) return undefined
  const items = list.subarray(WORD)
  const outputs: (Bytes | undefined)[] = []
  for (let index = 0; index < count; index++) {
    const item = at(items, numberAt(items, index * WORD))
    const success = item && numberAt(item, 0)
    const data = item && bytesAt(item, numberAt(item, WORD))
    if (data === undefined || (success !== 0 && success !== 1)) return undefined
    outputs.push(success === 1 ? data : undefined)
  }
  return outputs
}

function bytesAt(data: Bytes, offset: number | undefined): Bytes | undefined {
  const found = at(data, offset)
  const length = found && numberAt(found, 0)
  if (found === undefined || length === undefined || length > found.length - WORD) return undefined
  return found.subarray(WORD, WORD + length)
}

function at(data: Bytes, offset: number | undefined): Bytes | undefined {
  return offset === undefined || offset > data.length ? undefined : data.subarray(offset)
}

/** `undefined` if the data ends before, or if the word is not a valid length. */
function numberAt(data: Bytes, offset: number): number | undefined {
  if (data.length < offset + WORD) return undefined
  const value = bytesToBigint(data.subarray(offset, offset + WORD))
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(value)
}

function word(value: number): Bytes {
  return bigintToWord(BigInt(value))
}

function paddingOf(length: number): number {
  return (WORD - (length % WORD)) % WORD
}
