import { BERLIN, SHANGHAI, SPURIOUS_DRAGON, TANGERINE_WHISTLE } from '../../../../chain/forks/ordinals.ts'
import { CREATE, CREATE2 } from '../../abi/opcodes.ts'
import {
  ACCOUNT_BALANCE,
  ACCOUNT_EXISTS,
  ACCOUNT_GENERATION,
  ACCOUNT_HOST_STORAGE,
  ACCOUNT_NONCE,
  CODE_PADDING,
} from '../../abi/records.ts'
import {
  ADDRESS_COLLISION,
  BALANCE_OVERFLOW,
  CALL_TOO_DEEP,
  CONTINUE,
  INITCODE_TOO_LARGE,
  INSUFFICIENT_BALANCE,
  NONCE_OVERFLOW,
  OUT_OF_GAS,
  WRITE_PROTECTION,
} from '../../abi/status.ts'
import { setReturnSize } from '../host-data.ts'
import * as Frame from '../memory/frames.ts'
import { codeSizeLimit, fork } from '../session-rules.ts'
import { accountAt, needAccount, needStorage } from '../state/access.ts'
import { bringIntoExistence, clearStorageOf, hasCode, markCreated, setNonce, warmAccount } from '../state/accounts.ts'
import { markJumpdests } from '../state/codes.ts'
import { hashBytes } from '../state/hash-cache.ts'
import { skipTransferLog } from '../state/logs.ts'
import { hasStorage } from '../state/slots.ts'
import { TRACES, traceEntry, traceExit } from '../tracing.ts'
import { copyAddress, copyWord, isLess, reverseWord, setWord, toSize } from '../words/word.ts'
import { payTo, refuse } from './calls.ts'
import { endFrame } from './endings.ts'
import { chargeWords, expandMemory } from './memory.ts'
import { beginFrame } from './undo.ts'

/** CREATE, CREATE2 (EIP-1014) and creation transactions. */

const INITCODE_WORD_GAS: i64 = 2
const HASH_WORD_GAS: i64 = 6

const DIGEST = memory.data(32, 16)
const ADDRESS = memory.data(32, 16)
const PREIMAGE = memory.data(96, 16)

/** Stack, from the top: value, memory offset, size, and the salt of CREATE2. */
export function create(isSalted: bool): u32 {
  if (load<u32>(Frame.frame, Frame.IS_STATIC) !== 0) return WRITE_PROTECTION
  const words = Frame.stackPointer - (isSalted ? 4 * 32 : 3 * 32)
  const top = Frame.stackPointer - 32
  const offset = toSize(top - 32)
  const size = toSize(top - 64)
  if (!expandMemory(offset, size)) return OUT_OF_GAS
  if (fork >= SHANGHAI) {
    if (size > 2 * codeSizeLimit) return INITCODE_TOO_LARGE
    if (!chargeWords(size, INITCODE_WORD_GAS)) return OUT_OF_GAS
  }
  if (isSalted && !chargeWords(size, HASH_WORD_GAS)) return OUT_OF_GAS

  const self = load<usize>(Frame.frame, Frame.SELF)
  const nonce = load<u64>(self, ACCOUNT_NONCE)
  const isRefused = Frame.depth >= Frame.MAX_DEPTH || isLess(self + ACCOUNT_BALANCE, top) || nonce === u64.MAX_VALUE
  const initcode = Frame.memoryBase + (size === 0 ? 0 : offset)
  if (!isRefused) {
    if (isSalted) addressOfCreate2(self, words, initcode, size)
    else addressOfCreate(self, nonce)
    const position = accountAt(ADDRESS)
    if (position === 0) return needAccount(ADDRESS)
    if (needsStorageCheck(position)) return needStorage(position)
  }
  Frame.pop(isSalted ? 4 : 3)
  if (TRACES) {
    const opcode = isSalted ? CREATE2 : CREATE
    traceEntry(opcode, self, isRefused ? 0 : accountAt(ADDRESS), top, initcode, size, gasForCreation())
    if (isRefused) traceExit(refusal(nonce), 0, 0, gasForCreation())
  }
  if (isRefused) {
    skipTransferLog(top)
    return refuse(0)
  }
  const gas = gasForCreation()
  Frame.charge(gas)
  setReturnSize(0)
  setNonce(self, nonce + 1)
  const created = accountAt(ADDRESS)
  if (fork >= BERLIN) warmAccount(created)
  if (hasCollision(created)) {
    skipTransferLog(top)
    if (TRACES) traceExit(ADDRESS_COLLISION, 0, 0, 0)
    setWord(Frame.push(), 0)
    return CONTINUE
  }
  const frame = beginFrame(gas)
  store<usize>(frame, self, Frame.CALLER)
  copyWord(frame + Frame.VALUE, top)
  return beginCreation(created, initcode, size)
}

