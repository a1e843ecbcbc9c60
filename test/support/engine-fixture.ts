import type { ChainConfig } from '../../src/chain/forks/chain-config.ts'
import type { DepositTransaction, PoolTransaction } from '../../src/chain/transaction/transaction.ts'
import { signTransaction } from '../../src/chain/transaction/transaction-codec.ts'
import type { UnsignedTransaction } from '../../src/chain/transaction/transaction-payload.ts'
import { createEngine } from '../../src/engine/session/create-engine.ts'
import type { BlockEnv, Call, CallChecks, Executed, Result, Session, SessionOptions } from '../../src/engine/types.ts'
import { type Address, EMPTY_BYTES, hexToBytes, toAddress, toHash } from '../../src/primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../src/primitives/keccak.ts'
import { bigintToHash } from '../../src/primitives/quantity.ts'
import { privateKeyToAddress } from '../../src/primitives/secp256k1/secp256k1.ts'
import { StateOverlay } from '../../src/state/overlay.ts'
import type { StateReader } from '../../src/state/state-reader.ts'

export const COINBASE = address(0xc0ffee)
export const VAULT = address(0xfee)
export const ETHER = 10n ** 18n

const PRIVATE_KEY = new Uint8Array(32).fill(1)
/** Has 10 ether in `openSession`. */
export const SENDER = privateKeyToAddress(PRIVATE_KEY)

export const LAYER_1: ChainConfig = { chainId: 1n, forkBlocks: {}, forkTimes: {}, blobSchedule: {} }
export const LAYER_2: ChainConfig = {
  ...LAYER_1,
  chainId: 31_337n,
  layer2: {
    eip1559Elasticity: 5,
    eip1559Denominator: 100,
    minBaseFee: 1n,
    daFootprintGasScalar: 0,
    baseFeeRecipient: VAULT,
  },
}

export const ENV: BlockEnv = {
  number: 7,
  timestamp: 1_700_000_000n,
  gasLimit: 30_000_000n,
  coinbase: COINBASE,
  baseFee: 10n,
  difficulty: 0n,
  prevRandao: toHash(`0x${'ab'.repeat(32)}`),
  blobBaseFee: 3n,
  fork: 'prague',
}

export const NO_CHECKS: CallChecks = { nonce: false, baseFee: false, senderWithoutCode: false, gasFunds: false }

export interface SessionSetting extends SessionOptions {
  readonly config?: ChainConfig
  readonly env?: Partial<BlockEnv>
  /** Code by address; each has nonce 1. */
  readonly code?: Readonly<Record<Address, string>>
  readonly balances?: Readonly<Record<Address, bigint>>
}

export function address(number: number): Address {
  return toAddress(`0x${number.toString(16).padStart(40, '0')}`)
}

/** A session on a state where `SENDER` has 10 ether. */
export function openSession(setting: SessionSetting = {}): Session {
  const engine = createEngine({ config: setting.config ?? LAYER_2 })
  return engine.open({ ...ENV, ...setting.env }, stateOf(setting), setting)
}

/** Initial state of `openSession`. */
export function stateOf({ code = {}, balances = {} }: SessionSetting): StateReader {
  const nothing = {
    account: () => undefined,
    storage: () => 0n,
    hasStorage: () => false,
    code: () => EMPTY_BYTES,
    blockHash: (number: number) => toHash(`0x${number.toString(16).padStart(64, '0')}`),
  }
  const state = new StateOverlay(nothing)
  for (const [key, hex] of Object.entries(code)) {
    const codeHash = state.setCode(key as Address, hexToBytes(hex))
    state.setAccount(key as Address, { nonce: 1n, balance: 0n, codeHash })
  }
  const allBalances: Readonly<Record<string, bigint>> = { [SENDER]: 10n * ETHER, ...balances }
  for (const [key, balance] of Object.entries(allBalances)) {
    const account = state.account(key as Address) ?? { nonce: 0n, codeHash: EMPTY_CODE_HASH }
    state.setAccount(key as Address, { ...account, balance })
  }
  return state
}

/** A transfer of 5 wei to account 0xbeef by `SENDER`, tip 2; overridable. */
export function transaction(fields: Partial<Extract<UnsignedTransaction, { type: 2 }>> = {}): PoolTransaction {
  return sign({
    type: 2,
    chainId: LAYER_2.chainId,
    nonce: 0n,
    gasLimit: 21_000n,
    to: address(0xbeef),
    value: 5n,
    data: EMPTY_BYTES,
    accessList: [],
    maxFeePerGas: 100n,
    maxPriorityFeePerGas: 2n,
    ...fields,
  })
}

/** A transfer of 5 wei by `SENDER` with one blob, at 9 wei per blob gas at most. */
export function blob(chainId: bigint): PoolTransaction {
  return sign({
    type: 3,
    chainId,
    nonce: 0n,
    gasLimit: 21_000n,
    to: address(0xbeef),
    value: 5n,
    data: EMPTY_BYTES,
    accessList: [],
    maxFeePerGas: 100n,
    maxPriorityFeePerGas: 2n,
    maxFeePerBlobGas: 9n,
    blobVersionedHashes: [toHash(`0x01${'00'.repeat(31)}`)],
  })
}

/** Signed by `SENDER`. */
export function sign(unsigned: UnsignedTransaction): PoolTransaction {
  return signTransaction(unsigned, PRIVATE_KEY)
}

/** A free call by `SENDER`; overridable. */
export function callTo(to: Address | null, fields: Partial<Call> = {}): Call {
  return {
    from: SENDER,
    to,
    gasLimit: 1_000_000n,
    value: 0n,
    data: EMPTY_BYTES,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
    ...fields,
  }
}

/** The result of a message that must not be invalid. */
export function executed(result: Result): Executed {
  if (result.kind === 'invalid') throw new Error(`invalid: ${result.error.code}`)
  return result
}

export function balanceOf(session: Session, account: Address): bigint {
  return session.state.account(account)?.balance ?? 0n
}

/** A deposit: account 0xd0 mints 100 wei and sends 40 to account 0xbeef; overridable. */
export function deposit(fields: Partial<DepositTransaction> = {}): DepositTransaction {
  return {
    type: 0x7e,
    hash: bigintToHash(1n),
    raw: EMPTY_BYTES,
    sourceHash: bigintToHash(2n),
    from: address(0xd0),
    to: address(0xbeef),
    mint: 100n,
    value: 40n,
    gasLimit: 100_000n,
    isSystemTransaction: false,
    data: EMPTY_BYTES,
    ...fields,
  }
}
