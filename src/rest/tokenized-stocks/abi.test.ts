import fc from 'fast-check'
import { encodeAbiParameters, encodeFunctionData, parseAbi, toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { decodeAddresses, decodeString, decodeWords, EXTRA_METADATA_ISIN, READS, stocksFrom, wordAt } from './abi.ts'

const UINT = fc.bigInt(0n, 2n ** 256n - 1n)
const ADDRESS = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(bytesToHex)

test('encodes selectors and calldata like viem', () => {
  for (const [signature, data] of Object.entries(READS)) expect(bytesToHex(data)).toBe(toFunctionSelector(signature))
  const abi = parseAbi(['function extraMetadata(string)', 'function stocksFrom(uint256, uint256)'])
  const isin = encodeFunctionData({ abi, functionName: 'extraMetadata', args: ['isin'] })
  expect(bytesToHex(EXTRA_METADATA_ISIN)).toBe(isin)
  const page = encodeFunctionData({ abi, functionName: 'stocksFrom', args: [250n, 1_000n] })
  expect(bytesToHex(stocksFrom(250, 1_000))).toBe(page)
})

describe('property: decodes what viem encodes', () => {
  test('words', () => {
    fc.assert(
      fc.property(fc.array(UINT, { maxLength: 5 }), (words) => {
        const output = hexToBytes(
          encodeAbiParameters(
            words.map(() => ({ type: 'uint256' })),
            words,
          ),
        )
        expect(words.map((_, index) => wordAt(output, index))).toEqual(words)
        expect(wordAt(output, words.length)).toBeUndefined()
      }),
    )
  })

  test('strings', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        const output = hexToBytes(encodeAbiParameters([{ type: 'string' }], [text]))
        const bytes = Buffer.byteLength(text)
        expect(decodeString(output, bytes)).toBe(text)
        expect(decodeString(output, bytes - 1)).toBeUndefined()
      }),
    )
  })

  test('arrays', () => {
    fc.assert(
      fc.property(fc.array(UINT), fc.array(ADDRESS), (words, addresses) => {
        const listed = hexToBytes(encodeAbiParameters([{ type: 'uint256[]' }], [words]))
        expect(decodeWords(listed, 100)).toEqual(words)
        const owners = hexToBytes(encodeAbiParameters([{ type: 'address[]' }], [addresses]))
        expect(decodeAddresses(owners, 100)).toEqual(addresses)
        expect(decodeAddresses(owners, addresses.length - 1)).toBeUndefined()
      }),
    )
  })
})

test('property: decodes or rejects any output without throwing', () => {
  const word = fc.oneof(fc.constantFrom(0n, 1n, 31n, 32n, 33n, 64n, 2n ** 255n), UINT)
  const output = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.array(word, { maxLength: 6 }).map((words) => {
      return hexToBytes(`0x${words.map((one) => one.toString(16).padStart(64, '0')).join('')}`)
    }),
  )
  fc.assert(
    fc.property(fc.option(output, { nil: undefined }), (bytes) => {
      expect(['string', 'undefined']).toContain(typeof decodeString(bytes, 256))
      expect(decodeWords(bytes, 256)?.length ?? 0).toBeLessThanOrEqual(256)
      decodeAddresses(bytes, 256)
    }),
    { numRuns: 1_000 },
  )
})
