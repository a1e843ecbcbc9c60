import { type Hash, hexWithin, type Slot } from '../../primitives/hex.ts'
import { loadWasmModule } from '../../primitives/wasm-instance.ts'
import { checkAbi } from './abi/check-abi.ts'
import { WordHexCache } from './word-hex-cache.ts'

/** Exports of `assembly/evm.ts`, `state-exports.ts` and `message-exports.ts`. Pointers are numbers. */
export interface EvmExports {
  readonly memory: WebAssembly.Memory
  readonly EXCHANGE: WebAssembly.Global
  readonly EXIT_WORD: WebAssembly.Global
  readonly ENVIRONMENT: WebAssembly.Global
  initialize(seed: bigint): void
  openSession(fork: number, codeSizeLimit: number): void
  memoryBytes(): number
  findAccount(): number
  addAccount(precompile: number, isAlwaysWarm: number): number
  addNative(): number
  setNative(account: number, native: number, needsMarker: number): void
  provideAccount(account: number, nonce: bigint, hasCode: number): void
  provideHasStorage(account: number, hasSlots: number): void
  hasStorage(account: number): number
  changeAccount(account: number, nonce: bigint, hasCode: number): void
  changeFunds(account: number, nonce: bigint): void
  removeAccount(account: number): void
  clearStorage(account: number): void
  warmAccount(account: number): void
  slotOf(account: number): number
  needsValue(slot: number): number
  provideValue(slot: number): void
  currentValue(slot: number): number
  changeValue(slot: number): void
  warmSlot(slot: number): void
  findCode(): number
  addCode(size: number): number
  finishCode(code: number): void
  markNewCode(code: number): void
  journalLength(): number
  revertTo(length: number): void
  clearJournal(): void
  takeSlot(): number
  nextAccount(): number
  commitAccount(account: number): void
  takeCode(): number
  hasNewCode(): number
  beginTransaction(): void
  reserveInput(size: number): number
  setMessage(
    from: number,
    to: number,
    creates: number,
    gas: bigint,
    inputSize: number,
    blobHashes: number,
    tracesTransfers: number,
  ): void
  proceed(): number
  exitAccount(): number
  precompile(): number
  inputAt(): number
  inputLength(): number
  gasLeft(): bigint
  frameCaller(): number
  frameSelf(): number
  frameValue(): number
  frameIsStatic(): number
  reserveOutput(size: number): number
  finishPrecompile(status: number, gasUsed: bigint, outputSize: number): number
  provideBlockHash(number: bigint): void
  result(): number
  invalidOpcode(): number
  refunds(): bigint
  /** For a message that succeeded; -1: unknown. */
  neededGas(): bigint
  framesOutOfGas(): number
  outputAt(): number
  outputLength(): number
  lastLog(): number
  lastColdAccount(): number
  lastColdSlot(): number
  slotKey(slot: number): void
  emittedLogs(): number
  nextRemovedAccount(): number
  isDestroyed(account: number): number
  /** Tracing build only. */
  setTracing?(isTraced: number, hasSteps: number): void
}

/** Functions by module and name. */
export type EvmImports = ConstructorParameters<typeof WebAssembly.Instance>[1]

const fastModule = loadWasmModule(new URL('./evm.wasm', import.meta.url))

/** Modules whose constants have been checked. */
const checkedModules = new WeakSet<WebAssembly.Module>()

/** Up to this size a loop is faster than creating a view. */
const SHORT_COPY = 64

const LIMB = (1n << 64n) - 1n

/**
 * One instance of the interpreter and views of its memory. Any call may grow the memory, which detaches the views; they
 * are then renewed.
 */
export class Evm {
  readonly exports: EvmExports
  /** Address of the words through which both sides pass values. */
  readonly exchange: number
  readonly exitWord: number
  readonly environment: number
  /** The object whose values are at `environment`. */
  environmentOf: object | undefined
  private readonly wordHexCache = new WordHexCache()
  private bytesView: Buffer
  private limbsView: BigUint64Array
  private numbersView: Uint32Array

