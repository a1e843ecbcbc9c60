// Compiles the AssemblyScript under src into WebAssembly, one file for each module, beside the TypeScript that loads it.
// A folder named `assembly` is AssemblyScript: the TypeScript compiler skips it.
import { renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The entry file of each module, what becomes of it, and flags of the compiler that only this module needs. */
export const WASM_MODULES = [
  {
    entry: 'src/primitives/assembly/keccak.ts',
    output: 'src/primitives/keccak.wasm',
    flags: ['--enable', 'simd'],
  },
  {
    entry: 'src/engine/precompiles/assembly/blake2f.ts',
    output: 'src/engine/precompiles/blake2f.wasm',
    flags: [],
  },
  {
    entry: 'src/engine/precompiles/assembly/modexp.ts',
    output: 'src/engine/precompiles/modexp.wasm',
    flags: [],
  },
  { entry: 'src/engine/evm/assembly/evm.ts', output: 'src/engine/evm/evm.wasm', flags: ['--enable', 'simd'] },
  {
    // The same source, with what `assembly/tracing.ts` tells; what a second entry file exports is exported, too.
    entry: 'src/engine/evm/assembly/evm.ts',
    output: 'src/engine/evm/evm-tracing.wasm',
    flags: ['src/engine/evm/assembly/evm-tracing.ts', '--enable', 'simd', '--use', 'TRACING=1'],
  },
]

// `stub` never frees: nothing here allocates after the module has started.
const FLAGS = ['-O3', '--noAssert', '--runtime', 'stub']

async function compile(asc, { entry, output, flags }) {
  const { error, stderr } = await asc.main([entry, '--baseDir', root, '--outFile', `${output}.new`, ...FLAGS, ...flags])
  if (error !== null) throw new Error(`${entry} does not compile\n${stderr}`)
  // In one step: a program that starts meanwhile finds a whole module.
  renameSync(join(root, `${output}.new`), join(root, output))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { default: asc } = await import('assemblyscript/asc')
  for (const module of WASM_MODULES) await compile(asc, module)
}
