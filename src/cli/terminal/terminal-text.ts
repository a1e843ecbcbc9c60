import { oneLine } from '../../primitives/text/foreign-text.ts'

/** As `oneLine`, for several lines. */
export function manyLines(text: string): string {
  return text.split('\n').map(oneLine).join('\n')
}

/** How a command says why it failed. Parts of the reason may come from other programs. */
export function failureLine(reason: string): string {
  return `tickertape: ${manyLines(reason)}\n`
}
