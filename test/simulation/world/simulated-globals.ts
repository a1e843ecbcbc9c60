import { createHash } from 'node:crypto'
import type { SimulatedFetch } from './simulated-fetch.ts'

/** Time and randomness of a simulated process. */
export interface ProcessTime {
  /** Milliseconds since the start of the process, whole or not. */
  monotonic(): number
  /** Milliseconds since 1970. */
  wall(): number
  random(): number
  randomBytes(size: number): Buffer
  /** Calls back after simulated time. Returns a cancel function. */
  after(delayMs: number, label: string, action: () => void): () => void
}

/** Globals of ECMAScript that neither have effects nor differ between two runs. */
const PURE_GLOBALS = [
  ...['Object', 'Function', 'Array', 'Number', 'parseFloat', 'parseInt', 'Infinity', 'NaN', 'undefined', 'Boolean'],
  ...['String', 'Symbol', 'Promise', 'RegExp', 'Error', 'AggregateError', 'EvalError', 'RangeError', 'ReferenceError'],
  ...['SyntaxError', 'TypeError', 'URIError', 'JSON', 'Intl', 'ArrayBuffer', 'Uint8Array', 'Int8Array', 'Uint16Array'],
  ...['Int16Array', 'Uint32Array', 'Int32Array', 'Float32Array', 'Float64Array', 'Uint8ClampedArray', 'BigUint64Array'],
  ...['BigInt64Array', 'DataView', 'Map', 'BigInt', 'Set', 'WeakMap', 'WeakSet', 'Proxy', 'Reflect', 'Iterator'],
  ...['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'escape', 'unescape', 'eval', 'isFinite'],
  ...['isNaN', 'SharedArrayBuffer'],
]
/** Globals of Node that work on values only. */
const PURE_NODE_GLOBALS = {
  Buffer,
  URL,
  URLSearchParams,
  TextEncoder,
  TextDecoder,
  AbortController,
  Headers,
  btoa,
  Event,
  EventTarget,
  DOMException,
  structuredClone,
  queueMicrotask,
}

/**
 * The globals of a process by name. Those that are not listed here are `undefined` in it, so that a source with another
 * effect fails instead of leaving the simulation.
 */
export function simulatedGlobals(
  time: ProcessTime,
  log: (text: string) => void,
  fetch: SimulatedFetch,
): Readonly<Record<string, unknown>> {
  const globals: Record<string, unknown> = {
    ...PURE_NODE_GLOBALS,
    ...simulatedTimers(time),
    Date: simulatedDate(() => Math.floor(time.wall())),
    Math: Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(Math), random: { value: time.random } }),
    performance: { now: () => time.monotonic() },
    crypto: { getRandomValues: (target: Uint8Array) => fill(target, time) },
    process: simulatedProcess(),
    fetch,
    AbortSignal: { timeout: (delayMs: number) => abortedAfter(delayMs, time) },
    console: { log, error: log, warn: log, info: log, debug: log },
    // The asynchronous functions compile on other threads.
    WebAssembly: {
      Module: compiledOnce,
      Instance: WebAssembly.Instance,
      Memory: WebAssembly.Memory,
      Table: WebAssembly.Table,
      RuntimeError: WebAssembly.RuntimeError,
    },
    // When garbage is collected differs between two runs.
    WeakRef: StrongReference,
    FinalizationRegistry: NoFinalization,
  }
  const all = Object.fromEntries(
    Object.getOwnPropertyNames(globalThis)
      .filter((name) => !PURE_GLOBALS.includes(name) && /^[A-Za-z_$][\w$]*$/.test(name))
      .map((name) => [name, globals[name]]),
  )
  return { ...all, ...globals, globalThis: { ...globals } }
}

const compiled = new Map<string, WebAssembly.Module>()

/** In place of the constructor of modules: a module has no state, and all lives of nodes need the same ones. */
function compiledOnce(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  const key = createHash('sha1').update(bytes).digest('hex')
  const module = compiled.get(key) ?? new WebAssembly.Module(bytes)
  compiled.set(key, module)
  return module
}

function abortedAfter(delayMs: number, time: ProcessTime): AbortSignal {
  const controller = new AbortController()
  time.after(delayMs, 'abort', () => controller.abort(new Error('no response in time')))
  return controller.signal
}

function simulatedDate(now: () => number): DateConstructor {
  const simulated = class extends Date {
    constructor(...values: [] | [number | string | Date]) {
      super(...((values.length === 0 ? [now()] : values) as [number]))
    }

    static override now(): number {
      return now()
    }
  }
  return simulated as unknown as DateConstructor
}

/** A handle of a timer, as far as the sources use it. */
class Timer {
  cancel: () => void = () => undefined

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

function simulatedTimers({ after, random }: ProcessTime) {
  type Callback = (...values: unknown[]) => void
  /** As Node: whole milliseconds, at least one; a timer is never early, and a little late. */
  const delayOf = (milliseconds: number | undefined) => Math.max(1, Math.trunc(milliseconds ?? 1)) + random() * 0.5
  const setTimeout = (callback: Callback, milliseconds?: number, ...values: unknown[]): Timer => {
    const timer = new Timer()
    timer.cancel = after(delayOf(milliseconds), 'timer', () => callback(...values))
    return timer
  }
  const setInterval = (callback: Callback, milliseconds?: number, ...values: unknown[]): Timer => {
    const timer = new Timer()
    const repeat = () => {
      timer.cancel = after(delayOf(milliseconds), 'interval', () => {
        repeat()
        callback(...values)
      })
    }
    repeat()
    return timer
  }
  const setImmediate = (callback: Callback, ...values: unknown[]): Timer => {
    const timer = new Timer()
    timer.cancel = after(random() * 0.05, 'immediate', () => callback(...values))
    return timer
  }
  const clear = (timer: Timer | undefined) => timer?.cancel()
  return { setTimeout, setInterval, setImmediate, clearTimeout: clear, clearInterval: clear, clearImmediate: clear }
}

/** The process of a node: it has no environment, and nothing to signal. */
function simulatedProcess() {
  return {
    env: {},
    argv: [],
    pid: 1,
    platform: 'linux',
    arch: 'x64',
    version: process.version,
    versions: process.versions,
    nextTick: process.nextTick,
    cpuUsage: () => ({ user: 0, system: 0 }),
    memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }),
    on: () => undefined,
    emitWarning: () => undefined,
  }
}

function fill(target: Uint8Array, time: ProcessTime): Uint8Array {
  target.set(time.randomBytes(target.length))
  return target
}

class StrongReference<Target extends object> {
  readonly #target: Target

  constructor(target: Target) {
    this.#target = target
  }

  deref(): Target {
    return this.#target
  }
}

class NoFinalization {
  register(): void {}
  unregister(): void {}
}
