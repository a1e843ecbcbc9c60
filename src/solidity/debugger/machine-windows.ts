import type { Bytes } from '../../primitives/hex.ts'
import { bytesOfHex } from '../trace/step-trace.ts'

/** Stack, memory and return data before a step. */
export interface MachineState {
  /** The top last. */
  readonly stack: readonly bigint[]
  readonly memory: Bytes
  readonly returnData: Bytes
}

export interface WindowRange {
  readonly from: number
  readonly count: number
}

/** A window in the answer of the tracer `stepWindowsTracer`. */
export interface StepWindowJson {
  readonly from: number
  readonly steps: readonly {
    readonly kept: number
    readonly pushed: readonly string[]
    readonly memory?: { readonly size: number; readonly at: number; readonly data: string }
    readonly returnData?: string
  }[]
}

/**
 * Traces again with the tracer `stepWindowsTracer` and these ranges, each inside the trace.
 *
 * @returns `undefined`: the answer is larger than the node or the client accepts; fewer steps may not be
 */
export type ReadSteps = (ranges: readonly WindowRange[]) => Promise<readonly StepWindowJson[] | undefined>

/** Steps of a window, a power of two; windows begin at multiples of it. Windows that are too large are halved. */
export const WINDOW_STEPS = 512
/** Ranges that the tracer accepts. */
export const MAX_RANGES = 16
/** Characters of windows that are kept; a character takes one byte. */
const MAX_KEPT_CHARACTERS = 48 * 2 ** 20
/** JSON characters of a step without its data. */
const STEP_CHARACTERS = 64

interface KeptWindow {
  readonly json: StepWindowJson
  readonly characters: number
}

/** The machine at steps, from windows that are loaded when they are needed. */
export class MachineWindows {
  readonly #count: number
  readonly #read: ReadSteps
  /** By their first step; the one used last comes last. */
  readonly #kept = new Map<number, KeptWindow>()
  /** By the first step of the whole window. */
  readonly #loading = new Map<number, Promise<void>>()

  constructor(count: number, read: ReadSteps) {
    this.#count = count
    this.#read = read
  }

  /** The machine before a step, if its window is there. */
  known(step: number): MachineState | undefined {
    const json = this.#windowAt(step)
    return json && machineIn(json, step)
  }

  /** @throws errors of reading, and `RangeError` for a step that the node did not trace this time */
  async at(step: number): Promise<MachineState> {
    const known = this.known(step) ?? (await this.#loaded(step))
    if (known !== undefined) return known
    throw new RangeError(`the node ran the transaction differently this time, without step ${step}: open it again`)
  }

  /** Loads the windows of steps, up to 16 in one request. All of them are kept until the next ones are loaded. */
  async load(steps: readonly number[]): Promise<void> {
    const inside = steps.filter((step) => step >= 0 && step < this.#count)
    const wanted = new Set(inside.map(windowOf))
    const missing = new Map<number, number>()
    for (const step of inside) {
      const isThere = this.#windowAt(step) !== undefined || this.#loading.has(windowOf(step))
      if (!isThere && !missing.has(windowOf(step))) missing.set(windowOf(step), step)
    }
    if (missing.size > 0) {
      const request = this.#loadAll([...missing.values()], wanted).finally(() => {
        for (const from of missing.keys()) this.#loading.delete(from)
      })
      for (const from of missing.keys()) this.#loading.set(from, request)
    }
    await Promise.all(Array.from(wanted, (from) => this.#loading.get(from)))
  }

  async #loaded(step: number): Promise<MachineState | undefined> {
    await this.load([step])
    if (this.known(step) === undefined) {
      // A request for another step of a window that is too large loaded only the part around that step.
      await this.load([step])
    }
    return this.known(step)
  }

  #windowAt(step: number): StepWindowJson | undefined {
    for (let count = WINDOW_STEPS; count >= 1; count /= 2) {
      const from = firstOf(step, count)
      const window = this.#kept.get(from)
      if (window === undefined || step - from >= window.json.steps.length) continue
      this.#kept.delete(from)
      this.#kept.set(from, window)
      return window.json
    }
    return undefined
  }

  async #loadAll(steps: readonly number[], wanted: ReadonlySet<number>): Promise<void> {
    for (let at = 0; at < steps.length; at += MAX_RANGES) {
      await this.#load(steps.slice(at, at + MAX_RANGES), WINDOW_STEPS)
      this.#evict(wanted)
    }
  }

  /** Loads windows of `count` steps, or smaller ones if they are too large. */
  async #load(steps: readonly number[], count: number): Promise<void> {
    const windows = await this.#read(steps.map((step) => ({ from: firstOf(step, count), count })))
    if (windows !== undefined) {
      for (const json of windows) this.#kept.set(json.from, { json, characters: charactersOf(json) })
    } else if (steps.length > 1) {
      const half = steps.length >> 1
      await this.#load(steps.slice(0, half), count)
      await this.#load(steps.slice(half), count)
    } else if (count > 1) await this.#load(steps, count / 2)
    else throw new RangeError(`the machine at step ${steps[0]} is too large to be loaded`)
  }

  #evict(wanted: ReadonlySet<number>): void {
    let characters = 0
    for (const window of this.#kept.values()) characters += window.characters
    for (const [from, window] of this.#kept) {
      if (characters <= MAX_KEPT_CHARACTERS) break
      if (wanted.has(windowOf(from))) continue
      this.#kept.delete(from)
      characters -= window.characters
    }
  }
}

function windowOf(step: number): number {
  return firstOf(step, WINDOW_STEPS)
}

/** The first step of the window of `count` steps. */
function firstOf(step: number, count: number): number {
  return step - (step % count)
}

function charactersOf({ steps }: StepWindowJson): number {
  return steps.reduce(
    (sum, { pushed, memory, returnData = '' }) =>
      sum +
      STEP_CHARACTERS +
      (memory?.data.length ?? 0) +
      returnData.length +
      pushed.reduce((length, word) => length + word.length, 0),
    0,
  )
}

function machineIn({ from, steps }: StepWindowJson, step: number): MachineState | undefined {
  if (steps[step - from] === undefined) return undefined
  const stack: bigint[] = []
  let memory: Bytes = new Uint8Array(0)
  let returnData = '0x'
  for (const change of steps.slice(0, step - from + 1)) {
    stack.length = change.kept
    for (const word of change.pushed) stack.push(BigInt(word))
    if (change.memory !== undefined) memory = changedMemory(memory, change.memory)
    returnData = change.returnData ?? returnData
  }
  return { stack, memory, returnData: bytesOfHex(returnData) }
}

function changedMemory(before: Bytes, change: NonNullable<StepWindowJson['steps'][number]['memory']>): Bytes {
  const memory = before.length === change.size ? before : resized(before, change.size)
  memory.set(bytesOfHex(change.data), change.at)
  return memory
}

function resized(bytes: Bytes, size: number): Bytes {
  const larger = new Uint8Array(size)
  larger.set(bytes.subarray(0, size))
  return larger
}
