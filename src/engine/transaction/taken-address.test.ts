import { getContractAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  address,
  callTo,
  ENV,
  executed,
  LAYER_2,
  NO_CHECKS,
  SENDER,
  stateOf,
} from '../../../test/support/engine-fixture.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import type { Address } from '../../primitives/hex.ts'
import { bytesToHex, hexToBytes, toAddress, ZERO_HASH } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import { bigintToHash, bigintToSlot } from '../../primitives/quantity.ts'
import { layerReader } from '../../state/layered-reader.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { createEngine } from '../session/create-engine.ts'

const CREATOR = address(0xa1)
/** CREATE, or CREATE2 with salt 0, of a contract without code. Returns the new address. */
const CREATES = '0x5f5f5ff05f5260205ff3'
const CREATES_SALTED = '0x5f5f5f5ff55f5260205ff3'
/** Reads the balance of the address before the creation. */
const afterBalanceRead = (position: Address, creates: string) => `0x73${position.slice(2)}3150${creates.slice(2)}`

/** The state below the session has an account with one slot and no code (EIP-7610). */
function withSlotAt(position: Address, below: StateReader, value = 7n): StateReader {
  const account = { nonce: 0n, balance: 1n, codeHash: EMPTY_CODE_HASH }
  const diff = {
    accounts: new Map([[position, { account, storageCleared: false }]]),
    storage: new Map([[position, new Map([[bigintToSlot(1n), value]])]]),
    code: new Map(),
  }
  return layerReader(below, [{ diff }], new Map())
}

const engine = createEngine({ config: LAYER_2 })

describe.each([
  ['CREATE', createAddress(CREATOR, 1n), CREATES],
  [
    'CREATE2',
    toAddress(getContractAddress({ opcode: 'CREATE2', from: CREATOR, salt: ZERO_HASH, bytecodeHash: EMPTY_CODE_HASH })),
    CREATES_SALTED,
  ],
])('%s', (_, position, creates) => {
  test.each([
    ['the account is not loaded', creates],
    ['its balance was read before', afterBalanceRead(position, creates)],
  ])('does not create a contract over slots that the session has not read, where %s', async (__, code) => {
    const below = stateOf({ code: { [CREATOR]: code } })
    const created = async (state: StateReader) => {
      const session = engine.open(ENV, state)
      const { output } = executed(await session.call(callTo(CREATOR), NO_CHECKS))
      const { nonce } = session.state.account(position) ?? { nonce: 0n }
      session.close()
      return { output: bytesToHex(output), nonce }
    }
    expect(await created(withSlotAt(position, below))).toEqual({ output: bigintToHash(0n), nonce: 0n })
    const made = { output: `0x${position.slice(2).padStart(64, '0')}`, nonce: 1n }
    expect(await created(withSlotAt(position, below, 0n))).toEqual(made)
    expect(await created(below)).toEqual(made)
  })
})

test('a transaction fails and uses all gas instead of creating a contract over slots that the session has not read', async () => {
  const position = createAddress(SENDER, 0n)
  const call = callTo(null, { data: hexToBytes('0x5f5ff3'), gasLimit: 100_000n })
  const outcome = async (state: StateReader) => {
    const session = engine.open(ENV, state)
    const { status, gasUsed } = executed(await session.call(call, NO_CHECKS))
    session.close()
    return { status, gasUsed: Number(gasUsed) }
  }
  const { status, gasUsed } = await outcome(withSlotAt(position, stateOf({})))
  expect(status).not.toBe('success')
  expect(gasUsed).toBe(100_000)
  expect((await outcome(stateOf({}))).status).toBe('success')
})
