// HTTP/1.1 as the load generator needs it: requests made once, answers found in the stream without parsing their JSON.

const EMPTY = Buffer.alloc(0)
/** Bytes of an answer that are looked at for an error: an error answer is short, or has its member in front. */
const INSPECTED_BYTES = 512

/** An answer of JSON-RPC that is an error, by its first bytes. */
export function saysError(first) {
  return first.includes('"error":')
}

export const httpWire = {
  /** Nothing is said before the first request. */
  opening: undefined,

  encode(json) {
    const body = Buffer.from(json)
    const head = `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    return Buffer.concat([Buffer.from(head), body])
  },

  /**
   * Takes the bytes of a connection as they come, and tells of every complete answer whether it was a result.
   *
   * @param {(isResult: boolean, first: Buffer, bytes: number) => void} onResponse
   */
  createReader(onResponse) {
    let waiting = EMPTY
    let response
    return (chunk) => {
      let rest = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
      waiting = EMPTY
      while (rest.length > 0) {
        if (response === undefined) {
          const end = rest.indexOf('\r\n\r\n')
          if (end < 0) {
            waiting = rest
            return
          }
          response = readHead(rest.latin1Slice(0, end))
          rest = rest.subarray(end + 4)
        }
        const part = rest.subarray(0, response.left)
        rest = rest.subarray(part.length)
        response.left -= part.length
        if (response.first.length < INSPECTED_BYTES) {
          const inspected = part.subarray(0, INSPECTED_BYTES)
          response.first = response.first.length === 0 ? inspected : Buffer.concat([response.first, inspected])
        }
        if (response.left > 0) return
        const { status, first, bytes } = response
        response = undefined
        onResponse(status === 200 && !saysError(first), first, bytes)
      }
    }
  },
}

function readHead(head) {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)
  if (length === null) throw new Error(`an answer without a content length is not understood: ${head.slice(0, 200)}`)
  const bytes = Number(length[1])
  return { status: Number(head.slice(9, 12)), left: bytes, bytes, first: EMPTY }
}
