import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Bytes } from '../hex.ts'
import { type Curve, parity } from './secp256k1-pure.ts'

/**
 * libsecp256k1 as compiled by this package, which is instantiated here without its JavaScript: that one is asynchronous
 * and brings much else. Its version is exact, since the layout of the module's memory is repeated below.
 */
const MODULE = '@bitauth/libauth/build/lib/bin/secp256k1/secp256k1.wasm'

/** Functions of secp256k1.h and secp256k1_recovery.h with pointers into the module's memory; 1: success. */
interface Exports {
  _malloc(bytes: number): number
  _secp256k1_context_create(flags: number): number
  _secp256k1_ec_pubkey_create(context: number, publicKey: number, privateKey: number): number
  _secp256k1_ec_pubkey_serialize(context: number, to: number, length: number, publicKey: number, flags: number): number
  _secp256k1_ecdsa_recover(context: number, publicKey: number, signature: number, hash: number): number
  _secp256k1_ecdsa_recoverable_signature_parse_compact(
    context: number,
    signature: number,
    compact: number,
    recoveryId: number,
  ): number
  _secp256k1_ecdsa_recoverable_signature_serialize_compact(
    context: number,
    compact: number,
    recoveryId: number,
    signature: number,
  ): number
  _secp256k1_ecdsa_sign_recoverable(context: number, signature: number, hash: number, privateKey: number): number
}

/** SECP256K1_CONTEXT_SIGN and SECP256K1_CONTEXT_VERIFY. */
const SIGN_AND_VERIFY = 0x301
/** SECP256K1_EC_UNCOMPRESSED. */
const UNCOMPRESSED = 2
const PUBLIC_KEY_BYTES = 65

/** WebAssembly, which every platform of Node runs; undefined if the module cannot be loaded. */
export function wasmCurve(): Curve | undefined {
  try {
    return curveOf(instantiate(readFileSync(createRequire(import.meta.url).resolve(MODULE))))
  } catch {
    return undefined
  }
}

interface Instance {
  readonly exports: Exports
  readonly memory: Uint8Array
}

const PAGE_BYTES = 65_536
const MEMORY_BYTES = 16 * 2 ** 20
const STACK_BYTES = 5 * 2 ** 20
const STATIC_AT = 1_024
const STATIC_BYTES = 67_696
const TABLE_SIZE = 6
const ALIGNMENT = 16

/** Lays the memory out as Emscripten does for this module: static data, the end of the heap, stack, heap. */
function instantiate(bytes: Uint8Array<ArrayBuffer>): Instance {
  const pages = MEMORY_BYTES / PAGE_BYTES
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
  const view = new Uint8Array(memory.buffer)
  const heapEndAt = STATIC_AT + STATIC_BYTES + ALIGNMENT
  const stackAt = aligned(heapEndAt + 4)
  new DataView(memory.buffer).setUint32(heapEndAt, aligned(stackAt + STACK_BYTES), true)
  const abort = () => {
    throw new Error('the secp256k1 module aborted')
  }
  const env = {
    memory,
    table: new WebAssembly.Table({ element: 'anyfunc', initial: TABLE_SIZE, maximum: TABLE_SIZE }),
    tableBase: 0,
    DYNAMICTOP_PTR: heapEndAt,
    STACKTOP: stackAt,
    abort,
    _abort: abort,
    enlargeMemory: abort,
    abortOnCannotGrowMemory: abort,
    getTotalMemory: () => MEMORY_BYTES,
    ___setErrNo: () => undefined,
    _emscripten_memcpy_big(to: number, from: number, length: number) {
      view.copyWithin(to, from, from + length)
      return to
    },
  }
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env })
  // The declarations above are those of the module; a wrong one fails at the first call.
  return { exports: instance.exports as unknown as Exports, memory: view }
}

function aligned(address: number): number {
  return Math.ceil(address / ALIGNMENT) * ALIGNMENT
}

function curveOf({ exports, memory }: Instance): Curve {
  const words = new DataView(memory.buffer)
  const context = exports._secp256k1_context_create(SIGN_AND_VERIFY)
  const [hashAt, keyAt, compactAt, signatureAt, publicKeyAt, outAt, lengthAt, recoveryIdAt] = [
    32,
    32,
    64,
    PUBLIC_KEY_BYTES,
    64,
    PUBLIC_KEY_BYTES,
    4,
    4,
  ].map((bytes) => exports._malloc(bytes)) as [number, number, number, number, number, number, number, number]
  const at = (from: number, bytes: number) => memory.slice(from, from + bytes)
  const serialized = (): Bytes => {
    words.setUint32(lengthAt, PUBLIC_KEY_BYTES, true)
    exports._secp256k1_ec_pubkey_serialize(context, outAt, lengthAt, publicKeyAt, UNCOMPRESSED)
    return at(outAt, PUBLIC_KEY_BYTES)
  }
  return {
    recover(hash, compact, yParity) {
      memory.set(hash, hashAt)
      memory.set(compact, compactAt)
      const parsed = exports._secp256k1_ecdsa_recoverable_signature_parse_compact
      if (parsed(context, signatureAt, compactAt, yParity) !== 1) return undefined
      if (exports._secp256k1_ecdsa_recover(context, publicKeyAt, signatureAt, hashAt) !== 1) return undefined
      return serialized()
    },
    sign(hash, privateKey) {
      memory.set(hash, hashAt)
      memory.set(privateKey, keyAt)
      const isSigned = exports._secp256k1_ecdsa_sign_recoverable(context, signatureAt, hashAt, keyAt)
      memory.fill(0, keyAt, keyAt + 32)
      if (isSigned !== 1) throw new Error('the key cannot sign')
      const compacted = exports._secp256k1_ecdsa_recoverable_signature_serialize_compact
      compacted(context, compactAt, recoveryIdAt, signatureAt)
      return { compact: at(compactAt, 64), yParity: parity(words.getUint32(recoveryIdAt, true)) }
    },
    publicKey(privateKey) {
      memory.set(privateKey, keyAt)
      const isCreated = exports._secp256k1_ec_pubkey_create(context, publicKeyAt, keyAt)
      memory.fill(0, keyAt, keyAt + 32)
      if (isCreated !== 1) throw new Error('the private key is invalid')
      return serialized()
    },
  }
}
