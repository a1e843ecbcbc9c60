import { createAccessList } from '../../engine/call/create-access-list.ts'
import { overriddenState } from '../../engine/call/state-overrides.ts'
import { type StateChanges, withStorage } from '../../node/development/state-changes.ts'
import { LATEST } from '../../node/view/block-reference.ts'
import { type Address, bytesToHex, type Hash, hexToBytes, type Slot } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import type { ReadContext, State } from '../context/reading.ts'
import { callSite } from '../queries/call-site.ts'

/** A call of a token that returns one number, such as `balanceOf`. */
export interface TokenRead {
  readonly token: Address
  readonly signature: string
  readonly arguments: readonly Address[]
}

export interface TokenDeps {
  readonly context: ReadContext
  readonly state: StateChanges
}

/**
 * Makes a call of a token return a value, by writing the storage slot that it returns: of the slots that it reads, the
 * one whose content it returns.
 *
 * @returns false if there is no such slot
 */
export async function setTokenValue(read: TokenRead, value: bigint, { context, state }: TokenDeps): Promise<boolean> {
  const { token } = read
  const request = { to: token, data: callData(read) }
  const { env, state: latest } = callSite(context, request, LATEST)
  const run = async (on: State) => {
    const { engine, options, mayContinue } = context
    const created = await createAccessList(engine, env, on, request, { gasCap: options.callGasCap, mayContinue })
    return created.kind === 'created' && created.executed.status === 'success' ? created : undefined
  }
  const returns = async (slot: Slot, word: bigint) => {
    const result = await run(overriddenState(latest, withStorage(latest, token, slot, word)))
    return result !== undefined && bytesToHex(result.executed.output) === bigintToHash(word)
  }
  const first = await run(latest)
  const slots = first?.accessList.find(({ address }) => address === token)?.storageKeys ?? []
  for (const key of slots) {
    const slot = key as Hash as unknown as Slot
    // Another value as well: a token may return this one whatever the slot contains.
    if (!(await returns(slot, value)) || !(await returns(slot, value === 0n ? 1n : value - 1n))) continue
    await state.setStorage(token, slot, value)
    return true
  }
  return false
}

function callData({ signature, arguments: values }: TokenRead): Uint8Array {
  const selector = keccak256(Buffer.from(signature, 'ascii')).subarray(0, 4)
  return Buffer.concat([selector, ...values.map((value) => hexToBytes(`0x${value.slice(2).padStart(64, '0')}`))])
}
