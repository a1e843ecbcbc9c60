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

/** Traces again with the tracer `stepWindowsTracer` and these ranges. */
export type ReadSteps = (ranges: readonly WindowRange[]) => Promise<readonly StepWindowJson[]>

/** Steps of a window; windows begin at multiples of it. */
export const WINDOW_STEPS = 512
/** Ranges that the tracer accepts. */
const MAX_RANGES = 16
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
  readonly #loading = new Map<number, Promise<void>>()

  constructor(count: number, read: ReadSteps) {
    this.#count = count
    this.#read = read
  }

  /** The machine before a step, if its window is there. */
  known(step: number): MachineState | undefined {
    const from = windowOf(step)
    const window = this.#kept.get(from)
    if (window === undefined) return undefined
    this.#kept.delete(from)
    this.#kept.set(from, window)
    return machineIn(window.json, step)
  }

  /** @throws errors of reading, and `RangeError` for a step that the node does not have */
  async at(step: number): Promise<MachineState> {
    await this.load([step])
    const known = this.known(step)
    if (known === undefined) throw new RangeError(`the node traced no step ${step}`)
    return known
  }

  /** Loads the windows of steps, up to 16 in one request. */
  async load(steps: readonly number[]): Promise<void> {
    const wanted = [...new Set(steps.filter((step) => step >= 0 && step < this.#count).map(windowOf))]
    const missing = wanted.filter((from) => !this.#kept.has(from) && !this.#loading.has(from))
    if (missing.length > 0) {
      const request = this.#loadAll(missing).finally(() => {
        for (const from of missing) this.#loading.delete(from)
      })
      for (const from of missing) this.#loading.set(from, request)
    }
    await Promise.all(wanted.map((from) => this.#loading.get(from)))
  }

  async #loadAll(missing: readonly number[]): Promise<void> {
    for (let at = 0; at < missing.length; at += MAX_RANGES) await this.#load(missing.slice(at, at + MAX_RANGES))
  }

  async #load(missing: readonly number[]): Promise<void> {
    const windows = await this.#read(missing.map((from) => ({ from, count: WINDOW_STEPS })))
    for (const json of windows) this.#kept.set(json.from, { json, characters: charactersOf(json) })
    let characters = [...this.#kept.values()].reduce((sum, window) => sum + window.characters, 0)
    for (const [from, window] of this.#kept) {
      if (characters <= MAX_KEPT_CHARACTERS || this.#kept.size <= missing.length) break
      this.#kept.delete(from)
      characters -= window.characters
    }
  }
}

function windowOf(step: number): number {
  return step - (step % WINDOW_STEPS)
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
