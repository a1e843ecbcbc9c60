import { basename, join } from 'node:path'
import type { FileSystem } from '../../../src/storage/file-system.ts'
import { type Segment, segmentPath } from '../../../src/storage/segment-file.ts'

/** The read-only part of a file system that has one file: the first segment of a log. */
export function fileOf(directory: string, bytes: Uint8Array): FileSystem & { readonly segment: Segment } {
  const path = segmentPath(directory, 1)
  const readOnly = () => Promise.reject(new Error('this file system is read only'))
  return {
    segment: { path, first: 1 },
    list: (folder) => (join(folder) === directory ? [basename(path)] : []),
    size: () => bytes.length,
    openForReading: () => ({
      size: () => bytes.length,
      read: (position, length) => bytes.subarray(position, position + length),
      close: () => undefined,
    }),
    makeDirectory: readOnly,
    openForAppend: readOnly,
    remove: readOnly,
    syncDirectory: readOnly,
  }
}
