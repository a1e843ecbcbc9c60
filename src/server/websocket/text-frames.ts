import type { NotificationGroup } from '../../rpc/subscriptions/shared-texts.ts'

/** First byte of a text message in one unmasked frame (RFC 6455, section 5.2). */
const FINAL_TEXT = '\x81'
const TWO_BYTES = 126
const EIGHT_BYTES = 127

/** Texts between the heads, by head length: clients with ids of one length share them. */
const prepared = new WeakMap<NotificationGroup, Map<number, readonly string[]>>()

/**
 * The frames of messages to one client. Everything but the heads is built once for all clients.
 *
 * @param head of each message, in ASCII
 * @returns one character per byte
 */
export function textFrames(head: string, shared: NotificationGroup): string {
  let byLength = prepared.get(shared)
  if (byLength === undefined) {
    byLength = new Map()
    prepared.set(shared, byLength)
  }
  let pieces = byLength.get(head.length)
  if (pieces === undefined) {
    pieces = piecesOf(head.length, shared)
    byLength.set(head.length, pieces)
  }
  return pieces.join(head)
}

function piecesOf(headLength: number, { texts }: NotificationGroup): string[] {
  let end = ''
  const pieces: string[] = []
  for (const { bytes } of texts) {
    pieces.push(`${end}${frameHeader(headLength + bytes.length)}`)
    end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  }
  return [...pieces, end]
}

/** Frame header for a message of `length` bytes, one character per byte. */
export function frameHeader(length: number): string {
  if (length < TWO_BYTES) return `${FINAL_TEXT}${String.fromCharCode(length)}`
  if (length <= 0xffff) return `${FINAL_TEXT}${String.fromCharCode(TWO_BYTES, length >> 8, length & 0xff)}`
  const bytes = Buffer.alloc(8)
  bytes.writeUIntBE(length, 2, 6)
  return `${FINAL_TEXT}${String.fromCharCode(EIGHT_BYTES)}${bytes.toString('latin1')}`
}
