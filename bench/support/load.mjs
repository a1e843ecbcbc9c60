// The load generator: a fixed number of requests under way, over connections that stay open, for a bounded time.
import { connect } from 'node:net'
import { familyTime } from './process-time.mjs'
import { watchStolenTime } from './stolen-time.mjs'

/** A time in which so few were answered is extended, up to so many times: a slow answer is not none. */
const FEWEST = 8
const MOST_EXTENSIONS = 10
/** Milliseconds that a server may leave every request unanswered. */
const SILENCE_LIMIT = 20_000

/**
 * Asks as quickly as answers come, until the time is up or there is nothing left to ask. What is answered before the
 * warm-up ends or after the time is up does not count.
 *
 * @param {{ port: number, pid?: number }} server
 * @param {object} wire `httpWire` or `webSocketWire`
 * @param {(connection: number) => Buffer | undefined} next what to ask next there, encoded for the wire
 * @param {{ connections: number, pipeline: number, warmUp: number, milliseconds: number }} options `pipeline`: requests
 *   that a connection has under way
 * @returns answers, errors, bytes, ms, latencies (ms each), cpu: ms that the server's process and its children ran,
 *   where the system says, stolen: the share of the processors' time that other machines had (0 to 1), likewise
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
    let stolenTime
    let lastResponse = performance.now()
    let ending
    const watch = setInterval(() => {
      if (performance.now() - lastResponse > SILENCE_LIMIT)
        finish(new Error(`nothing was answered for ${SILENCE_LIMIT} ms`))
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
        // All that one chunk answered is asked for again in one write.
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
      stolenTime = watchStolenTime()
      ending = setTimeout(finishWhenEnough, milliseconds, MOST_EXTENSIONS)
    }

    function finishWhenEnough(extensions) {
      if (counted.responses + counted.errors >= FEWEST || extensions === 0) finish()
      else ending = setTimeout(finishWhenEnough, milliseconds / 2, extensions - 1)
    }

    function finish(error) {
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
      if (error === undefined) resolve(counted)
      else reject(error)
    }
  })
}
