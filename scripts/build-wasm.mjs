// Compiles the AssemblyScript under src into WebAssembly: one file per module, next to the TypeScript that loads it.
// A folder named `assembly` contains AssemblyScript; the TypeScript compiler skips it.
import { renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const EVM = 'src/engine/evm/assembly/entry'
/**
 * Constants that TypeScript and AssemblyScript both compile. As entries, their values become exports of the module,
 * which the host compares with its own on load.
 */
export const SHARED_CONSTANTS = [
  'src/chain/forks/ordinals.ts',
  'src/engine/evm/abi/records.ts',
  'src/engine/evm/abi/status.ts',
  'src/engine/evm/abi/opcodes.ts',
]
/** Functions that the host calls, and the constants. */
const EVM_ENTRIES = [
  ...['evm', 'state-exports', 'message-exports'].map((name) => `${EVM}/${name}.ts`),
  ...SHARED_CONSTANTS,
]

/** Modules: entry files, whose exports the module has; output; additional compiler flags. */
export const WASM_MODULES = [
  {
    entries: ['src/primitives/assembly/keccak.ts'],
    output: 'src/primitives/keccak.wasm',
    flags: ['--enable', 'simd'],
  },
  {
    entries: ['src/engine/precompiles/assembly/blake2f.ts'],
    output: 'src/engine/precompiles/blake2f.wasm',
    flags: [],
  },
  {
    entries: ['src/engine/precompiles/assembly/modexp.ts'],
    output: 'src/engine/precompiles/modexp.wasm',
    flags: [],
  },
  { entries: EVM_ENTRIES, output: 'src/engine/evm/evm.wasm', flags: ['--enable', 'simd'] },
  {
    // The same source with the trace hooks of `assembly/tracing.ts`.
    entries: [...EVM_ENTRIES, `${EVM}/evm-tracing.ts`],
    output: 'src/engine/evm/evm-tracing.wasm',
    flags: ['--enable', 'simd', '--use', 'TRACING=1'],
  },
]

// The `stub` runtime never frees: no module allocates after its start.
const FLAGS = ['-O3', '--noAssert', '--runtime', 'stub']

async function compile(asc, { entries, output, flags }) {
  const own = ['--baseDir', root, '--outFile', `${output}.new`, ...flags]
  const { error, stderr } = await asc.main([...entries, ...FLAGS, ...own])
  if (error !== null) throw new Error(`compiling ${output} failed\n${stderr}`)
  // Renamed atomically: a program that starts meanwhile loads a complete module.
  renameSync(join(root, `${output}.new`), join(root, output))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { default: asc } = await import('assemblyscript/asc')
  for (const module of WASM_MODULES) await compile(asc, module)
}
