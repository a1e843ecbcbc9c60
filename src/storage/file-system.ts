import type { Bytes } from '../primitives/hex.ts'

/**
 * File operations of the append-only log, injected so that tests can simulate power loss and full disks. Errors carry
 * the operating system's `code`. Nothing is durable before a `sync`: file content after that of the file, names after
 * that of their directory. Appends to a file opened with `isSynced` need none.
 */
export interface FileSystem {
  /** Creates the directory and its parents, durably; it may exist. */
  makeDirectory(path: string): Promise<void>
  /** Names in a directory; none if it does not exist. */
  list(directory: string): readonly string[]
  /**
   * Creates the file if necessary.
   *
   * @param isSynced appended data is durable when `append` resolves. Default: false
   */
  openForAppend(path: string, isSynced?: boolean): Promise<AppendableFile>
  openForReading(path: string): ReadableFile
  /** In bytes; 0 if the file does not exist. */
  size(path: string): number
  remove(path: string): Promise<void>
  /** Makes names created and removed in the directory durable. */
  syncDirectory(path: string): Promise<void>
}

export interface AppendableFile {
  /** After a failure, part of the bytes may be in the file. */
  append(bytes: Bytes): Promise<void>
  truncate(size: number): Promise<void>
  /** fdatasync: appends and truncations are durable when it resolves. */
  sync(): Promise<void>
  close(): Promise<void>
}

export interface ReadableFile {
  size(): number
  /** Returns fewer bytes at the end of the file. */
  read(position: number, length: number): Bytes
  close(): void
}
