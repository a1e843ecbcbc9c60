import { type Bytes, type Hash, hexWithin } from './hex.ts'
import { instantiateWasm } from './wasm-instance.ts'

/** What `assembly/keccak.ts` exports. */
interface KeccakModule {
  readonly memory: WebAssembly.Memory
  readonly BUFFER: WebAssembly.Global
  readonly BUFFER_SIZE: WebAssembly.Global
  readonly DIGEST: WebAssembly.Global
  absorbBuffer(): void
  finishBuffer(length: number): void
}

const wasm = instantiateWasm<KeccakModule>(new URL('./keccak.wasm', import.meta.url))
// The module never grows its memory, so views of it stay good.
const memory = Buffer.from(wasm.memory.buffer)
const bytes = new Uint8Array(wasm.memory.buffer)
const BUFFER = wasm.BUFFER.value
const BUFFER_SIZE = wasm.BUFFER_SIZE.value
const DIGEST = wasm.DIGEST.value
const DIGEST_END = DIGEST + 32
const digestBytes = bytes.subarray(DIGEST, DIGEST_END)

/** keccak-256, 32 bytes that are the caller's own. */
export function keccak256(data: Bytes): Bytes {
  digest(data)
  return bytes.slice(DIGEST, DIGEST_END)
}

/** The same in 32 bytes that are there already. */
export function keccak256Into(data: Bytes, target: Bytes): void {
  digest(data)
  target.set(digestBytes)
}

/** keccak-256 as a map key. */
export function keccakHash(data: Bytes): Hash {
  digest(data)
  return hexWithin(bytes, DIGEST, DIGEST_END) as Hash
}

/** keccak-256 of no bytes: the code hash of an account without code. */
export const EMPTY_CODE_HASH = keccakHash(new Uint8Array(0))

/** Leaves the digest in the module's memory. */
function digest(data: Bytes): void {
  let offset = 0
  for (; data.length - offset > BUFFER_SIZE; offset += BUFFER_SIZE) {
    memory.set(data.subarray(offset, offset + BUFFER_SIZE), BUFFER)
    wasm.absorbBuffer()
  }
  memory.set(offset === 0 ? data : data.subarray(offset), BUFFER)
  wasm.finishBuffer(data.length - offset)
}
