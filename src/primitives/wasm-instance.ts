import { readFileSync } from 'node:fs'

/** A WebAssembly module was not built, or was built from another version of the sources. */
export class WasmModuleError extends Error {
  readonly code = 'WASM_MODULE'
  override readonly name = 'WasmModuleError'
}

/**
 * Loads a module that the build compiled from the `assembly` folder beside the caller. Synchronous: for modules of some
 * kilobytes, at program load.
 *
 * @throws WasmModuleError when the file is missing or not a module
 */
export function loadWasmModule(file: URL): WebAssembly.Module {
  try {
    return new WebAssembly.Module(readFileSync(file))
  } catch (cause) {
    throw new WasmModuleError(`cannot load ${file.pathname}: build it with \`npm run build\``, { cause })
  }
}

/**
 * A new instance of a module, with its own memory. `Exports` describes the exports of the module's entry file; it is
 * not checked.
 *
 * @throws WasmModuleError when the file is missing or not a module
 * @example instantiateWasm<KeccakModule>(new URL('./keccak.wasm', import.meta.url))
 */
export function instantiateWasm<Exports>(file: URL): Exports {
  return new WebAssembly.Instance(loadWasmModule(file)).exports as Exports
}
