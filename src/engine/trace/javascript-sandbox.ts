import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSSyncVariant,
  QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import { CodedError } from '../../primitives/coded-error.ts'
import type { Bytes } from '../../primitives/hex.ts'

/** Bytes of the memory of a tracer, and of the part that is its stack. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024
const MAX_STACK_BYTES = 256 * 1024
/**
 * Maximum of the WebAssembly memory: bounds what a script allocates between two checks of `MAX_MEMORY_BYTES`. It leaves
 * room for values that the host passes, because the bindings of QuickJS do not notice a failed allocation of the host.
 */
const MAX_INSTANCE_BYTES = 4 * MAX_MEMORY_BYTES
/** Bytes of one page of WebAssembly memory. QuickJS begins with 256 pages. */
const PAGE_BYTES = 64 * 1024
const FIRST_PAGES = 256
/** For one call of a function of the tracer, and for all of a message. */
const MAX_CALL_MS = 1_000
const MAX_TOTAL_MS = 5_000

/** A JavaScript tracer is invalid, threw an error, or exceeded a limit. */
export class JavaScriptTracerError extends CodedError<'JAVASCRIPT_TRACER'> {
  override readonly name = 'JavaScriptTracerError'

  constructor(message: string) {
    super('JAVASCRIPT_TRACER', message)
  }
}

export type HostValue = string | number | Bytes | undefined
export type Host = (name: string, args: readonly HostValue[]) => HostValue

/** QuickJS compiled to WebAssembly: scripts reach only what `Host` answers. Its memory is that of one request. */
export async function loadQuickJs(): Promise<QuickJSWASMModule> {
  const [{ newQuickJSWASMModuleFromVariant, newVariant }, { default: variant }] = await Promise.all([
    import('quickjs-emscripten-core'),
    import('@jitl/quickjs-wasmfile-release-sync'),
  ])
  const wasmMemory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MAX_INSTANCE_BYTES / PAGE_BYTES })
  // The types of the package describe its CommonJS form, whose default is one level deeper.
  return newQuickJSWASMModuleFromVariant(newVariant(variant as unknown as QuickJSSyncVariant, { wasmMemory }))
}

/** A script that evaluates to functions, with limits of time and memory. */
export class Sandbox {
  readonly #quickJs: QuickJSWASMModule
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  readonly #functions: QuickJSHandle
  readonly #called = new Map<string, QuickJSHandle>()
  /** Error of the host during a call; the script cannot hide it. */
  #hostError: { readonly error: unknown } | undefined
  #deadline = 0
  #spentMs = 0
  #isInterrupted = false

  /**
   * @param script evaluates to a function that takes the host and `args`
   * @throws JavaScriptTracerError
   */
  constructor(quickJs: QuickJSWASMModule, script: string, args: readonly string[], host: Host) {
    this.#quickJs = quickJs
    this.#runtime = quickJs.newRuntime()
    // QuickJS compares single allocations with its limit, but counts no sizes when it is compiled to WebAssembly.
    this.#runtime.setMemoryLimit(MAX_MEMORY_BYTES)
    this.#runtime.setMaxStackSize(MAX_STACK_BYTES)
    this.#runtime.setInterruptHandler(() => {
      this.#isInterrupted ||= performance.now() > this.#deadline
      return this.#isInterrupted || this.#isTooLarge()
    })
    this.#context = this.#runtime.newContext()
    const context = this.#context
    const hostFunction = context.newFunction('host', (...handles) => this.#answer(host, handles))
    this.#functions = this.#limited('setup', () => {
      const make = context.unwrapResult(context.evalCode(script, 'prelude.js'))
      return make.consume(() => this.#apply(make, [hostFunction, ...args.map((arg) => context.newString(arg))]))
    })
  }

  /** A string member of what the script evaluated to. */
  text(name: string): string {
    return this.#context.getProp(this.#functions, name).consume((handle) => this.#context.getString(handle))
  }

  /**
   * Calls a function and returns its text, which is empty if it returns none.
   *
   * @throws JavaScriptTracerError, and what the host threw
   */
  call(name: string, args: readonly string[] = []): string {
    const context = this.#context
    return this.#limited(name, () => {
      const result = this.#apply(
        this.#function(name),
        args.map((arg) => context.newString(arg)),
      )
      return result.consume((handle) => (context.typeof(handle) === 'string' ? context.getString(handle) : ''))
    })
  }

  #function(name: string): QuickJSHandle {
    const known = this.#called.get(name)
    if (known !== undefined) return known
    const handle = this.#context.getProp(this.#functions, name)
    this.#called.set(name, handle)
    return handle
  }

  /** Calls a function, and frees its arguments. */
  #apply(called: QuickJSHandle, args: readonly QuickJSHandle[]): QuickJSHandle {
    const context = this.#context
    try {
      return context.unwrapResult(context.callFunction(called, context.undefined, ...args))
    } finally {
      for (const handle of args) handle.dispose()
    }
  }

  /**
   * Frees what the instance holds. After an interrupted script, or one without memory, the rest is freed with the
   * instance.
   */
  dispose(): void {
    try {
      for (const handle of [this.#functions, ...this.#called.values()]) handle.dispose()
      this.#context.dispose()
      this.#runtime.dispose()
    } catch {
      // The instance belongs to this request and is not used again.
    }
  }

  #isTooLarge(): boolean {
    return this.#quickJs.getWasmMemory().buffer.byteLength > MAX_MEMORY_BYTES
  }

  #limited<T>(name: string, run: () => T): T {
    const started = performance.now()
    this.#deadline = started + Math.min(MAX_CALL_MS, MAX_TOTAL_MS - this.#spentMs)
    let outcome: { readonly value: T } | { readonly error: unknown }
    try {
      outcome = { value: run() }
    } catch (error) {
      outcome = { error }
    }
    this.#spentMs += performance.now() - started
    if (this.#hostError !== undefined) throw this.#hostError.error
    if ('value' in outcome && !this.#isTooLarge()) return outcome.value
    throw new JavaScriptTracerError(`${this.#reason(outcome)}    in server-side tracer function '${name}'`)
  }

  #reason(outcome: object): string {
    if (this.#isTooLarge()) return `the tracer needs more than ${MAX_MEMORY_BYTES} bytes of memory`
    if (this.#isInterrupted) {
      return `the tracer took longer than ${MAX_CALL_MS} ms in a call or ${MAX_TOTAL_MS} ms in all`
    }
    const error = 'error' in outcome ? outcome.error : undefined
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    return text.slice(0, 500)
  }

  #answer(host: Host, handles: readonly QuickJSHandle[]): QuickJSHandle {
    const context = this.#context
    const [name, ...args] = handles.map((handle): HostValue => {
      const type = context.typeof(handle)
      return type === 'number' ? context.getNumber(handle) : type === 'string' ? context.getString(handle) : undefined
    })
    try {
      if (this.#isTooLarge()) throw new RangeError('out of memory')
      const value = host(String(name), args)
      if (value === undefined) return context.undefined
      if (typeof value === 'object') return context.newArrayBuffer(new Uint8Array(value).buffer)
      return typeof value === 'number' ? context.newNumber(value) : context.newString(value)
    } catch (error) {
      if (!(error instanceof RangeError)) this.#hostError = { error }
      throw error
    }
  }
}
