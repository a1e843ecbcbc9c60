import { pipeline, Readable, type Transform } from 'node:stream'

/**
 * The chunks of a source after a transformation. A reader that stops early ends the source, so that it releases what it
 * holds; an error of the source is thrown to the reader. `Readable.pipe` does neither.
 */
export function piped(source: AsyncIterable<string | Uint8Array>, transform: Transform): AsyncIterable<Buffer> {
  // The reader of the transformed chunks gets the error.
  return pipeline(Readable.from(source), transform, () => undefined)
}
