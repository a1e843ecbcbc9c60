import * as Op from '../../abi/opcodes.ts'
import {
  ACCOUNT_BALANCE,
  ACCOUNT_CODE_HASH,
  CODE_BYTES,
  CODE_LENGTH,
  ENV_BASE_FEE,
  ENV_BLOB_BASE_FEE,
  ENV_CHAIN_ID,
  ENV_COINBASE,
  ENV_GAS_LIMIT,
  ENV_GAS_PRICE,
  ENV_NUMBER,
  ENV_ORIGIN,
  ENV_PREVRANDAO,
  ENV_TIMESTAMP,
} from '../../abi/records.ts'
import { CONTINUE, NEED_BLOCK_HASH, OUT_OF_GAS, RETURN_DATA_OUT_OF_BOUNDS } from '../../abi/status.ts'
import { EXIT_WORD } from '../exits.ts'
import * as Host from '../host-data.ts'
import {
  CALLER,
  codeSize,
  codeStart,
  frame,
  INPUT,
  INPUT_SIZE,
  memoryBase,
  pop,
  push,
  SELF,
  stackPointer,
  VALUE,
} from '../memory/frames.ts'
import { accountAt, chargeAccountAccess, needAccount, needCode } from '../state/access.ts'
import { exists, hasCode, isEmptyAccount } from '../state/accounts.ts'
import { codeOf } from '../state/codes.ts'
import { copyAddress, copyWord, NOT_A_SIZE, reverseWord, setWord, toSize, toUint64 } from '../words/word.ts'
import { chargeWords, copyPadded, expandMemory } from './memory.ts'

/** Instructions about the message, the block, and other accounts (Yellow Paper, appendix H.2, 0x30 to 0x4a). */

const COPY_WORD_GAS: i64 = 3
/** Number of blocks that BLOCKHASH can access. */
const BLOCK_HASHES: u64 = 256

/** Pushes the address of an account record. */
export function pushAddress(account: usize): u32 {
  copyAddress(push(), account)
  return CONTINUE
}

export function pushSelf(): u32 {
  return pushAddress(load<usize>(frame, SELF))
}

export function pushCaller(): u32 {
  return pushAddress(load<usize>(frame, CALLER))
}

export function pushNumber(value: u64): u32 {
  setWord(push(), value)
  return CONTINUE
}

export function pushWord(word: usize): u32 {
  copyWord(push(), word)
  return CONTINUE
}

/** ORIGIN, GASPRICE and header members. */
export function pushEnvironment(opcode: u32): u32 {
  return pushWord(Host.ENVIRONMENT + environmentOffset(opcode))
}

function environmentOffset(opcode: u32): usize {
  switch (opcode) {
    case Op.ORIGIN:
      return ENV_ORIGIN
    case Op.GASPRICE:
      return ENV_GAS_PRICE
    case Op.COINBASE:
      return ENV_COINBASE
    case Op.TIMESTAMP:
      return ENV_TIMESTAMP
    case Op.NUMBER:
      return ENV_NUMBER
    case Op.PREVRANDAO:
      return ENV_PREVRANDAO
    case Op.GASLIMIT:
      return ENV_GAS_LIMIT
    case Op.CHAINID:
      return ENV_CHAIN_ID
    case Op.BASEFEE:
      return ENV_BASE_FEE
    default:
      return ENV_BLOB_BASE_FEE
  }
}

export function pushValue(): u32 {
  return pushWord(frame + VALUE)
}

const LOADED = memory.data(32, 16)

export function loadCallData(): u32 {
  const word = stackPointer - 32
  const offset = toSize(word)
  const size = <usize>load<u32>(frame, INPUT_SIZE)
  const input = load<usize>(frame, INPUT)
  if (offset < size && size - offset >= 32) {
    reverseWord(word, input + offset)
    return CONTINUE
  }
  copyPadded(LOADED, input, size, offset, 32)
  reverseWord(word, LOADED)
  return CONTINUE
}

/** CALLDATACOPY and CODECOPY: memory offset, source offset, size. */
function copyToMemory(source: usize, sourceSize: usize): u32 {
  const words = pop(3)
  const to = toSize(words + 64)
  const from = toSize(words + 32)
  const size = toSize(words)
  if (!expandMemory(to, size) || !chargeWords(size, COPY_WORD_GAS)) return OUT_OF_GAS
  if (size !== 0) copyPadded(memoryBase + to, source, sourceSize, from, size)
  return CONTINUE
}

