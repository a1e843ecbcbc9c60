import * as Op from '../../abi/opcodes.ts'
import { CONTINUE, CONTINUE_UNCHECKED, INVALID_OPCODE, STACK_OVERFLOW, STACK_UNDERFLOW } from '../../abi/status.ts'
import { isInstruction, popsOf, pushesOf } from '../gas-table.ts'
import * as Frame from '../memory/frames.ts'

/**
 * Stack checks of code blocks. A block is the code from a jump destination to the next one, or to an instruction that
 * always leaves; conditional jumps and calls do not end it. When a block is first entered, its need is counted: the
 * words that it takes from the stack below it. A block is safe if the stack has these words and room: none of its
 * instructions can underflow or overflow, and the loop does not check them. It checks each instruction of other
 * blocks, because a conditional jump may leave before the fault.
 */

/** The table of jump destinations holds a need plus this; smaller entries are not needs. */
const FIRST_NEED: u32 = 2
/** Entry of a block that needs more than `MOST_NEED` words, or adds more than `MOST_GROWTH`: it is never safe. */
const NEVER_SAFE: u32 = 255
const MOST_NEED: i32 = 252
/** Maximum words on the stack before a safe block. The stack is rarely larger, and too small for `NEVER_SAFE`. */
const MOST_WORDS: usize = 252
const MOST_GROWTH: i32 = 1024 - 252

/** Whether the block runs in the other version of the loop. @param size bytes on the stack */
export function changesVersion(entry: u32, size: usize, checksStack: bool): bool {
  return entry === Frame.NEW_JUMPDEST || hasNeed(entry, size) === checksStack
}

function hasNeed(entry: u32, size: usize): bool {
  return size + (FIRST_NEED << 5) >= entry << 5 && size <= MOST_WORDS << 5
}

/** Saves the frame at `pc` in the block of a jump destination; returns how the block must run. */
export function enterBlock(target: usize, gas: i64, pc: usize, sp: usize): u32 {
  Frame.setRegisters(gas, pc, sp)
  if (Frame.stackNeed(target) === Frame.NEW_JUMPDEST) store<u8>(Frame.jumpdests + target, <u8>entryOf(target))
  return hasNeed(Frame.stackNeed(target), sp - Frame.stackBase) ? CONTINUE_UNCHECKED : CONTINUE
}

/** Reads the block. Blocks do not overlap: all of them together cost as much as reading the code once. */
function entryOf(target: usize): u32 {
  const end = Frame.codeStart + Frame.codeSize
  let need: i32 = 0
  let height: i32 = 0
  let growth: i32 = 0
  for (let at = Frame.codeStart + target + 1; at < end; at++) {
    const opcode = <u32>load<u8>(at)
    if (opcode === Op.JUMPDEST) break
    need = max(need, popsOf(opcode) - height)
    height += pushesOf(opcode) - popsOf(opcode)
    growth = max(growth, height)
    if (alwaysLeaves(opcode)) break
    if (opcode >= Op.PUSH1 && opcode < Op.DUP1) at += opcode - Op.PUSH0
  }
  return need > MOST_NEED || growth > MOST_GROWTH ? NEVER_SAFE : FIRST_NEED + <u32>need
}

function alwaysLeaves(opcode: u32): bool {
  return opcode === Op.JUMP || opcode === Op.STOP || opcode === Op.RETURN || opcode === Op.REVERT
}

/** The fault of an instruction with `size` bytes on the stack; `CONTINUE` for none. */
export function stackFault(opcode: u32, size: usize): u32 {
  const pops = (<usize>popsOf(opcode)) << 5
  const isUnderflow = size < pops
  if (!isUnderflow && size - pops + ((<usize>pushesOf(opcode)) << 5) <= Frame.STACK_SIZE) return CONTINUE
  if (!isInstruction(opcode)) return INVALID_OPCODE
  return isUnderflow ? STACK_UNDERFLOW : STACK_OVERFLOW
}
