/**
 * The part of the WebAssembly JavaScript API in use. TypeScript declares it only in the DOM library, which would also
 * declare `window` and `document`.
 */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    constructor(module: Module, imports?: Readonly<Record<string, Readonly<Record<string, unknown>>>>)
    readonly exports: unknown
  }
  /** The module trapped. */
  class RuntimeError extends Error {}
  class Memory {
    constructor(limits: { readonly initial: number; readonly maximum?: number })
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  class Table {
    constructor(limits: { readonly element: 'anyfunc'; readonly initial: number; readonly maximum?: number })
  }
  interface Global {
    readonly value: number
  }
}

// Integer types of AssemblyScript, for the files that TypeScript and AssemblyScript both compile (`engine/evm/abi`).
declare type u32 = number
declare type usize = number
