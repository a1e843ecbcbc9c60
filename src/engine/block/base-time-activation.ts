import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { denimActivation } from '../../chain/forks/denim-schedule.ts'
import {
  ADMIN_SLOT,
  BASE_TIME,
  IMPLEMENTATION_SLOT,
  PROXY_ADMIN,
} from '../../chain/predeploys/op-stack/op-stack-contracts.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH, keccakHash } from '../../primitives/keccak.ts'
import { bigintToWord } from '../../primitives/quantity.ts'
import type { Account } from '../../state/account.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'

const NO_ACCOUNT: Account = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH }

/** Whether a block installs BaseTime before its transactions: the first Denim block of a chain that ran before it. */
export function installsBaseTime(number: number, config: ChainConfig): boolean {
  return denimActivation(config) === BigInt(number)
}

/**
 * Why BaseTime cannot be installed on a state, in the words of base/base; undefined if it can, or if its proxy has an
 * implementation already.
 */
export function baseTimeActivationFault(state: StateReader): string | undefined {
  const { address } = BASE_TIME
  if (state.storage(address, IMPLEMENTATION_SLOT) !== 0n) return undefined
  const proxy = state.account(address)
  if (proxy === undefined) return 'BaseTime activation requires the reserved proxy account'
  if (proxy.codeHash === EMPTY_CODE_HASH) return 'BaseTime activation requires existing proxy code'
  const admin = state.storage(address, ADMIN_SLOT)
  if (admin === PROXY_ADMIN) return undefined
  return `BaseTime activation requires the canonical proxy admin, found ${bytesToHex(bigintToWord(admin).subarray(12))}`
}

/**
 * The irregular state change of the activation: the code of BaseTime, and its address in the proxy (Base specs: Denim).
 * Undefined if the proxy has an implementation already, and if BaseTime cannot be installed: an import has refused the
 * block then, and a leader whose operator broke the proxy continues with a block that others refuse.
 */
export function baseTimeInstallation(state: StateReader): StateDiff | undefined {
  const { address, implementation, code } = BASE_TIME
  if (state.storage(address, IMPLEMENTATION_SLOT) !== 0n) return undefined
  if (baseTimeActivationFault(state) !== undefined) return undefined
  const codeHash = keccakHash(code)
  const proxy = state.account(address)!
  const target = { ...(state.account(implementation) ?? NO_ACCOUNT), codeHash }
  return {
    accounts: new Map([
      [address, { account: proxy, storageCleared: false }],
      [implementation, { account: target, storageCleared: false }],
    ]),
    storage: new Map([[address, new Map([[IMPLEMENTATION_SLOT, BigInt(implementation)]])]]),
    code: new Map([[codeHash, code]]),
  }
}
