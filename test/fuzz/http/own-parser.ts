import { ChunkedBodyParser } from '../../../src/server/http/chunked-body.ts'
import { type RequestHead, RequestHeadParser } from '../../../src/server/http/request-head.ts'
import type { ParsedHead, ParsedStream } from './parsed-stream.ts'

const MAX_BODY_BYTES = 1024 * 1024

/** Reads pieces of a connection with the parser of the node, as `HttpConnection` does. */
export function parseWithOwn(pieces: readonly Buffer[]): ParsedStream {
  const events: (ParsedHead | string)[] = []
  const heads = new RequestHeadParser()
  let body: BodyReader | undefined
  let unread = Buffer.alloc(0)
  for (const piece of pieces) {
    unread = Buffer.concat([unread, piece])
    for (let isReading = true; isReading && unread.length > 0; ) {
      const reader = body ?? heads
      const result = reader.read(unread, 0)
      unread = unread.subarray(reader.position)
      if (result?.kind === 'malformed') return { events, refusal: result.message, hasEnded: false }
      if (result?.kind === 'head') {
        events.push(result)
        body = bodyReader(result)
      } else isReading = body?.isComplete === true
      if (body?.isComplete) {
        events.push(body.text())
        if (body.isLast) return { events, refusal: undefined, hasEnded: true }
        body = undefined
      }
    }
  }
  return { events, refusal: undefined, hasEnded: false }
}

interface BodyReader extends Pick<ChunkedBodyParser, 'position' | 'isComplete' | 'read'> {
  readonly isLast: boolean
  text(): string
}

function bodyReader({ length, isLast }: RequestHead): BodyReader {
  const parts: Buffer[] = []
  const text = () => Buffer.concat(parts).toString('latin1')
  if (length === 'chunked') {
    const chunks = new ChunkedBodyParser(
      { maxBytes: MAX_BODY_BYTES },
      { onData: (part) => parts.push(Buffer.from(part)) },
    )
    return Object.assign(chunks, { isLast, text })
  }
  let missing = length
  return {
    position: 0,
    get isComplete() {
      return missing === 0
    },
    isLast,
    text,
    read(bytes) {
      const part = bytes.subarray(0, missing)
      parts.push(Buffer.from(part))
      missing -= part.length
      this.position = part.length
      return undefined
    },
  }
}
