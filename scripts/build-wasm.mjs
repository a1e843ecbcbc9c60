// Compiles the AssemblyScript under src into WebAssembly, one file for each module, beside the TypeScript that loads
// it.
// A folder named `assembly` is AssemblyScript: the TypeScript compiler skips it.
import { renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const EVM = 'src/engine/evm/assembly'
/**
 * Constants that TypeScript and AssemblyScript both compile. As entries their values are exports of the module, which
 * the host compares with its own when it loads it.
 */
export const SHARED_CONSTANTS = [
  'src/chain/forks/ordinals.ts',
  'src/engine/evm/abi/records.ts',
  'src/engine/evm/abi/status.ts',
  'src/engine/evm/abi/opcodes.ts',
]
/** What the host may call, and the constants. */
const EVM_ENTRIES = [
  ...['evm', 'state-exports', 'message-exports'].map((name) => `${EVM}/${name}.ts`),
  ...SHARED_CONSTANTS,
]

/**
 * The files of each module whose exports are its own, what becomes of it, and flags of the compiler that only it
 * needs.
 */
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
    // The same source, with what `assembly/tracing.ts` tells.
    entries: [...EVM_ENTRIES, `${EVM}/evm-tracing.ts`],
    output: 'src/engine/evm/evm-tracing.wasm',
    flags: ['--enable', 'simd', '--use', 'TRACING=1'],
  },
]

// `stub` never frees: nothing here allocates after the module has started.
const FLAGS = ['-O3', '--noAssert', '--runtime', 'stub']

async function compile(asc, { entries, output, flags }) {
  const own = ['--baseDir', root, '--outFile', `${output}.new`, ...flags]
  const { error, stderr } = await asc.main([...entries, ...FLAGS, ...own])
  if (error !== null) throw new Error(`${output} cannot be compiled\n${stderr}`)
  // In one step: a program that starts meanwhile finds a whole module.
  renameSync(join(root, `${output}.new`), join(root, output))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { default: asc } = await import('assemblyscript/asc')
  for (const module of WASM_MODULES) await compile(asc, module)
}
