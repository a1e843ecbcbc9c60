import { conformanceJson, hasConformanceData } from './conformance-data.ts'

const VECTORS = 'http/request-vectors.json'
const HAS_HOST = /\nhost:/i

/** Bytes of one or more HTTP/1.1 requests, valid or not, from the tests of other parsers. */
export interface RequestVector {
  /** File and line of the original test. */
  readonly source: string
  readonly bytes: Buffer
}

/** Whether the vectors exist. Warns where they do not. */
export function hasRequestVectors(): boolean {
  return hasConformanceData(VECTORS, 'HTTP request vectors')
}

/** All vectors, and those without a `Host` header once more with one. */
export function requestVectors(): RequestVector[] {
  const listed = conformanceJson(VECTORS) as readonly { readonly source: string; readonly base64: string }[]
  return listed.flatMap(({ source, base64 }) => {
    const bytes = Buffer.from(base64, 'base64')
    const hosted = withHost(bytes)
    return hosted === undefined
      ? [{ source, bytes }]
      : [
          { source, bytes },
          { source: `${source} with Host`, bytes: hosted },
        ]
  })
}

function withHost(bytes: Buffer): Buffer | undefined {
  const end = bytes.indexOf('\n') + 1
  if (end === 0 || HAS_HOST.test(bytes.toString('latin1'))) return undefined
  return Buffer.concat([bytes.subarray(0, end), Buffer.from('Host: localhost\r\n'), bytes.subarray(end)])
}
