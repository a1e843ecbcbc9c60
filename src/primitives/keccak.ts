import { type Bytes, type Hash, hexWithin } from './hex.ts'
import { instantiateWasm } from './wasm-instance.ts'

/** Exports of `assembly/keccak.ts`. */
interface KeccakModule {
  readonly memory: WebAssembly.Memory
  readonly BUFFER: WebAssembly.Global
  readonly BUFFER_SIZE: WebAssembly.Global
  readonly DIGEST: WebAssembly.Global
  readonly SCRATCH: WebAssembly.Global
  readonly SCRATCH_SIZE: WebAssembly.Global
  readonly MAX_MESSAGES: WebAssembly.Global
  readonly MESSAGES: WebAssembly.Global
  readonly DIGESTS: WebAssembly.Global
  absorbBuffer(): void
  finishBuffer(length: number): void
  finishMessages(count: number): void
}

const wasm = instantiateWasm<KeccakModule>(new URL('./keccak.wasm', import.meta.url))
// The module never grows its memory, so views stay valid.
const memory = Buffer.from(wasm.memory.buffer)
const bytes = new Uint8Array(wasm.memory.buffer)
const BUFFER = wasm.BUFFER.value
const BUFFER_SIZE = wasm.BUFFER_SIZE.value
const DIGEST = wasm.DIGEST.value
const DIGEST_END = DIGEST + 32
const digestBytes = bytes.subarray(DIGEST, DIGEST_END)

/** keccak-256 as a new array of 32 bytes. */
export function keccak256(data: Bytes): Bytes {
  digest(data)
  return bytes.slice(DIGEST, DIGEST_END)
}

/** keccak-256 into an existing array of 32 bytes. */
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

/** Memory of the module. Encoders write messages into its scratch area, where they are hashed in place. */
export const scratchMemory: Uint8Array<ArrayBuffer> = bytes
export const SCRATCH_START: number = wasm.SCRATCH.value
export const SCRATCH_END: number = SCRATCH_START + wasm.SCRATCH_SIZE.value

/** Maximum number of messages hashed in one batch. */
export const MAX_MESSAGES: number = wasm.MAX_MESSAGES.value
/** Start and length of each message. */
const messages = new Uint32Array(wasm.memory.buffer, wasm.MESSAGES.value, 2 * MAX_MESSAGES)
const DIGESTS: number = wasm.DIGESTS.value

/** Adds a message to the batch. */
export function putMessage(index: number, start: number, length: number): void {
  messages[2 * index] = start
  messages[2 * index + 1] = length
}

/** Hashes the first `count` messages of the batch. */
export function hashMessages(count: number): void {
  wasm.finishMessages(count)
}

/** Copies the digest of a message of the batch to `target`, at offset `at`. */
export function copyDigest(index: number, target: Bytes, at: number): void {
  const from = DIGESTS + 32 * index
  for (let offset = 0; offset < 32; offset++) target[at + offset] = bytes[from + offset]!
}

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
