import { encodeErrorResult, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { hexToBytes } from '../../primitives/hex.ts'
import { AbiBook, artifactOf } from './abi-book.ts'
import { revertText } from './execution-report.ts'

const ABI = parseAbi([
  'struct Range { uint256 from; uint256 to; }',
  'error OutOf(Range range, uint256[] values)',
  'error Missing(uint256[] ids)',
  'error Pairs(uint256[][] pairs, string name)',
])
const BOOK = new AbiBook([artifactOf({ contractName: 'Ranges', abi: ABI }, 'Ranges')!])
const RANGE = { from: 1n, to: 2n }

test.each([
  [{ errorName: 'OutOf', args: [RANGE, [3n, 4n]] }, 'OutOf(range: (from: 1, to: 2), values: [3, 4])'],
  [{ errorName: 'Missing', args: [[5n, 6n]] }, 'Missing([5, 6])'],
  [{ errorName: 'Pairs', args: [[[1n, 2n], [3n]], 'odd'] }, 'Pairs(pairs: [[1, 2], [3]], name: "odd")'],
] as const)('shows arrays in brackets and structs in parentheses', (error, expected) => {
  const output = hexToBytes(encodeErrorResult({ abi: ABI, ...error } as never))

  expect(revertText({ status: 'revert', halt: undefined, output }, BOOK)).toBe(`reverted with ${expected}`)
})

test.each([
  [0x11n, 'panic 0x11: arithmetic underflow or overflow'],
  [0x01n, 'panic 0x01: assert(false)'],
  [0x1111n, 'panic 0x1111: unknown panic code: 0x1111'],
])('shows the whole panic code %s', (code, expected) => {
  const panic = parseAbi(['error Panic(uint256)'])
  const output = hexToBytes(encodeErrorResult({ abi: panic, errorName: 'Panic', args: [code] }))

  expect(revertText({ status: 'revert', halt: undefined, output }, BOOK)).toBe(expected)
})
