import { expect, it } from 'vitest'
import { address, callTo, ENV, executed, LAYER_2, NO_CHECKS, SENDER } from '../../../test/support/engine-fixture.ts'
import {
  type Address,
  type Bytes,
  bytesToHex,
  EMPTY_BYTES,
  type Hash,
  hexToBytes,
  ZERO_HASH,
} from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH, keccakHash } from '../../primitives/keccak.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { createEngine } from '../session/create-engine.ts'

const CONTRACTS = 2_000
const CODE_BYTES = 24_000
const FIRST = 0x100000
/** Account FIRST + n delegates (EIP-7702) to account FIRST_DELEGATE + n if n is odd. */
const FIRST_DELEGATE = 0x200000
const CALLER = address(0xca11)

/** Calls the accounts from FIRST on in order and returns the sum of their results. */
const CALLER_CODE = `0x5f5f5b60205f5f5f5f8573${address(FIRST).slice(2)}015af150905f5101906001018061${CONTRACTS.toString(16).padStart(4, '0')}11600257505f5260205ff3`

/** Returns `number`, from code of a given size. */
function largeCode(number: number): Bytes {
  const code = new Uint8Array(CODE_BYTES)
  code.set(hexToBytes(`0x63${number.toString(16).padStart(8, '0')}5f5260205ff3`))
  return code
}

function codeAt(account: Address): Bytes {
  if (account === CALLER) return hexToBytes(CALLER_CODE)
  const number = Number(account)
  const isFirst = number >= FIRST && number < FIRST + CONTRACTS
  const index = number - (isFirst ? FIRST : FIRST_DELEGATE)
  if (index < 0 || index >= CONTRACTS) return EMPTY_BYTES
  return isFirst && index % 2 === 1
    ? hexToBytes(`0xef0100${address(FIRST_DELEGATE + index).slice(2)}`)
    : largeCode(index)
}

it('a session that exceeds the code cache reloads code from the state and keeps code that it deployed itself', async () => {
  const codes = new Map<Hash, Bytes>()
  let reads = 0
  const state: StateReader = {
    account: (account) => {
      if (account === SENDER) return { nonce: 0n, balance: 10n ** 18n, codeHash: EMPTY_CODE_HASH }
      const code = codeAt(account)
      if (code.length === 0) return undefined
      const codeHash = keccakHash(code)
      codes.set(codeHash, code)
      return { nonce: 1n, balance: 0n, codeHash }
    },
    storage: () => 0n,
    hasStorage: () => false,
    code: (hash) => {
      reads += 1
      const code = codes.get(hash)
      if (code === undefined) throw new Error(`the state below has no code ${hash}`)
      return code
    },
    blockHash: () => ZERO_HASH,
  }
  const session = createEngine({ config: LAYER_2 }).open({ ...ENV, gasLimit: 1n << 40n }, state)
  const call = async (to: Address | null, data: Bytes = EMPTY_BYTES) =>
    executed(await session.call(callTo(to, { data, gasLimit: 1n << 32n }), NO_CHECKS))

  const created = (await call(null, hexToBytes('0x69602a60005260206000f3600052600a6016f3'))).contractAddress!
  const taken = session.takeDiff()
  const later = (await call(null, hexToBytes('0x69602b60005260206000f3600052600a6016f3'))).contractAddress!
  const sum = BigInt((CONTRACTS * (CONTRACTS - 1)) / 2)
  const first = await call(CALLER)
  expect(first.status).toBe('success')
  expect(BigInt(bytesToHex(first.output))).toBe(sum)
  expect(reads).toBe(1 + CONTRACTS + CONTRACTS / 2)
  const again = await call(CALLER)
  expect(BigInt(bytesToHex(again.output))).toBe(sum)
  expect(again.gasUsed).toBe(first.gasUsed)
  // The cache evicted code, which was read from the state again.
  expect(reads).toBeGreaterThan(CONTRACTS * 2)
  // The state does not contain code that this session deployed, whether a diff included it or not.
  expect(BigInt(bytesToHex((await call(created)).output))).toBe(42n)
  expect(BigInt(bytesToHex((await call(later)).output))).toBe(43n)
  expect(taken.code.size).toBe(1)
  expect(session.takeDiff().code.size).toBe(1)
  session.close()
})
