// The load generator: a fixed number of requests in flight over persistent connections, for a bounded time.
import { connect } from 'node:net'
import { canCountInstructions, countInstructions } from './instruction-count.mjs'
import { familyTime } from './process-time.mjs'
import { watchStolenTime } from './stolen-time.mjs'

/** A measurement with fewer responses is extended, up to this many times: a slow response still counts. */
const FEWEST = 8
const MOST_EXTENSIONS = 10
/** Milliseconds without any response after which the load fails. */
const SILENCE_LIMIT = 20_000
const countsInstructions = canCountInstructions()

/**
 * Sends a request for every response until the time is up or `next` returns nothing. Responses during the warm-up and
 * after the end do not count.
 *
 * @param {{ port: number, pid?: number }} server
 * @param {object} wire `httpWire` or `webSocketWire`
 * @param {(connection: number) => Buffer | undefined} next the next request of a connection, encoded for the wire
 * @param {{ connections: number, pipeline: number, warmUp: number, milliseconds: number }} options `pipeline`: requests
 *   in flight per connection
 * @returns responses, errors, bytes, ms, latencies (ms each); where the system reports them: cpu (processor time of
 *   the server and its children in ms), instructions (of the server's process) and stolen (share of processor time that
 *   other machines used, 0 to 1)
 */
export function runLoad(server, wire, next, { connections, pipeline, warmUp, milliseconds }) {
  const counted = { responses: 0, errors: 0, bytes: 0, ms: 0, latencies: [], firstError: undefined }
  let underWay = 0
  let isCounting = false
  let isOver = false
  return new Promise((resolve, reject) => {
    const sockets = Array.from({ length: connections }, (_, index) => open(index))
    let opened = 0
    let start = 0
    let startCpu
    let endInstructions
    let stolenTime
    let lastResponse = performance.now()
    let ending
    const watch = setInterval(() => {
      if (performance.now() - lastResponse > SILENCE_LIMIT) finish(new Error(`no response for ${SILENCE_LIMIT} ms`))
    }, 1_000)

    function open(index) {
      const socket = connect({ port: server.port, host: '127.0.0.1', noDelay: true })
      const sentAt = []
      let first = 0
      let completed = 0
      const reader = wire.createReader(onResponse, begin)
      socket.on('connect', () => (wire.opening === undefined ? begin() : socket.write(wire.opening)))
      socket.on('data', (chunk) => {
        if (isOver) return
        try {
          reader(chunk)
        } catch (error) {
          return finish(error)
        }
        // All responses of one chunk are followed by one write of new requests.
        if (completed > 0) send(completed)
        completed = 0
      })
      socket.on('error', finish)
      socket.on('close', () => finish(new Error('the server closed a connection')))
      return socket

      function begin() {
        send(pipeline)
        opened += 1
        if (opened === connections) setTimeout(beginCounting, warmUp)
      }

      function send(count) {
        const parts = []
        for (let message = next(index); message !== undefined; message = next(index)) {
          if (parts.push(message) === count) break
        }
        const now = performance.now()
        for (let part = 0; part < parts.length; part++) sentAt.push(now)
        underWay += parts.length
        if (parts.length > 0) socket.write(parts.length === 1 ? parts[0] : Buffer.concat(parts))
        else if (underWay === 0) finish()
      }

      function onResponse(isResult, bytesInFront, bytes) {
        completed += 1
        underWay -= 1
        lastResponse = performance.now()
        const sent = sentAt[first++]
        if (first > 1024) {
          sentAt.splice(0, first)
          first = 0
        }
        if (!isCounting) return
        if (isResult) {
          counted.responses += 1
          counted.bytes += bytes
          counted.latencies.push(lastResponse - sent)
        } else {
          counted.errors += 1
          counted.firstError ??= bytesInFront.toString('utf8')
        }
      }
    }

    function beginCounting() {
      if (isOver) return
      isCounting = true
      start = performance.now()
      startCpu = familyTime(server.pid)
      if (countsInstructions && server.pid !== undefined) endInstructions = countInstructions(server.pid)
      stolenTime = watchStolenTime()
      ending = setTimeout(finishWhenEnough, milliseconds, MOST_EXTENSIONS)
    }

    function finishWhenEnough(extensions) {
      if (counted.responses + counted.errors >= FEWEST || extensions === 0) finish()
      else ending = setTimeout(finishWhenEnough, milliseconds / 2, extensions - 1)
    }

    async function finish(error) {
      if (isOver) return
      isOver = true
      isCounting = false
      clearInterval(watch)
      clearTimeout(ending)
      counted.ms = performance.now() - start
      const endCpu = familyTime(server.pid)
      if (startCpu !== undefined && endCpu !== undefined) counted.cpu = endCpu - startCpu
      counted.stolen = stolenTime?.()
      for (const socket of sockets) socket.destroy()
      counted.instructions = await endInstructions?.()
      if (error === undefined) resolve(counted)
      else reject(error)
    }
  })
}
