import { ensureMemory } from './linear-memory.ts'

/**
 * Call frames. Stack, initcode and memory of a frame are contiguous and follow directly behind the memory of its
 * caller. The mutable registers of the current frame are globals.
 */

export const MAX_DEPTH: i32 = 1024
export const STACK_SIZE: usize = 1024 * 32

const GAS: usize = 0
const PROGRAM_COUNTER: usize = 8
const STACK_POINTER: usize = 12
const STACK: usize = 16
const MEMORY: usize = 20
const MEMORY_SIZE: usize = 24
export const CODE_START: usize = 28
export const CODE_SIZE: usize = 32
const FRAME_JUMPDESTS: usize = 36
export const INPUT: usize = 40
export const INPUT_SIZE: usize = 44
/** Account whose storage and balance the frame uses. */
export const SELF: usize = 48
export const CALLER: usize = 52
export const IS_STATIC: usize = 56
export const IS_CREATION: usize = 60
/** To revert the frame. */
export const JOURNAL_LENGTH: usize = 64
export const LAST_LOG: usize = 68
export const REFUND: usize = 72
/** Destination of the output in the caller's memory. */
export const OUTPUT: usize = 80
export const OUTPUT_SIZE: usize = 84
export const VALUE: usize = 96
const FRAME_SIZE: usize = 128

// Entries of a table of jump destinations, one byte each; others are stack needs, see `entry/stack-checks.ts`.
export const NO_JUMPDEST: u32 = 0
/** A jump destination that was not reached yet. */
export const NEW_JUMPDEST: u32 = 1

const FRAMES = memory.data(<i32>(FRAME_SIZE * 1025), 16)

/** Start of the frames. */
export let framesStart: usize = 0
/** Depth of the current frame; -1 if there is none. */
export let depth: i32 = -1
export let frame: usize = 0

export let gasLeft: i64 = 0
export let programCounter: usize = 0
/** First free position of the stack. */
export let stackPointer: usize = 0
export let stackBase: usize = 0
export let memoryBase: usize = 0
/** Bytes, whole words. */
export let memorySize: usize = 0
export let codeStart: usize = 0
export let codeSize: usize = 0
/** One byte a byte of code, see `NO_JUMPDEST`. */
export let jumpdests: usize = 0

/** The message pauses when the current frame has less gas than this. */
export let pauseAt: i64 = i64.MIN_VALUE

export function setGas(gas: i64): void {
  gasLeft = gas
}

export function setPauseAt(gas: i64): void {
  pauseAt = gas
}

export function setProgramCounter(at: usize): void {
  programCounter = at
}

export function setStackPointer(at: usize): void {
  stackPointer = at
}

export function setRegisters(gas: i64, pc: usize, sp: usize): void {
  gasLeft = gas
  programCounter = pc
  stackPointer = sp
}

export function setMemorySize(size: usize): void {
  memorySize = size
}

/** False: out of gas. */
export function charge(amount: i64): bool {
  gasLeft -= amount
  return gasLeft >= 0
}

export function push(): usize {
  const at = stackPointer
  stackPointer = at + 32
  return at
}

/** Pops `count` words and returns the address of the lowest one. */
export function pop(words: usize): usize {
  stackPointer -= words << 5
  return stackPointer
}

export function noFrames(): void {
  depth = -1
  frame = 0
  memoryBase = framesStart
  memorySize = 0
}

/** Opens a frame with this gas; the caller fills in the rest. */
export function openFrame(gas: i64): usize {
  if (depth >= 0) saveFrame()
  // The rest of the slice moves along with the gas.
  pauseAt = depth >= 0 ? gas - (gasLeft + gas - pauseAt) : pauseAt
  depth++
  frame = FRAMES + <usize>depth * FRAME_SIZE
  stackBase = (memoryBase + memorySize + 31) & ~31
  stackPointer = stackBase
  memoryBase = stackBase + STACK_SIZE
  memorySize = 0
  gasLeft = gas
  ensureMemory(memoryBase)
  store<usize>(frame, stackBase, STACK)
  store<u32>(frame, 0, IS_CREATION)
  codeStart = 0
  codeSize = 0
  jumpdests = 0
  return frame
}

