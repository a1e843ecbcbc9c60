import { WebSocket } from 'ws'
import type { TransactionCodec } from '../../live/flashblock-arrival.ts'
import type { SocketLike } from '../../live/live-socket.ts'
import type { ClientDeps } from '../../live/node-client.ts'
import { boundedFetch } from '../../primitives/bounded-fetch.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { decodeRlp } from '../../primitives/rlp.ts'

/** Larger responses and messages are refused. A flashblock with ten thousand transactions has 3 MB. */
const MAX_BYTES = 64 << 20
const HANDSHAKE_TIMEOUT_MS = 10_000

/** Network and clock of this process for a client of a node. */
export const NODE_ACCESS: ClientDeps & { readonly codec: TransactionCodec } = {
  fetch: boundedFetch(MAX_BYTES),
  connect: (url) =>
    new WebSocket(url, {
      maxPayload: MAX_BYTES,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      perMessageDeflate: false,
    }) as unknown as SocketLike,
  // The wall clock may be set while this runs, which would look like a late flashblock.
  now: () => Math.round(performance.timeOrigin + performance.now()),
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds)
    return () => clearTimeout(timer)
  },
  codec: {
    hash: (raw) => keccakHash(hexToBytes(raw)),
    members(rlp) {
      const list = decodeRlp(hexToBytes(rlp))
      if (list instanceof Uint8Array) throw new Error('no RLP list')
      return list.map((item) => (item instanceof Uint8Array ? bytesToHex(item) : item))
    },
  },
}
