import { LISTED_DIFFERENCES } from './listed-differences.ts'
import { parseWithLlhttp } from './llhttp-parser.ts'
import { parseWithOwn } from './own-parser.ts'
import type { ParsedHead, ParsedStream } from './parsed-stream.ts'
import { cutAtRandom } from './random-requests.ts'

/** How the parsers read the same bytes. */
export interface ParserDifference {
  /**
   * `looser`: we read a request that llhttp refuses, or another one; `stricter`: we refuse what llhttp accepts;
   * `split`: our parser depends on the pieces.
   */
  readonly kind: 'looser' | 'stricter' | 'split'
  /** The event at which they part. */
  readonly index: number
  readonly own: ParsedStream
  readonly llhttp: ParsedStream
}

/** Bytes that complete what a parser waits for. */
const COMPLETIONS = ['\r\n\r\n', '\r\n\r\n0\r\n\r\n', '\n\r\n', 'abc\r\n0\r\n\r\n', ' HTTP/1.1\r\nHost: x\r\n\r\n']

/** @param seed of the pieces in which our parser sees the bytes once more */
export function parserDifference(bytes: Buffer, seed: number): ParserDifference | undefined {
  const [own, llhttp] = [parseWithOwn([bytes]), parseWithLlhttp(bytes)]
  const split = parseWithOwn(cutAtRandom(seed, bytes))
  const isSame = eventTexts(split).join() === eventTexts(own).join()
  if (!isSame || (split.refusal === undefined) !== (own.refusal === undefined)) {
    return { kind: 'split', index: 0, own, llhttp: split }
  }
  const found = differenceOf(own, llhttp)
  if (found !== undefined || own.hasEnded || (own.refusal === undefined) === (llhttp.refusal === undefined))
    return found
  // One refuses what the other waits for, and may refuse later.
  for (const completion of COMPLETIONS) {
    const completed = Buffer.concat([bytes, Buffer.from(completion)])
    const late = differenceOf(parseWithOwn([completed]), parseWithLlhttp(completed))
    if (late !== undefined) return late
  }
  return undefined
}

/** Only the completion of a body shows that llhttp accepts a request. */
function differenceOf(own: ParsedStream, llhttp: ParsedStream): ParserDifference | undefined {
  const [ours, theirs] = [eventTexts(own), eventTexts(llhttp)]
  const parted = ours.findIndex((event, index) => event !== theirs[index])
  if (parted !== -1) return { kind: 'looser', index: parted, own, llhttp }
  const bodies = ({ events }: ParsedStream) => events.filter((event) => typeof event === 'string').length
  return bodies(llhttp) > bodies(own) && !own.hasEnded
    ? { kind: 'stricter', index: ours.length, own, llhttp }
    : undefined
}

function eventTexts({ events }: ParsedStream): string[] {
  return events.map((event) => (typeof event === 'string' ? event : headText(event)))
}

export function headText({ method, target, headers, isLast, isWebSocketUpgrade }: ParsedHead): string {
  return JSON.stringify([method, target, ...[...headers].sort(), isLast, isWebSocketUpgrade])
}

/** The reason of a difference that is intended. */
export function reasonOf(difference: ParserDifference, bytes: Buffer): string | undefined {
  const { llhttp, index } = difference
  // The event at which the parsers part may be a body.
  const head = llhttp.events.slice(0, index + 1).findLast((event) => typeof event !== 'string')
  const text = bytes.toString('latin1')
  return head && LISTED_DIFFERENCES.find(({ applies }) => applies(difference, head, text))?.reason
}
