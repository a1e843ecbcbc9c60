// The bytes of large requests. Each read of a socket fills a buffer of up to 64 KiB of the heap of malloc, which keeps
// its memory after hundreds of MiB were freed, because smaller allocations lie between them. V8 maps memory for
// resizable buffers instead, and unmaps it.

/** Bytes of a request from which it is moved to mapped memory. */
export const MAPPED_FROM = 64 * 1024
/** Bytes that are mapped at once. */
const STEP = 256 * 1024

/** Bytes that are collected in one piece of memory, which returns to the system when they are released. */
export class MappedBytes {
  readonly #memory: ArrayBuffer
  readonly #bytes: Uint8Array
  #length = 0

  /** @param maxBytes address space to reserve */
  constructor(maxBytes: number) {
    this.#memory = new ArrayBuffer(0, { maxByteLength: maxBytes })
    // Its length follows that of the memory.
    this.#bytes = new Uint8Array(this.#memory)
  }

  /** @throws RangeError beyond `maxBytes` */
  add(part: Uint8Array): void {
    const end = this.#length + part.length
    const { byteLength, maxByteLength } = this.#memory
    if (end > byteLength) this.#memory.resize(Math.max(end, Math.min(maxByteLength, byteLength + STEP)))
    this.#bytes.set(part, this.#length)
    this.#length = end
  }

  copy(): Buffer {
    return Buffer.from(new Uint8Array(this.#memory, 0, this.#length))
  }

  text(): string {
    return Buffer.from(this.#memory, 0, this.#length).toString('utf8')
  }

  /** Discards the bytes, without waiting for a garbage collection. */
  release(): void {
    this.#length = 0
    this.#memory.resize(0)
  }
}

/** Copies buffers to blocks of memory. A block returns to the system when all copies in it are garbage. */
export class MappedCopies {
  #block: ArrayBuffer | undefined
  /** Bytes used of the block. */
  #used = 0

  copy(bytes: Uint8Array): Buffer {
    if (this.#block === undefined || this.#used + bytes.length > this.#block.byteLength) {
      const size = Math.max(STEP, bytes.length)
      this.#block = new ArrayBuffer(size, { maxByteLength: size })
      this.#used = 0
    }
    const copy = Buffer.from(this.#block, this.#used, bytes.length)
    copy.set(bytes)
    this.#used += bytes.length
    return copy
  }

  /** Begins a new block with the next copy. */
  forgetBlock(): void {
    this.#block = undefined
  }
}
