import type { Bytes } from '../primitives/hex.ts'

/**
 * What the append-only log asks of a disk; injected, so that tests can lose power and fill the disk. Errors carry the
 * operating system's `code`. Nothing is durable before a `sync`: bytes after the file's, names after their directory's. Only what is
 * appended to a file that was opened as synced needs none.
 */
export interface FileSystem {
  /** With its parents; durable when resolved. It may be there already. */
  makeDirectory(path: string): Promise<void>
  /** Names in a directory; none when it is not there. */
  list(directory: string): readonly string[]
  /**
   * Creates the file when it is not there.
   *
   * @param isSynced what is appended is durable as soon as `append` resolves: default false
   */
  openForAppend(path: string, isSynced?: boolean): Promise<AppendableFile>
  openForReading(path: string): ReadableFile
  /** In bytes; 0 when the file is not there. */
  size(path: string): number
  remove(path: string): Promise<void>
  /** Makes names created and removed in the directory durable. */
  syncDirectory(path: string): Promise<void>
}

export interface AppendableFile {
  /** After a failure some of the bytes may be in the file. */
  append(bytes: Bytes): Promise<void>
  truncate(size: number): Promise<void>
  /** fdatasync: what was appended and truncated is durable when resolved. */
  sync(): Promise<void>
  close(): Promise<void>
}

export interface ReadableFile {
  size(): number
  /** Fewer bytes than asked for at the end of the file. */
  read(position: number, length: number): Bytes
  close(): void
}
