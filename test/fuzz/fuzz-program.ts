import type { Fork } from '../../src/chain/forks/forks.ts'
import type { Authorization } from '../../src/chain/transaction/transaction.ts'
import type { Call } from '../../src/engine/types.ts'
import { type Address, bytesToHex, type Hash, hexToBytes, type Slot } from '../../src/primitives/hex.ts'

/** An account before the first call. */
export interface FuzzAccount {
  readonly nonce: bigint
  readonly balance: bigint
  /** Statements of its code in hex without prefix; each can be removed without affecting the others. */
  readonly code: readonly string[]
  readonly storage: ReadonlyMap<Slot, bigint>
}

export interface FuzzCall extends Pick<Call, 'to' | 'value' | 'gasLimit' | 'accessList'> {
  /** Statements of the call data or initcode. */
  readonly data: readonly string[]
  readonly authorizationList?: readonly Authorization[]
  readonly blobVersionedHashes?: readonly Hash[]
}

/** A state and the calls made on it, in order. */
export interface FuzzProgram {
  readonly fork: Fork
  readonly accounts: ReadonlyMap<Address, FuzzAccount>
  readonly calls: readonly FuzzCall[]
}

export function codeOf(statements: readonly string[]): Uint8Array {
  return hexToBytes(`0x${statements.join('')}`)
}

/** A printable form, to reproduce it by hand. */
export function programText({ fork, accounts, calls }: FuzzProgram): string {
  const lines = [`fork ${fork}`]
  for (const [address, { nonce, balance, code, storage }] of accounts) {
    lines.push(`account ${address}: nonce ${nonce}, balance ${balance}, code ${bytesToHex(codeOf(code))}`)
    for (const [slot, value] of storage) lines.push(`  slot ${slot}: ${value}`)
  }
  for (const { to, value, gasLimit, data, accessList, authorizationList, blobVersionedHashes } of calls) {
    lines.push(`call of ${to ?? 'a creation'}: gas ${gasLimit}, value ${value}, data ${bytesToHex(codeOf(data))}`)
    const more = { accessList, authorizationList, blobVersionedHashes }
    for (const [name, list] of Object.entries(more)) {
      if (list !== undefined && list.length > 0) lines.push(`  ${name}: ${JSON.stringify(list, bigintText)}`)
    }
  }
  return `${lines.join('\n')}\n`
}

function bigintText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
