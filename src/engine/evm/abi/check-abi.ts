import * as forks from '../../../chain/forks/ordinals.ts'
import { WasmModuleError } from '../../../primitives/wasm-instance.ts'
import * as opcodes from './opcodes.ts'
import * as records from './records.ts'
import * as status from './status.ts'

/** Every number that TypeScript and the WebAssembly module must agree on. */
const CONSTANTS: readonly (readonly [name: string, value: number])[] = Object.entries({
  ...forks,
  ...records,
  ...status,
  ...opcodes,
})

/**
 * Compares the constants that a module was built from with those of this program.
 *
 * @throws WasmModuleError when the module is from another version of the sources
 */
export function checkAbi(exports: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of CONSTANTS) {
    const built = (exports[name] as WebAssembly.Global | undefined)?.value
    if (built === value) continue
    const found = built === undefined ? 'has none' : `has ${built}`
    throw new WasmModuleError(`the EVM module ${found} where ${name} is ${value}: build it with \`npm run build\``)
  }
}
