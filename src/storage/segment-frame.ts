import { crc32 } from 'node:zlib'
import type { Bytes } from '../primitives/hex.ts'

/**
 * Length of the payload (u32), CRC-32 of sequence and payload (u32), sequence (u64); little-endian. The payload
 * follows.
 */
export const FRAME_HEADER_BYTES = 16
export const MAXIMUM_PAYLOAD_BYTES = 2 ** 30

export interface LogRecord {
  readonly sequence: number
  readonly payload: Bytes
}

export function encodeFrame({ sequence, payload }: LogRecord): Bytes {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length)
  frame.writeUInt32LE(payload.length, 0)
  frame.writeUInt32LE(sequence % 2 ** 32, 8)
  frame.writeUInt32LE(Math.floor(sequence / 2 ** 32), 12)
  frame.set(payload, FRAME_HEADER_BYTES)
  frame.writeUInt32LE(crc32(frame.subarray(8)), 4)
  return frame
}

export interface FrameHeader {
  readonly length: number
  readonly checksum: number
  readonly sequence: number
}

/** @param bytes at least 16 bytes */
export function decodeFrameHeader(bytes: Bytes): FrameHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, FRAME_HEADER_BYTES)
  return {
    length: view.getUint32(0, true),
    checksum: view.getUint32(4, true),
    sequence: view.getUint32(8, true) + view.getUint32(12, true) * 2 ** 32,
  }
}

/** @param frame including its header */
export function isFrameIntact(frame: Bytes, checksum: number): boolean {
  return crc32(frame.subarray(8)) === checksum
}