  /**
   * @param options.seed 64-bit seed of the hash tables, secret so that colliding addresses and slots cannot be chosen
   * @param module the tracing build (`traced-evm.ts`) with its imports. Default: the build without imports
   */
  constructor(options: { readonly seed: bigint }, module: WebAssembly.Module = fastModule, imports: EvmImports = {}) {
    const { exports } = new WebAssembly.Instance(module, imports)
    if (!checkedModules.has(module)) {
      checkAbi(exports as Readonly<Record<string, unknown>>)
      checkedModules.add(module)
    }
    this.exports = exports as EvmExports
    this.exports.initialize(options.seed)
    this.exchange = this.exports.EXCHANGE.value
    this.exitWord = this.exports.EXIT_WORD.value
    this.environment = this.exports.ENVIRONMENT.value
    const { buffer } = this.exports.memory
    this.bytesView = Buffer.from(buffer)
    this.limbsView = new BigUint64Array(buffer)
    this.numbersView = new Uint32Array(buffer)
  }

  /** The memory as bytes, valid until the next call into the instance. */
  get bytes(): Buffer {
    if (this.limbsView.length === 0) this.renewViews()
    return this.bytesView
  }

  /** Reads a u32. */
  number(at: number): number {
    if (this.limbsView.length === 0) this.renewViews()
    return this.numbersView[at >>> 2]!
  }

  /** Reads a u64. */
  limb(at: number): bigint {
    if (this.limbsView.length === 0) this.renewViews()
    return this.limbsView[at >>> 3]!
  }

  /** Reads a word. */
  word(at: number): bigint {
    if (this.limbsView.length === 0) this.renewViews()
    const limbs = this.limbsView
    const position = at >>> 3
    const low = limbs[position]!
    const second = limbs[position + 1]!
    const third = limbs[position + 2]!
    const top = limbs[position + 3]!
    if (top === 0n && third === 0n) return second === 0n ? low : (second << 64n) | low
    return (((((top << 64n) | third) << 64n) | second) << 64n) | low
  }

  setWord(at: number, value: bigint): void {
    if (this.limbsView.length === 0) this.renewViews()
    const limbs = this.limbsView
    const position = at >>> 3
    if (value <= LIMB) {
      limbs[position] = value
      limbs[position + 1] = 0n
      limbs[position + 2] = 0n
      limbs[position + 3] = 0n
      return
    }
    limbs[position] = value & LIMB
    const rest = value >> 64n
    limbs[position + 1] = rest & LIMB
    limbs[position + 2] = (rest >> 64n) & LIMB
    limbs[position + 3] = (rest >> 128n) & LIMB
  }

  /** Bytes as lowercase hex with prefix. */
  hex(at: number, size: number): `0x${string}` {
    return hexWithin(this.bytes, at, at + size)
  }

  /** A storage key: 32 bytes. */
  slot(at: number): Slot {
    return this.hex(at, 32) as Slot
  }

  /** 32 bytes at a 4-byte aligned address, which are likely to repeat: returns a cached string. */
  hash(at: number): Hash {
    if (this.limbsView.length === 0) this.renewViews()
    return this.wordHexCache.hex(this.numbersView, this.bytesView, at)
  }

  /** Writes 32 bytes from prefixed hex. */
  setBytes32(at: number, hex: string): void {
    this.bytes.write(hex.slice(2), at, 32, 'hex')
  }

  /** Writes an address as 32 bytes for `findAccount`. */
  setAddress(address: string): void {
    const { bytes, exchange } = this
    bytes.fill(0, exchange, exchange + 12)
    bytes.write(address.slice(2), exchange + 12, 20, 'hex')
  }

  /** A copy of bytes. */
  copy(at: number, size: number): Uint8Array {
    if (size <= SHORT_COPY) {
      const { bytes } = this
      const copy = new Uint8Array(size)
      for (let index = 0; index < size; index++) copy[index] = bytes[at + index]!
      return copy
    }
    return new Uint8Array(this.bytes.buffer, at, size).slice()
  }

  private renewViews(): void {
    const { buffer } = this.exports.memory
    this.bytesView = Buffer.from(buffer)
    this.limbsView = new BigUint64Array(buffer)
    this.numbersView = new Uint32Array(buffer)
  }
}
