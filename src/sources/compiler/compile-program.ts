// Program of the compile process; `compile-process.ts` starts it. It ends with its one reply.
import { createRequire } from 'node:module'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { VerificationError } from '../source-error.ts'
import { compileContract } from './compile-contract.ts'
import type { Compilation, CompileReply, CompileRequest } from './compile-messages.ts'

/** Blocks come first when processors are scarce. */
const NICENESS = 10
/** The node compares and stores the result on the thread that makes blocks. */
const MAX_RESULT_BYTES = 8 * 2 ** 20
const WASM_PAGE_BYTES = 65_536

interface SolcPackage {
  version(): string
  compile(input: string): string
}

process.once('message', (request: CompileRequest) => {
  process.send!(reply(request), () => process.exit())
})
// The node has ended.
process.once('disconnect', () => process.exit())
setPriority(NICENESS)

function reply(request: CompileRequest): CompileReply {
  try {
    limitMemory(request.maxMemoryBytes)
    const whole = compile(request)
    const compilation = resultBytes(whole) <= MAX_RESULT_BYTES ? whole : withoutTrees(whole)
    const bytes = resultBytes(compilation)
    if (bytes <= MAX_RESULT_BYTES) return { kind: 'compiled', compilation }
    const problem = `the result of the compiler has ${bytes} bytes, at most ${MAX_RESULT_BYTES} are allowed`
    throw new VerificationError('compiler_error', problem)
  } catch (error) {
    const code = error instanceof VerificationError ? error.code : 'compiler_error'
    return { kind: 'failed', code, message: error instanceof Error ? error.message : String(error) }
  }
}

function resultBytes(compilation: Compilation): number {
  return Buffer.byteLength(JSON.stringify(compilation))
}

/** A debugger can show less without syntax trees, but the contract is verified all the same. */
function withoutTrees({ compilerVersion, contract: { trees: _, ...contract } }: Compilation): Compilation {
  const leftOut = `syntax trees: the result of the compiler has more than ${MAX_RESULT_BYTES} bytes with them`
  return { compilerVersion, contract: { ...contract, leftOut } }
}

function compile({ directory, input, contract, commit }: CompileRequest): Compilation {
  const solc = createRequire(join(directory, 'index.js'))('./index.js') as SolcPackage
  // As in 0.8.24+commit.e11b9ed9.Emscripten.clang
  const [version = ''] = /^[^+]+\+commit\.[0-9a-f]+/.exec(solc.version()) ?? [solc.version()]
  if (commit !== undefined && !version.includes(`+commit.${commit}`)) {
    const problem = `the installed compiler is ${version}, not built from commit ${commit}`
    throw new VerificationError('unsupported_compiler_version', problem)
  }
  return { compilerVersion: version, contract: compileContract((text) => solc.compile(text), input, contract) }
}

/** The compiler reports that it has no memory when its heap may not grow. No option of Node bounds it. */
function limitMemory(maxBytes: number): void {
  const { grow } = WebAssembly.Memory.prototype
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * WASM_PAGE_BYTES > maxBytes) throw new RangeError('out of memory')
    return grow.call(this, pages)
  }
}
