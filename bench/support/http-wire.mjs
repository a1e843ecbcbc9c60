// HTTP/1.1 for the load generator: requests are encoded once, responses are delimited without parsing their JSON.

const EMPTY = Buffer.alloc(0)
/** Bytes of a response that are searched for an error: an error response is short or has its `error` member first. */
const INSPECTED_BYTES = 512

/** Whether a JSON-RPC response is an error, by its first bytes. */
export function saysError(first) {
  return first.includes('"error":')
}

export const httpWire = {
  /** The client sends no preamble. */
  opening: undefined,

  encode(json) {
    const body = Buffer.from(json)
    const head = `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    return Buffer.concat([Buffer.from(head), body])
  },

  /**
   * Parses the byte stream of a connection and reports every complete response.
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
  if (length === null) throw new Error(`the response has no content-length: ${head.slice(0, 200)}`)
  const bytes = Number(length[1])
  return { status: Number(head.slice(9, 12)), left: bytes, bytes, first: EMPTY }
}
