import { readFileSync } from 'node:fs'

/** A WebAssembly module was not built, or not for this version of the sources. */
export class WasmModuleError extends Error {
  readonly code = 'WASM_MODULE'
  override readonly name = 'WasmModuleError'
}

/**
 * A module that the build compiled from the `assembly` folder beside the caller. Synchronous: for modules of some
 * kilobytes, when the program loads.
 *
 * @throws WasmModuleError when the file is missing or is no module
 */
export function loadWasmModule(file: URL): WebAssembly.Module {
  try {
    return new WebAssembly.Module(readFileSync(file))
  } catch (cause) {
    throw new WasmModuleError(`cannot load ${file.pathname}: build it with \`npm run build\``, { cause })
  }
}

/**
 * A new instance of a module, with memory of its own. `Exports` is what the module's entry file exports; it is not
 * checked.
 *
 * @throws WasmModuleError when the file is missing or is no module
 * @example instantiateWasm<KeccakModule>(new URL('./keccak.wasm', import.meta.url))
 */
export function instantiateWasm<Exports>(file: URL): Exports {
  return new WebAssembly.Instance(loadWasmModule(file)).exports as Exports
}
