import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { CodedError } from './coded-error.ts'

/** A file that is not read. Has a `code` as errors of the operating system do. */
class UnreadableFileError extends CodedError<'EFTYPE' | 'EFBIG'> {
  override readonly name = 'UnreadableFileError'
}

/**
 * Reads a regular file.
 *
 * @throws UnreadableFileError for pipes and devices, which may have no end, and for files of more than `maxBytes`; the
 *   error of the operating system
 */
export function readBoundedFile(path: string, maxBytes: number): Buffer {
  const file = openRegularFile(path)
  try {
    const { size } = fstatSync(file)
    if (size > maxBytes) {
      throw new UnreadableFileError('EFBIG', `${path} has ${size} bytes, at most ${maxBytes} are read`)
    }
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Opens a regular file for reading.
 *
 * @returns its descriptor
 * @throws UnreadableFileError for pipes and devices; the error of the operating system
 */
export function openRegularFile(path: string): number {
  // Without O_NONBLOCK, opening a pipe waits for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new UnreadableFileError('EFTYPE', `${path} is no regular file`)
}
