import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'

/** Characters of a notification behind its hash: `"}}`. */
const BEHIND_HASH = 3
const HASH = 66

/** Milliseconds since 1970, the same clock in every thread of a process. */
export const instant = () => performance.timeOrigin + performance.now()

/**
 * Subscribes to hashes with next to no cost for each message: a socket, and a look at where the hash stands.
 *
 * @param {(hash: string, at: number) => void} onHash
 * @returns the socket; resolves when the subscription is there
 */
export function subscribeToHashes(url, onHash) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(
    `GET / HTTP/1.1\r\nHost: ${hostname}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
  )
  let bytes = Buffer.alloc(0)
  let isOpen = false
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      const at = instant()
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
      if (!isOpen) {
        const end = bytes.indexOf('\r\n\r\n')
        if (end === -1) return
        bytes = bytes.subarray(end + 4)
        isOpen = true
        socket.write(masked('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newFlashblockTransactions"]}'))
      }
      let start = 0
      for (let end = frameEnd(bytes, start); end !== undefined; end = frameEnd(bytes, start)) {
        const text = bytes.latin1Slice(end - HASH - BEHIND_HASH, end)
        start = end
        if (text.endsWith('"}}')) onHash(text.slice(0, HASH), at)
        else resolve(socket)
      }
      bytes = bytes.subarray(start)
    })
  })
}

/** A text frame of a client (RFC 6455, 5.3); the mask is zeros. */
function masked(text) {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}

function frameEnd(bytes, start) {
  if (bytes.length < start + 4) return undefined
  const short = bytes[start + 1]
  const end = short < 126 ? start + 2 + short : start + 4 + bytes.readUInt16BE(start + 2)
  return end <= bytes.length ? end : undefined
}

// As a thread: notes when each hash came, and tells at the end.
if (!isMainThread && workerData?.hashesFrom !== undefined) {
  const seen = new Map()
  const socket = await subscribeToHashes(workerData.hashesFrom, (hash, at) => seen.set(hash, at))
  parentPort.postMessage('subscribed')
  parentPort.once('message', () => {
    socket.destroy()
    parentPort.postMessage(seen)
  })
}
