import type { JsonPart } from './encoded-json.ts'

/** Bytes whose hex is written at once: its text is short-lived garbage of the young generation. */
const HEX_SLICE_BYTES = 16 * 1024
/**
 * Bytes from which memory is mapped: malloc keeps what is freed of such buffers, up to hundreds of MiB. For smaller
 * responses, mapping costs more than encoding.
 */
const MAPPED_FROM = 1024 * 1024

/** The JSON text of parts in UTF-8. Each part is copied once, without a text of all of them. */
export function jsonBytes(parts: readonly JsonPart[]): Buffer {
  const sizes = parts.map((part) => (typeof part === 'string' ? Buffer.byteLength(part) : 2 * part.length))
  const whole = allocate(sizes.reduce((sum, size) => sum + size, 0))
  let at = 0
  for (const [index, part] of parts.entries()) {
    if (typeof part !== 'string') writeHex(whole, at, part)
    // Copying is faster than encoding.
    else whole.write(part, at, sizes[index] === part.length ? 'latin1' : 'utf8')
    at += sizes[index]!
  }
  return whole
}

/** V8 maps memory for resizable buffers, and unmaps it when they are garbage. */
function allocate(bytes: number): Buffer {
  if (bytes < MAPPED_FROM) return Buffer.allocUnsafeSlow(bytes)
  return Buffer.from(new ArrayBuffer(bytes, { maxByteLength: bytes }))
}

function writeHex(target: Buffer, at: number, bytes: Uint8Array): void {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let start = 0; start < source.length; start += HEX_SLICE_BYTES) {
    target.write(source.toString('hex', start, start + HEX_SLICE_BYTES), at + 2 * start, 'latin1')
  }
}
