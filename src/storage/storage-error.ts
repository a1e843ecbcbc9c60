import { CodedError } from '../primitives/coded-error.ts'

/** Kinds of storage errors. */
export type StorageErrorCode =
  | 'COMMIT_FAILED'
  | 'COPY_FAILED'
  | 'DATABASE_MISSING'
  | 'DATA_DAMAGED'
  | 'DIRECTORY_IN_USE'
  | 'INVALID_KEY'
  | 'LOG_CORRUPT'
  | 'LOG_FAILED'
  | 'NEWER_SCHEMA'
  | 'NOT_A_DATABASE'
  | 'NO_BACKUP'
  | 'NOT_OUR_DIRECTORY'
  | 'OLDER_SCHEMA'
  | 'OTHER_CHAIN'
  | 'OTHER_HISTORY'
  | 'PARTIAL_CHAIN'
  | 'READ_ONLY'
  | 'RECORDS_REMOVED'
  | 'RECORD_TOO_LARGE'
  | 'SNAPSHOT_RELEASED'
  | 'STORE_CLOSED'
  | 'STORE_DAMAGED'
  | 'TOO_MANY_READERS'
  | 'TRUNCATED_DATABASE'

export interface StorageErrorDetails {
  /** File or directory concerned. */
  readonly path?: string
  /** Offset in the file, in bytes. */
  readonly offset?: number
  /** Table of the database. */
  readonly table?: string
  readonly cause?: unknown
}

/** The message says what happened and what to do; callers decide by `code`. */
export class StorageError extends CodedError<StorageErrorCode> {
  override readonly name = 'StorageError'
  readonly path: string | undefined
  readonly offset: number | undefined
  readonly table: string | undefined

  constructor(code: StorageErrorCode, message: string, details: StorageErrorDetails = {}) {
    super(code, message, details.cause === undefined ? undefined : { cause: details.cause })
    this.path = details.path
    this.offset = details.offset
    this.table = details.table
  }
}

/** The `code` of an operating system error, such as `ENOSPC`. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

const TRANSIENT_CODES = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'])

/** Whether the system lacks descriptors or memory at the moment: background work tries again later. */
export function isTransientError(error: unknown): boolean {
  return TRANSIENT_CODES.has(systemErrorCode(error) ?? '')
}

const READ_ONLY_CODES = new Set(['EACCES', 'EPERM', 'EROFS'])

/** Whether the operating system refused a write to a read-only location. */
export function isReadOnlyError(error: unknown): boolean {
  return READ_ONLY_CODES.has(systemErrorCode(error) ?? '')
}

export function readOnlyError(path: string, cause: unknown): StorageError {
  return new StorageError(
    'READ_ONLY',
    `${path} cannot be written: check its owner, its permissions and whether its file system is mounted read-only, or choose another data directory`,
    { path, cause },
  )
}
