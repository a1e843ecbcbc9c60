import * as Op from '../../abi/opcodes.ts'
import {
  CONTINUE,
  CONTINUE_UNCHECKED,
  INVALID_JUMP,
  INVALID_OPCODE,
  OUT_OF_GAS,
  PAUSED,
  REVERTED,
  STOPPED,
} from '../../abi/status.ts'
import { endFrame, returnOutput } from '../execution/endings.ts'
import { markGasObserved } from '../execution/gas-need.ts'
import { chargeWords, expandMemory, loadWord, storeWord } from '../execution/memory.ts'
import { runComplex } from '../execution/other-opcodes.ts'
import { isExit } from '../exits.ts'
import { expByteGas, GAS_TABLE, isInstruction, JUMPDEST_GAS } from '../gas-table.ts'
import * as Frame from '../memory/frames.ts'
import { hashToWord } from '../state/hash-cache.ts'
import { expectRepetition, TRACES, traceStep } from '../tracing.ts'
import * as Arithmetic from '../words/arithmetic.ts'
import * as Bits from '../words/bitwise.ts'
import { pushBytes, swap } from '../words/stack.ts'
import { copyWord, isEqual, isLess, isZero, loadBigEndian, reverseWord, setWord, toSize } from '../words/word.ts'
import { changesVersion, enterBlock, stackFault } from './stack-checks.ts'

/**
 * The interpreter loop. Program counter, stack pointer and gas are locals for instructions that use the stack only;
 * others find them in the frame's globals.
 */

const KECCAK_WORD_GAS: i64 = 6

/**
 * A jump executes its JUMPDEST, too, unless instructions are traced: it skips the byte and charges its gas, which is
 * the same in every fork.
 */
const FUSED_JUMPDEST: usize = TRACES ? 0 : 1
const FUSED_JUMPDEST_GAS: i64 = TRACES ? 0 : JUMPDEST_GAS

/** The instruction that halted a frame. */
export let faultyOpcode: u32 = 0

// Type arguments of `runFrame`.
type Checked = bool
type Unchecked = u32

/** Runs until the message ends or the host is needed. */
export function run(): u32 {
  let status = CONTINUE
  while (true) {
    if (Frame.gasLeft < Frame.pauseAt) return PAUSED
    status = status === CONTINUE_UNCHECKED ? runFrame<Unchecked>() : runFrame<Checked>()
    if (isExit(status)) return status
    if (status === CONTINUE || status === CONTINUE_UNCHECKED) continue
    status = endFrame(status, 0, 0)
    if (status !== CONTINUE) return status
  }
}

/**
 * Runs until the frame ends, another frame starts, the host is needed, or a code block needs the other version of this
 * function. The compiler makes one for each type argument; the one for `Checked` checks the stack.
 */
