// A thread that subscribes to transaction hashes and records their arrival times at minimal cost per message, because
// many such clients share the processors with the measured node.
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** Characters of a notification after its hash: `"}}`. */
const BEHIND_HASH = 3
const HASH = 66
const CLOSING_BRACE = 0x7d
const SUBSCRIBE = '{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newFlashblockTransactions"]}'

/** Milliseconds since 1970; the same clock in all threads. */
const instant = () => performance.timeOrigin + performance.now()
/** Shared read buffer of the sockets of a thread. */
const arrived = Buffer.alloc(64 * 1024)

/**
 * Starts clients in a separate thread.
 *
 * @param {string} url WebSocket URL
 * @param {number} subscribers
 * @returns {Promise<{ end(): Promise<Map<string, number[]>> }>} `end`: arrival times by hash, over all clients
 */
export async function startHashSubscribers(url, subscribers) {
  const thread = new Worker(new URL(import.meta.url), { workerData: { hashesFrom: url, subscribers } })
  const next = () =>
    new Promise((resolve, reject) => {
      thread.once('message', resolve)
      thread.once('error', reject)
    })
  await next()
  return {
    async end() {
      const received = next()
      thread.postMessage('end')
      const instants = await received
      await thread.terminate()
      return instants
    },
  }
}

/** @returns the socket, once the subscription is established */
function subscribeToHashes(url, onHash) {
  const { hostname, port } = new URL(url)
  let rest = Buffer.alloc(0)
  let isOpen = false
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: hostname, onread: { buffer: arrived, callback: receive } })
    socket.on('error', reject)
    socket.write(
      `GET / HTTP/1.1\r\nHost: ${hostname}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    )

    function receive(size) {
      const at = instant()
      let bytes = arrived.subarray(0, size)
      if (rest.length > 0) bytes = Buffer.concat([rest, bytes])
      let start = 0
      if (!isOpen) {
        const end = bytes.indexOf('\r\n\r\n')
        if (end !== -1) {
          start = end + 4
          isOpen = true
          socket.write(masked(SUBSCRIBE))
        }
      }
      for (let end = isOpen && frameEnd(bytes, start); end; end = frameEnd(bytes, start)) {
        const hashEnd = end - BEHIND_HASH
        start = end
        // The response to the request ends with one brace.
        if (bytes[end - 2] !== CLOSING_BRACE) resolve(socket)
        else onHash(bytes.latin1Slice(hashEnd - HASH, hashEnd), at)
      }
      rest = start === bytes.length ? bytes.subarray(0, 0) : Buffer.from(bytes.subarray(start))
      return true
    }
  })
}

/** A client text frame (RFC 6455, 5.3), masked with zeros. */
function masked(text) {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}

function frameEnd(bytes, start) {
  if (bytes.length < start + 4) return undefined
  const short = bytes[start + 1]
  const end = short < 126 ? start + 2 + short : start + 4 + bytes.readUInt16BE(start + 2)
  return end <= bytes.length ? end : undefined
}

if (!isMainThread && workerData?.hashesFrom !== undefined) {
  const received = new Map()
  const onHash = (hash, at) => {
    const instants = received.get(hash)
    if (instants === undefined) received.set(hash, [at])
    else instants.push(at)
  }
  const sockets = await Promise.all(
    Array.from({ length: workerData.subscribers }, () => subscribeToHashes(workerData.hashesFrom, onHash)),
  )
  parentPort.postMessage('subscribed')
  parentPort.once('message', () => {
    for (const socket of sockets) socket.destroy()
    parentPort.postMessage(received)
  })
}