export function copyCallData(): u32 {
  return copyToMemory(load<usize>(frame, INPUT), <usize>load<u32>(frame, INPUT_SIZE))
}

export function copyCode(): u32 {
  return copyToMemory(codeStart, codeSize)
}

/** EIP-211: reading past the end halts the frame. */
export function copyReturnData(): u32 {
  const words = pop(3)
  const to = toSize(words + 64)
  const from = toSize(words + 32)
  const size = toSize(words)
  if (from === NOT_A_SIZE || <u64>from + <u64>size > <u64>Host.returnSize) return RETURN_DATA_OUT_OF_BOUNDS
  if (!expandMemory(to, size) || !chargeWords(size, COPY_WORD_GAS)) return OUT_OF_GAS
  if (size !== 0) memory.copy(memoryBase + to, load<usize>(Host.RETURN_BUFFER) + from, size)
  return CONTINUE
}

/** EIP-5656: memory offset, source offset, size. */
export function copyMemory(): u32 {
  const words = pop(3)
  const to = toSize(words + 64)
  const from = toSize(words + 32)
  const size = toSize(words)
  if (!expandMemory(max<usize>(to, from), size) || !chargeWords(size, COPY_WORD_GAS)) return OUT_OF_GAS
  if (size !== 0) memory.copy(memoryBase + to, memoryBase + from, size)
  return CONTINUE
}

export function balance(): u32 {
  const word = stackPointer - 32
  const account = accountAt(word)
  if (account === 0) return needAccount(word)
  if (!chargeAccountAccess(account)) return OUT_OF_GAS
  copyWord(stackPointer - 32, account + ACCOUNT_BALANCE)
  return CONTINUE
}

/** EIP-1884 */
export function selfBalance(): u32 {
  return pushWord(load<usize>(frame, SELF) + ACCOUNT_BALANCE)
}

export function externalCodeSize(): u32 {
  const word = stackPointer - 32
  const account = accountAt(word)
  if (account === 0) return needAccount(word)
  if (hasCode(account) && codeOf(account) === 0) return needCode(account)
  if (!chargeAccountAccess(account)) return OUT_OF_GAS
  setWord(stackPointer - 32, hasCode(account) ? load<u32>(codeOf(account), CODE_LENGTH) : 0)
  return CONTINUE
}

/** EIP-1052 */
export function externalCodeHash(): u32 {
  const word = stackPointer - 32
  const account = accountAt(word)
  if (account === 0) return needAccount(word)
  if (!chargeAccountAccess(account)) return OUT_OF_GAS
  if (!exists(account) || isEmptyAccount(account)) setWord(stackPointer - 32, 0)
  else reverseWord(stackPointer - 32, account + ACCOUNT_CODE_HASH)
  return CONTINUE
}

/** Stack: address, then as the other copies. */
export function copyExternalCode(): u32 {
  const word = stackPointer - 32
  const account = accountAt(word)
  if (account === 0) return needAccount(word)
  if (hasCode(account) && codeOf(account) === 0) return needCode(account)
  if (!chargeAccountAccess(account)) return OUT_OF_GAS
  pop(1)
  if (!hasCode(account)) return copyToMemory(0, 0)
  const code = codeOf(account)
  return copyToMemory(code + CODE_BYTES, <usize>load<u32>(code, CODE_LENGTH))
}

export function blockHash(): u32 {
  const word = stackPointer - 32
  const number = toUint64(word)
  const current = load<u64>(Host.ENVIRONMENT + ENV_NUMBER)
  if (number >= current || current - number > BLOCK_HASHES) {
    setWord(word, 0)
    return CONTINUE
  }
  if (Host.cachedBlock !== <i64>number) {
    reverseWord(EXIT_WORD, word)
    return NEED_BLOCK_HASH
  }
  reverseWord(word, Host.CACHED_BLOCK_HASH)
  return CONTINUE
}

/** EIP-4844 */
export function blobHash(): u32 {
  const word = stackPointer - 32
  const index = toSize(word)
  if (index >= Host.blobHashCount) setWord(word, 0)
  else reverseWord(word, Host.blobHashes + (index << 5))
  return CONTINUE
}
