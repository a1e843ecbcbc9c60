import { expect, test } from 'vitest'
import { bytesToHex, hexToBytes, toAddress } from '../../primitives/hex.ts'
import { READS } from './abi.ts'
import type { BlockReads, CallResult } from './chain-source.ts'
import { readFunctions } from './function-reads.ts'

const TOKEN = toAddress(`0x${'11'.repeat(20)}`)
const MULTIPLIER = { to: TOKEN, call: 'multiplier()', data: READS['multiplier()'] }
const NOTHING = new Uint8Array(0)

const failed = (message: string, data = '0x'): CallResult => ({ kind: 'failed', message, data: hexToBytes(data) })

/** A contract that answers `multiplier()` and any other selector, and has this code. */
function contractOf(multiplier: CallResult, other: (selector: string) => CallResult, code = '0x00'): BlockReads {
  return {
    call: async (calls) =>
      calls.map(({ data }) => (data === MULTIPLIER.data ? multiplier : other(bytesToHex(data).slice(2)))),
    code: async (addresses) => addresses.map(() => hexToBytes(code)),
    close: () => undefined,
  }
}

const read = async (reads: BlockReads) => (await readFunctions(reads, [MULTIPLIER]))[0]

test('a function that fails like an unknown one is absent', async () => {
  const revert = failed('execution reverted')
  expect(await read(contractOf(revert, () => revert))).toEqual({ kind: 'absent' })
})

test('a function is absent when the failure differs only in the selector that it names', async () => {
  const unknown = (selector: string) => failed(`no function 0x${selector}`, `0x12345678${selector}`)
  expect(await read(contractOf(unknown('1b3ed722'), unknown))).toEqual({ kind: 'absent' })
})

test.each([
  ['reverts with data of its own', failed('execution reverted: paused', '0x01'), failed('execution reverted')],
  ['needs more gas than an unknown one', failed('out of gas'), failed('execution reverted')],
  [
    'reverts where an unknown one returns',
    failed('execution reverted'),
    { kind: 'returned', output: NOTHING } as const,
  ],
])('a function that %s is refused, and the refusal names it', async (_, multiplier, other) => {
  expect(await read(contractOf(multiplier, () => other))).toEqual({
    kind: 'refused',
    address: TOKEN,
    call: 'multiplier()',
    message: (multiplier as { message: string }).message,
  })
})

test('a function that reverts without data is refused when the code has its selector', async () => {
  const revert = failed('execution reverted')
  const refused = await read(contractOf(revert, () => revert, '0x60631b3ed72214'))
  expect(refused).toMatchObject({ kind: 'refused', message: 'execution reverted' })
})

test('no further reads follow when no call fails', async () => {
  let calls = 0
  const reads = contractOf({ kind: 'returned', output: NOTHING }, () => expect.unreachable())
  const call: BlockReads['call'] = (given) => {
    calls += 1
    return reads.call(given)
  }
  await read({ ...reads, call, code: () => expect.unreachable() })
  expect(calls).toBe(1)
})
