import { errorText, RequestError } from '../../live/request-error.ts'
import type { KnownAbis } from '../model/abi/abi-book.ts'
import { revertReason } from '../model/abi/decoding.ts'
import type { MeaningContext } from '../model/abi/meaning.ts'

/** The revert reason in the data of the error, which Hardhat's node nests, or its message. */
export function failureText(book: KnownAbis, error: unknown, context?: MeaningContext): string {
  const data = error instanceof RequestError ? error.data : undefined
  const output = typeof data === 'string' ? data : (data as { data?: unknown } | undefined | null)?.data
  const reason = typeof output === 'string' ? revertReason(book, output, context) : undefined
  return reason === undefined ? errorText(error) : `Reverted: ${reason}`
}