/** EIP-150 */
function gasForCreation(): i64 {
  return fork >= TANGERINE_WHISTLE ? Frame.gasLeft - Frame.gasLeft / 64 : Frame.gasLeft
}

/** Why a creation is refused. */
function refusal(nonce: u64): u32 {
  if (Frame.depth >= Frame.MAX_DEPTH) return CALL_TOO_DEEP
  return nonce === u64.MAX_VALUE ? NONCE_OVERFLOW : INSUFFICIENT_BALANCE
}

/** Whether an account at the address prevents a creation (EIP-684, EIP-7610). */
export function hasCollision(account: usize): bool {
  return load<u64>(account, ACCOUNT_NONCE) !== 0 || hasCode(account) || hasStorage(account)
}

/** Whether the host must say if the account has storage: it was loaded from the host, without code or nonce. */
export function needsStorageCheck(account: usize): bool {
  if (load<u32>(account, ACCOUNT_HOST_STORAGE) !== 0 || load<u32>(account, ACCOUNT_EXISTS) === 0) return false
  return load<u32>(account, ACCOUNT_GENERATION) === 0 && load<u64>(account, ACCOUNT_NONCE) === 0 && !hasCode(account)
}

/** Creates the account and runs the initcode, in the frame that was just opened with caller and value. */
export function beginCreation(created: usize, initcode: usize, size: usize): u32 {
  const frame = Frame.frame
  store<usize>(frame, created, Frame.SELF)
  store<u32>(frame, 1, Frame.IS_CREATION)
  store<u32>(frame, 0, Frame.IS_STATIC)
  store<u32>(frame, 0, Frame.INPUT_SIZE)
  store<usize>(frame, 0, Frame.INPUT)
  store<u32>(frame, 0, Frame.OUTPUT_SIZE)
  bringIntoExistence(created)
  clearStorageOf(created)
  markCreated(created)
  if (fork >= SPURIOUS_DRAGON) setNonce(created, 1)
  if (!payTo(load<usize>(frame, Frame.CALLER), created, frame + Frame.VALUE)) return endFrame(BALANCE_OVERFLOW, 0, 0)

  const code = Frame.reserveInFrame(size + CODE_PADDING + size)
  memory.copy(code, initcode, size)
  memory.fill(code + size, 0, CODE_PADDING)
  const table = code + size + CODE_PADDING
  markJumpdests(code, size, table)
  Frame.setFrameCode(code, size, table)
  return CONTINUE
}

/** Low 20 bytes of the digest, as a word. */
function takeAddress(): void {
  memory.fill(DIGEST, 0, 12)
  reverseWord(ADDRESS, DIGEST)
}

/** 20 bytes of an account's address. */
function writeAddress(to: usize, account: usize): void {
  copyAddress(ADDRESS, account)
  reverseWord(ADDRESS, ADDRESS)
  memory.copy(to, ADDRESS + 12, 20)
}

/** keccak of the RLP list of sender and nonce. */
function addressOfCreate(self: usize, nonce: u64): void {
  const bytes = <usize>(8 - (clz<u64>(nonce) >> 3))
  const isShort = nonce < 0x80
  const nonceSize = isShort ? 1 : bytes + 1
  store<u8>(PREIMAGE, <u8>(0xc0 + 21 + nonceSize))
  store<u8>(PREIMAGE, 0x80 + 20, 1)
  writeAddress(PREIMAGE + 2, self)
  const at = PREIMAGE + 22
  if (isShort) {
    store<u8>(at, nonce === 0 ? 0x80 : <u8>nonce)
  } else {
    store<u8>(at, <u8>(0x80 + bytes))
    for (let index: usize = 0; index < bytes; index++) {
      store<u8>(at + 1 + index, <u8>(nonce >> ((<u64>(bytes - 1 - index)) << 3)))
    }
  }
  hashBytes(PREIMAGE, 22 + nonceSize, DIGEST)
  takeAddress()
}

function addressOfCreate2(self: usize, salt: usize, initcode: usize, size: usize): void {
  store<u8>(PREIMAGE, 0xff)
  writeAddress(PREIMAGE + 1, self)
  reverseWord(PREIMAGE + 21, salt)
  hashBytes(initcode, size, PREIMAGE + 53)
  hashBytes(PREIMAGE, 85, DIGEST)
  takeAddress()
}
