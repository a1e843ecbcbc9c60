import { ensureMemory } from '../memory/linear-memory.ts'

/**
 * Call frames. A frame's stack, the code of a creation and its memory lie one behind the other, directly behind the
 * memory of the frame that called it. The parts of the running frame that change are globals.
 */

export const MAX_DEPTH: i32 = 1024
const STACK_SIZE: usize = 1024 * 32

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
/** Whose storage and balance it is. */
export const SELF: usize = 48
export const CALLER: usize = 52
export const IS_STATIC: usize = 56
export const IS_CREATION: usize = 60
/** To undo the frame. */
export const JOURNAL_LENGTH: usize = 64
export const LAST_LOG: usize = 68
export const REFUND: usize = 72
/** Where in the caller's memory the output goes. */
export const OUTPUT: usize = 80
export const OUTPUT_SIZE: usize = 84
export const VALUE: usize = 96
const FRAME_SIZE: usize = 128

const FRAMES = memory.data(<i32>(FRAME_SIZE * 1025), 16)

/** Where the frames begin. */
export let framesStart: usize = 0
/** Of the running frame; -1 when none runs. */
export let depth: i32 = -1
export let frame: usize = 0

export let gasLeft: i64 = 0
export let programCounter: usize = 0
/** The first free place of the stack. */
export let stackPointer: usize = 0
export let stackBase: usize = 0
export let memoryBase: usize = 0
/** Bytes, whole words. */
export let memorySize: usize = 0
export let codeStart: usize = 0
export let codeSize: usize = 0
export let jumpdests: usize = 0

/** The run pauses when the running frame has less gas than this. */
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

export function setMemorySize(size: usize): void {
  memorySize = size
}

/** False: there is not enough. */
export function charge(amount: i64): bool {
  gasLeft -= amount
  return gasLeft >= 0
}

export function push(): usize {
  const at = stackPointer
  stackPointer = at + 32
  return at
}

/** Drops so many words; the answer is the place of the lowest of them. */
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
  // What is left of the slice goes with the gas.
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

/** The frame runs this code. */
export function setFrameCode(start: usize, size: usize, bitmap: usize): void {
  codeStart = start
  codeSize = size
  jumpdests = bitmap
  programCounter = start
}

export function framesOpen(): i32 {
  return depth + 1
}

/** Where the code of an account that a frame runs begins; 0: it runs none, or that of a creation. */
export function frameCode(level: i32): usize {
  const at = FRAMES + <usize>level * FRAME_SIZE
  if (load<u32>(at, IS_CREATION) !== 0) return 0
  return level === depth ? codeStart : load<usize>(at, CODE_START)
}

/** Room between stack and memory, for the code of a creation; before the frame's memory is used. */
export function reserveInFrame(size: usize): usize {
  const at = memoryBase
  memoryBase = (at + size + 31) & ~31
  ensureMemory(memoryBase)
  return at
}

/** Back to the frame below, which gets the gas that is left. False: there is none. */
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

/** The frames begin at `to` from now on. */
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
