// Program of the compile process; `compile-process.ts` starts it. It ends with its one reply.
import { createRequire } from 'node:module'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { VerificationError } from '../source-error.ts'
import { boundedResult } from './bounded-result.ts'
import { compileContract } from './compile-contract.ts'
import type { Compilation, CompileReply, CompileRequest } from './compile-messages.ts'

/** Blocks come first when processors are scarce. */
const NICENESS = 10
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
    const { compilerVersion, contract } = compile(request)
    const small = boundedResult(contract, (output) => ({ compilerVersion, contract: output }))
    return { kind: 'compiled', compilation: { compilerVersion, contract: small } }
  } catch (error) {
    const code = error instanceof VerificationError ? error.code : 'compiler_error'
    return { kind: 'failed', code, message: error instanceof Error ? error.message : String(error) }
  }
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