function runFrame<Version>(): u32 {
  const checksStack = isBoolean<Version>()
  let gas = Frame.gasLeft
  let pc = Frame.programCounter
  let sp = Frame.stackPointer
  while (true) {
    const opcode = <u32>load<u8>(pc)
    if (TRACES) traceStep(opcode, gas, pc, sp)
    if (checksStack) {
      const fault = stackFault(opcode, sp - Frame.stackBase)
      if (fault !== CONTINUE) return halt(fault, opcode)
    }
    const gasBefore = gas
    gas -= load<i64>(GAS_TABLE + (opcode << 3))
    if (gas < 0) return halt(isInstruction(opcode) ? OUT_OF_GAS : INVALID_OPCODE, opcode)
    pc++
    switch (opcode) {
      case Op.STOP:
        Frame.setGas(gas)
        return endFrame(STOPPED, 0, 0)
      case Op.ADD:
        sp -= 32
        Arithmetic.add(sp, sp - 32)
        break
      case Op.MUL:
        sp -= 32
        Arithmetic.multiply(sp, sp - 32)
        break
      case Op.SUB:
        sp -= 32
        Arithmetic.subtract(sp, sp - 32)
        break
      case Op.DIV:
        sp -= 32
        Arithmetic.quotient(sp, sp - 32)
        break
      case Op.SDIV:
        sp -= 32
        Arithmetic.signedQuotient(sp, sp - 32)
        break
      case Op.MOD:
        sp -= 32
        Arithmetic.remainder(sp, sp - 32)
        break
      case Op.SMOD:
        sp -= 32
        Arithmetic.signedRemainder(sp, sp - 32)
        break
      case Op.ADDMOD:
        sp -= 64
        Arithmetic.addModulo(sp + 32, sp, sp - 32)
        break
      case Op.MULMOD:
        sp -= 64
        Arithmetic.multiplyModulo(sp + 32, sp, sp - 32)
        break
      case Op.EXP: {
        sp -= 32
        gas -= expByteGas * <i64>Arithmetic.byteLength(sp - 32)
        if (TRACES) Frame.setGas(gas)
        if (gas < 0) return OUT_OF_GAS
        Arithmetic.power(sp, sp - 32)
        break
      }
      case Op.SIGNEXTEND:
        sp -= 32
        Arithmetic.extendSign(sp, sp - 32)
        break
      case Op.LT:
        sp -= 32
        setWord(sp - 32, <u64>isLess(sp, sp - 32))
        break
      case Op.GT:
        sp -= 32
        setWord(sp - 32, <u64>isLess(sp - 32, sp))
        break
      case Op.SLT:
        sp -= 32
        setWord(sp - 32, <u64>Bits.isSignedLess(sp, sp - 32))
        break
      case Op.SGT:
        sp -= 32
        setWord(sp - 32, <u64>Bits.isSignedLess(sp - 32, sp))
        break
      case Op.EQ:
        sp -= 32
        setWord(sp - 32, <u64>isEqual(sp, sp - 32))
        break
      case Op.ISZERO:
        setWord(sp - 32, <u64>isZero(sp - 32))
        break
      case Op.AND:
        sp -= 32
        Bits.and(sp, sp - 32)
        break
      case Op.OR:
        sp -= 32
        Bits.or(sp, sp - 32)
        break
      case Op.XOR:
        sp -= 32
        Bits.xor(sp, sp - 32)
        break
      case Op.NOT:
        Bits.not(sp - 32)
        break
      case Op.BYTE:
        sp -= 32
        Bits.byteAt(sp, sp - 32)
        break
      case Op.SHL:
        sp -= 32
        Bits.shiftWordLeft(sp, sp - 32)
        break
      case Op.SHR:
        sp -= 32
        Bits.shiftWordRight(sp, sp - 32, false)
        break
      case Op.SAR:
        sp -= 32
        Bits.shiftWordRight(sp, sp - 32, true)
        break
      case Op.CLZ:
        Bits.leadingZeros(sp - 32)
        break
      case Op.KECCAK256: {
        sp -= 32
        const offset = toSize(sp)
        const size = toSize(sp - 32)
        Frame.setGas(gas)
        if (!expandMemory(offset, size) || !chargeWords(size, KECCAK_WORD_GAS)) return OUT_OF_GAS
        gas = Frame.gasLeft
        hashToWord(Frame.memoryBase + (size === 0 ? 0 : offset), size, sp - 32)
        if (gas < Frame.pauseAt) return pause(gas, pc, sp)
        break
      }
      case Op.POP:
        sp -= 32
        break
      case Op.MLOAD: {
        const offset = toSize(sp - 32)
        if (<u64>offset + 32 > <u64>Frame.memorySize) {
          Frame.setGas(gas)
          if (!expandMemory(offset, 32)) return OUT_OF_GAS
          gas = Frame.gasLeft
        }
        loadWord(sp - 32, offset)
        break
      }
      case Op.MSTORE: {
        sp -= 64
        const offset = toSize(sp + 32)
        if (<u64>offset + 32 > <u64>Frame.memorySize) {
          Frame.setGas(gas)
          if (!expandMemory(offset, 32)) return OUT_OF_GAS
          gas = Frame.gasLeft
        }
        storeWord(offset, sp)
        break
      }
      case Op.MSTORE8: {
        sp -= 64
        const offset = toSize(sp + 32)
        if (<u64>offset + 1 > <u64>Frame.memorySize) {
          Frame.setGas(gas)
          if (!expandMemory(offset, 1)) return OUT_OF_GAS
          gas = Frame.gasLeft
        }
        store<u8>(Frame.memoryBase + offset, load<u8>(sp))
        break
      }
      case Op.JUMP: {
        sp -= 32
        const target = toSize(sp)
        const need = Frame.stackNeed(target)
        if (need === Frame.NO_JUMPDEST) return INVALID_JUMP
        pc = Frame.codeStart + target + FUSED_JUMPDEST
        gas -= FUSED_JUMPDEST_GAS
        if (gas < 0) return OUT_OF_GAS
        if (gas < Frame.pauseAt) return pause(gas, pc, sp)
        if (changesVersion(need, sp - Frame.stackBase, checksStack)) return enterBlock(target, gas, pc, sp)
        break
      }
      case Op.JUMPI: {
        sp -= 64
        if (isZero(sp)) break
        const target = toSize(sp + 32)
        const need = Frame.stackNeed(target)
        if (need === Frame.NO_JUMPDEST) return INVALID_JUMP
        pc = Frame.codeStart + target + FUSED_JUMPDEST
        gas -= FUSED_JUMPDEST_GAS
        if (gas < 0) return OUT_OF_GAS
        if (gas < Frame.pauseAt) return pause(gas, pc, sp)
        if (changesVersion(need, sp - Frame.stackBase, checksStack)) return enterBlock(target, gas, pc, sp)
        break
      }
      case Op.PC:
        setWord(sp, <u64>(pc - 1 - Frame.codeStart))
        sp += 32
        break
      case Op.MSIZE:
        setWord(sp, <u64>Frame.memorySize)
        sp += 32
        break
      case Op.GAS:
        markGasObserved()
        setWord(sp, <u64>gas)
        sp += 32
        break
      case Op.JUMPDEST: {
        const target = pc - 1 - Frame.codeStart
        const need = Frame.stackNeed(target)
        if (changesVersion(need, sp - Frame.stackBase, checksStack)) return enterBlock(target, gas, pc, sp)
        break
      }
      case Op.PUSH0:
        setWord(sp, 0)
        sp += 32
        break
      case Op.PUSH1:
        setWord(sp, <u64>load<u8>(pc))
        sp += 32
        pc += 1
        break
      case Op.PUSH1 + 1:
        setWord(sp, ((<u64>load<u8>(pc)) << 8) | <u64>load<u8>(pc, 1))
        sp += 32
        pc += 2
        break
      case Op.PUSH1 + 2:
      case Op.PUSH1 + 3:
      case Op.PUSH1 + 4:
      case Op.PUSH1 + 5:
      case Op.PUSH1 + 6:
      case Op.PUSH1 + 7: {
        const bytes = opcode - Op.PUSH1 + 1
        setWord(sp, loadBigEndian(pc) >> <u64>(64 - (bytes << 3)))
        sp += 32
        pc += bytes
        break
      }
      case Op.PUSH1 + 31:
        reverseWord(sp, pc)
        sp += 32
        pc += 32
        break
      case Op.RETURN:
        Frame.setGas(gas)
        Frame.setStackPointer(sp)
        return returnOutput(STOPPED)
      case Op.REVERT:
        Frame.setGas(gas)
        Frame.setStackPointer(sp)
        return returnOutput(REVERTED)
      case Op.DUP1:
      case Op.DUP1 + 1:
      case Op.DUP1 + 2:
      case Op.DUP1 + 3:
      case Op.DUP1 + 4:
      case Op.DUP1 + 5:
      case Op.DUP1 + 6:
      case Op.DUP1 + 7:
      case Op.DUP1 + 8:
      case Op.DUP1 + 9:
      case Op.DUP1 + 10:
      case Op.DUP1 + 11:
      case Op.DUP1 + 12:
      case Op.DUP1 + 13:
      case Op.DUP1 + 14:
      case Op.DUP1 + 15:
        copyWord(sp, sp - ((opcode - Op.DUP1 + 1) << 5))
        sp += 32
        break
      case Op.SWAP1:
      case Op.SWAP1 + 1:
      case Op.SWAP1 + 2:
      case Op.SWAP1 + 3:
      case Op.SWAP1 + 4:
      case Op.SWAP1 + 5:
      case Op.SWAP1 + 6:
      case Op.SWAP1 + 7:
      case Op.SWAP1 + 8:
      case Op.SWAP1 + 9:
      case Op.SWAP1 + 10:
      case Op.SWAP1 + 11:
      case Op.SWAP1 + 12:
      case Op.SWAP1 + 13:
      case Op.SWAP1 + 14:
      case Op.SWAP1 + 15:
        swap(sp - 32, sp - 32 - ((opcode - Op.SWAP1 + 1) << 5))
        break
      default: {
        if (opcode > Op.PUSH1 && opcode < Op.DUP1) {
          const bytes = opcode - Op.PUSH1 + 1
          pushBytes(sp, pc, bytes)
          sp += 32
          pc += bytes
          break
        }
        const sizeBefore = Frame.memorySize
        const depth = Frame.depth
        Frame.setRegisters(gas, pc, sp)
        const status = runComplex(opcode)
        if (status !== CONTINUE) {
          // After the host has responded, the instruction starts over.
          if (isExit(status) && depth === Frame.depth) {
            if (TRACES) expectRepetition()
            Frame.setGas(gasBefore)
            Frame.setMemorySize(sizeBefore)
            Frame.setProgramCounter(Frame.programCounter - 1)
          }
          return status
        }
        if (depth !== Frame.depth || opcode >= Op.CREATE) return CONTINUE
        gas = Frame.gasLeft
        pc = Frame.programCounter
        sp = Frame.stackPointer
        if (gas < Frame.pauseAt) return pause(gas, pc, sp)
      }
    }
  }
}

function halt(status: u32, opcode: u32): u32 {
  faultyOpcode = opcode
  return status
}

function pause(gas: i64, pc: usize, sp: usize): u32 {
  Frame.setRegisters(gas, pc, sp)
  return PAUSED
}
