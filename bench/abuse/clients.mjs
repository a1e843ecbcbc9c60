// Clients of the attacks: HTTP connections that keep a number of requests in flight, and raw sockets.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { httpWire } from '../support/http-wire.mjs'

/** Milliseconds before a closed connection is opened again. */
const RECONNECT_PAUSE = 50
const MEBIBYTE = 2 ** 20

/** A JSON-RPC request as an HTTP message. */
export function call(method, params) {
  return httpWire.encode(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
}

/**
 * A call that returns `bytes` zeros. The code is overridden: a creation could not return more than the largest code.
 * PUSH3 size, PUSH1 0, RETURN.
 */
export function returningCall(bytes) {
  const to = `0x${'11'.repeat(20)}`
  return ['eth_call', [{ to }, 'latest', { [to]: { code: `0x62${bytes.toString(16).padStart(6, '0')}6000f3` } }]]
}

/** A body of five megabytes, the default limit, that repeats a part. */
export function repeated(head, part, tail, bytes = 5 * MEBIBYTE) {
  return head + part.repeat(Math.floor((bytes - head.length - tail.length + 1) / part.length)).slice(0, -1) + tail
}

/** Number of responses by the code of the error, or `ok`. */
export class Responses {
  counts = {}

  count(kind) {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1
  }

  countResponse(isResult, first) {
    this.count(isResult ? 'ok' : (/"code":(-?\d+)/.exec(first.toString('latin1'))?.[1] ?? 'refused'))
  }
}

/**
 * Keeps `pipeline` requests in flight on each of `connections` connections for the duration of the attack.
 *
 * @param {{ port: number, seconds: number }} node
 * @param {(index: number) => Buffer} next the next HTTP message
 * @param {{ connections?: number, pipeline?: number, reads?: boolean }} [options] `reads`: whether responses are read
 * @returns {Promise<Record<string, number>>} number of responses of each kind
 */
export async function flood({ port, seconds }, next, { connections = 2, pipeline = 1, reads = true } = {}) {
  const responses = new Responses()
  let isOver = false
  let sent = 0
  const sockets = new Set()
  const open = () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    sockets.add(socket)
    const send = () => !isOver && socket.write(next(sent++))
    const reader = httpWire.createReader((isResult, first) => {
      responses.countResponse(isResult, first)
      send()
    })
    socket.on('connect', () => {
      for (let index = 0; index < pipeline; index++) send()
      if (!reads) socket.pause()
    })
    socket.on('data', (chunk) => {
      // A rejection of the connection is no response with a length.
      try {
        reader(chunk)
      } catch {
        socket.destroy()
      }
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      if (isOver) return
      responses.count('closed')
      setTimeout(() => !isOver && open(), RECONNECT_PAUSE)
    })
  }
  for (let index = 0; index < connections; index++) open()
  await sleep(seconds * 1000)
  isOver = true
  for (const socket of sockets) socket.destroy()
  return responses.counts
}

/**
 * Opens raw connections and holds them for the duration of the attack.
 *
 * @param {(socket: import('node:net').Socket, index: number) => void} begin called when a connection is open
 * @param {{ connections: number, reads?: boolean }} options
 * @returns {Promise<Record<string, number>>} how many connections the node closed
 */
export async function hold({ port, seconds }, begin, { connections, reads = true }) {
  const responses = new Responses()
  let isOver = false
  const sockets = Array.from({ length: connections }, (_, index) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.on('connect', () => begin(socket, index))
    socket.on('error', () => undefined)
    socket.on('close', () => isOver || responses.count('closed'))
    if (reads) socket.resume()
    return socket
  })
  await sleep(seconds * 1000)
  isOver = true
  for (const socket of sockets) socket.destroy()
  return responses.counts
}

/** Writes what `next` returns whenever the socket takes more. */
export function writeForever(socket, next) {
  const write = () => {
    while (!socket.destroyed && socket.write(next()));
  }
  socket.on('drain', write)
  write()
}