function saveFrame(): void {
  store<i64>(frame, gasLeft, GAS)
  store<usize>(frame, programCounter, PROGRAM_COUNTER)
  store<usize>(frame, stackPointer, STACK_POINTER)
  store<usize>(frame, memoryBase, MEMORY)
  store<usize>(frame, memorySize, MEMORY_SIZE)
  store<usize>(frame, codeStart, CODE_START)
  store<usize>(frame, codeSize, CODE_SIZE)
  store<usize>(frame, jumpdests, FRAME_JUMPDESTS)
}

/** Sets the code of the frame. @param table its jump destinations */
export function setFrameCode(start: usize, size: usize, table: usize): void {
  codeStart = start
  codeSize = size
  jumpdests = table
  programCounter = start
}

export function framesOpen(): i32 {
  return depth + 1
}

/** Start of the account code that a frame runs; 0 for none or initcode. */
export function frameCode(level: i32): usize {
  const at = FRAMES + <usize>level * FRAME_SIZE
  if (load<u32>(at, IS_CREATION) !== 0) return 0
  return level === depth ? codeStart : load<usize>(at, CODE_START)
}

/** Reserves space for initcode between stack and memory, before the frame uses its memory. */
export function reserveInFrame(size: usize): usize {
  const at = memoryBase
  memoryBase = (at + size + 31) & ~31
  ensureMemory(memoryBase)
  return at
}

/** Returns to the calling frame with the gas left. False: there is none. */
export function closeFrame(): bool {
  const rest = gasLeft
  depth--
  if (depth < 0) return false
  frame -= FRAME_SIZE
  stackBase = load<usize>(frame, STACK)
  gasLeft = load<i64>(frame, GAS) + rest
  pauseAt = gasLeft - (rest - pauseAt)
  programCounter = load<usize>(frame, PROGRAM_COUNTER)
  stackPointer = load<usize>(frame, STACK_POINTER)
  memoryBase = load<usize>(frame, MEMORY)
  memorySize = load<usize>(frame, MEMORY_SIZE)
  codeStart = load<usize>(frame, CODE_START)
  codeSize = load<usize>(frame, CODE_SIZE)
  jumpdests = load<usize>(frame, FRAME_JUMPDESTS)
  return true
}

export function framesEnd(): usize {
  return memoryBase + memorySize
}

/** Moves the frames to `to`. */
export function moveFrames(to: usize): void {
  const from = framesStart
  framesStart = to
  if (depth < 0) {
    ensureMemory(to)
    memoryBase = to
    return
  }
  const size = framesEnd() - from
  ensureMemory(to + size)
  memory.copy(to, from, size)
  saveFrame()
  const distance = to - from
  for (let moved = FRAMES; moved <= frame; moved += FRAME_SIZE) {
    move(moved + PROGRAM_COUNTER, from, distance)
    move(moved + STACK_POINTER, from, distance)
    move(moved + STACK, from, distance)
    move(moved + MEMORY, from, distance)
    move(moved + CODE_START, from, distance)
    move(moved + FRAME_JUMPDESTS, from, distance)
    move(moved + INPUT, from, distance)
  }
  programCounter = load<usize>(frame, PROGRAM_COUNTER)
  stackPointer = load<usize>(frame, STACK_POINTER)
  stackBase = load<usize>(frame, STACK)
  memoryBase = load<usize>(frame, MEMORY)
  codeStart = load<usize>(frame, CODE_START)
  jumpdests = load<usize>(frame, FRAME_JUMPDESTS)
}

function move(pointer: usize, from: usize, distance: usize): void {
  const at = load<usize>(pointer)
  if (at >= from) store<usize>(pointer, at + distance)
}

/** Entry of the table of jump destinations: `NO_JUMPDEST` for an invalid target, such as PUSH data. */
export function stackNeed(target: usize): u32 {
  return target < codeSize ? load<u8>(jumpdests + target) : NO_JUMPDEST
}
