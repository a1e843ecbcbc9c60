import fc from 'fast-check'
import { expect, test } from 'vitest'
import { address, callTo, executed, NO_CHECKS, openSession } from '../../../test/support/engine-fixture.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'

const CODE = address(0xc0de)
test('hashes two words as defined, repeatedly and after other words', async () => {
  // CALLDATACOPY(offset, 64, size), KECCAK256(offset, size), MSTORE, RETURN.
  const code = '0x600035604060203537600035602035205f5260205ff3'
  const session = openSession({ code: { [CODE]: code }, env: { fork: 'prague' } })
  // Few of them, so that they repeat; those in the same bucket evict each other.
  const word = fc.oneof(
    fc.nat(3).map((number) => number.toString(16).padStart(64, '0')),
    fc.nat(7).map((number) => `${number.toString(16)}${'0'.repeat(63)}`),
    fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => bytesToHex(bytes).slice(2)),
  )
  const size = fc.oneof({ weight: 5, arbitrary: fc.constant(64) }, fc.nat(200))
  const hashed = fc.record({ words: fc.array(word, { minLength: 7, maxLength: 7 }), size, offset: fc.nat(40) })
  await fc.assert(
    fc.asyncProperty(fc.array(hashed, { minLength: 1, maxLength: 12 }), async (all) => {
      for (const { words, size: length, offset } of [...all, ...all]) {
        const content = Buffer.from(words.join(''), 'hex').subarray(0, length)
        const data = Buffer.concat([numberWord(length), numberWord(offset), content])
        const { output } = executed(await session.call(callTo(CODE, { data }), NO_CHECKS))
        expect(bytesToHex(output)).toBe(keccakHash(content))
      }
    }),
    { numRuns: 200 },
  )
})

function numberWord(number: number): Buffer {
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex')
}
