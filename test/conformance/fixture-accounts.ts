import type { GenesisAccount } from '../../src/chain/predeploys/predeploy.ts'
import { type Address, EMPTY_BYTES, hexToBytes, toAddress, ZERO_HASH } from '../../src/primitives/hex.ts'
import { keccakHash } from '../../src/primitives/keccak.ts'
import { bigintToSlot } from '../../src/primitives/quantity.ts'
import { genesisDiff } from '../../src/state/genesis-state.ts'
import type { StateDiff } from '../../src/state/state-diff.ts'
import type { StateReader } from '../../src/state/state-reader.ts'

/** Accounts in the format of the suites; numbers are hex with leading zeros. */
export type FixtureAccounts = Readonly<Record<string, FixtureAccount>>

interface FixtureAccount {
  readonly balance: string
  readonly nonce: string
  readonly code: string
  readonly storage: Readonly<Record<string, string>>
}

/** A state without accounts. */
export const NO_STATE: StateReader = {
  account: () => undefined,
  storage: () => 0n,
  hasStorage: () => false,
  code: () => EMPTY_BYTES,
  blockHash: () => ZERO_HASH,
}

/** The accounts as a diff on the empty state. */
export function fixtureDiff(fixture: FixtureAccounts): StateDiff {
  return genesisDiff(readAccounts(fixture))
}

/** The first account, slot or code that differs from the fixture; undefined: none. */
export function accountFault(fixture: FixtureAccounts, state: StateReader): string | undefined {
  for (const [address, wanted] of readAccounts(fixture)) {
    const got = state.account(address)
    if (got === undefined) return `account ${address} is not there`
    if (got.balance !== wanted.balance) return `balance of ${address} is ${got.balance}, expected ${wanted.balance}`
    if (got.nonce !== wanted.nonce) return `nonce of ${address} is ${got.nonce}, expected ${wanted.nonce}`
    if (got.codeHash !== keccakHash(wanted.code)) return `code of ${address} has hash ${got.codeHash}`
    for (const [slot, value] of wanted.storage) {
      const stored = state.storage(address, slot)
      if (stored !== value) return `slot ${slot} of ${address} is ${stored}, expected ${value}`
    }
  }
  return undefined
}

function readAccounts(fixture: FixtureAccounts): ReadonlyMap<Address, GenesisAccount> {
  return new Map(
    Object.entries(fixture).map(([address, { balance, nonce, code, storage }]) => {
      const slots = Object.entries(storage).map(([slot, value]) => [bigintToSlot(BigInt(slot)), BigInt(value)] as const)
      const account = {
        balance: BigInt(balance),
        nonce: BigInt(nonce),
        code: hexToBytes(code),
        // A slot of zero equals a missing one.
        storage: new Map(slots.filter(([, value]) => value !== 0n)),
      }
      return [toAddress(address), account] as const
    }),
  )
}
