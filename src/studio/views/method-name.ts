import type { KnownAbis } from '../model/abi/abi-book.ts'

/** Name of a function by its selector; the selector itself if no ABI has it. */
export function selectorName(book: KnownAbis, selector: string): string {
  return book.functions(selector)[0]?.name ?? selector
}
