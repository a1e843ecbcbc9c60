import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { WasmModuleError } from '../../../primitives/wasm-instance.ts'

/**
 * The part of mcl's C interface in use (include/mcl/bn.h). Numbers are addresses in its memory, `result` first; 0 means
 * success or false.
 */
export interface MclLibrary {
  readonly memory: WebAssembly.Memory
  malloc(size: number): number
  mclBn_setETHserialization(enable: number): void
  mclBn_setMapToMode(mode: number): number
  mclBn_verifyOrderG1(enable: number): void
  mclBn_verifyOrderG2(enable: number): void
  mclBnFr_setBigEndianMod(result: number, bytes: number, size: number): number
  mclBnFp_setInt32(result: number, value: number): void
  mclBnFp_neg(result: number, x: number): void
  mclBnFp_mul(result: number, x: number, y: number): void
  mclBnFp_deserialize(result: number, bytes: number, size: number): number
  mclBnFp_serialize(bytes: number, capacity: number, x: number): number
  mclBnFp_mapToG1(result: number, x: number): number
  mclBnFp2_mul(result: number, x: number, y: number): void
  mclBnFp2_mapToG2(result: number, x: number): number
  mclBnG1_clear(point: number): void
  mclBnG1_isZero(point: number): number
  mclBnG1_isEqual(x: number, y: number): number
  mclBnG1_isValid(point: number): number
  mclBnG1_dbl(result: number, x: number): void
  mclBnG1_add(result: number, x: number, y: number): void
  mclBnG1_neg(result: number, x: number): void
  mclBnG1_mul(result: number, x: number, scalar: number): void
  mclBnG1_mulVec(result: number, points: number, scalars: number, count: number): void
  mclBnG1_normalize(result: number, x: number): void
  mclBnG1_deserialize(result: number, bytes: number, size: number): number
  mclBnG2_clear(point: number): void
  mclBnG2_isZero(point: number): number
  mclBnG2_isEqual(x: number, y: number): number
  mclBnG2_isValid(point: number): number
  mclBnG2_dbl(result: number, x: number): void
  mclBnG2_add(result: number, x: number, y: number): void
  mclBnG2_sub(result: number, x: number, y: number): void
  mclBnG2_neg(result: number, x: number): void
  mclBnG2_mulVec(result: number, points: number, scalars: number, count: number): void
  mclBnG2_normalize(result: number, x: number): void
  mclBnG2_deserialize(result: number, bytes: number, size: number): number
  mclBnGT_mul(result: number, x: number, y: number): void
  mclBnGT_isOne(x: number): number
  mclBn_millerLoopVec(result: number, g1: number, g2: number, count: number): void
  mclBn_finalExp(result: number, x: number): void
  mclBn_getUint64NumToPrecompute(): number
  mclBn_precomputeG2(result: number, point: number): void
  mclBn_precomputedMillerLoop2(result: number, p1: number, q1: number, p2: number, q2: number): void
}

interface MclExports extends MclLibrary {
  __wasm_call_ctors(): void
  mclBn_init(curve: number, compiledFor: number): number
}

/** `MCLBN_COMPILED_TIME_VAR`: 64-bit units of an element of Fr and Fp in this build. */
const COMPILED_FOR = 46
const INITIAL_PAGES = 32
const PACKAGE_FILE = 'mcl-wasm/dist/mcl_c.js'
const EMBEDDED = /wasmBase64 = '([A-Za-z0-9+/=]+)'/

let compiled: WebAssembly.Module | undefined

/**
 * An instance of mcl, which supports one curve each. The package's own `init` is asynchronous and creates one instance
 * per process; precompiles are synchronous, so its WebAssembly is taken from the file that embeds it.
 *
 * @param curve mcl's constant for the curve
 * @throws WasmModuleError when the package has another version than expected
 */
export function openMcl(curve: number): MclLibrary {
  compiled ??= compile()
  const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES })
  const env = { memory, cryptoGetRandomValues: refuseRandomness }
  const exported = new WebAssembly.Instance(compiled, { env }).exports as Omit<MclExports, 'memory'>
  exported.__wasm_call_ctors()
  if (exported.mclBn_init(curve, COMPILED_FOR) !== 0) throw new WasmModuleError(`mcl refuses curve ${curve}`)
  return { ...exported, memory }
}

function compile(): WebAssembly.Module {
  const [, encoded] = EMBEDDED.exec(readFileSync(createRequire(import.meta.url).resolve(PACKAGE_FILE), 'latin1')) ?? []
  if (encoded === undefined)
    throw new WasmModuleError(`${PACKAGE_FILE} holds no WebAssembly: install its exact version`)
  return new WebAssembly.Module(Buffer.from(encoded, 'base64'))
}

/** Precompiles need no randomness. */
function refuseRandomness(): never {
  throw new WasmModuleError('mcl requested randomness')
}
