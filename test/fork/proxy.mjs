/** A proxy that counts requests, delays all of them or spoils some. */
import { once } from 'node:events'
import { createServer } from 'node:http'

/**
 * @param {string} target URL of the node
 * @param {object} options
 * @param {() => number} options.random
 * @param {number} options.faultShare share of requests that are spoilt
 * @param {number} [options.delayMs] time that each request needs
 * @param {readonly string[]} [options.without] methods that the node does not offer
 */
export async function startProxy(target, { random, faultShare, delayMs = 0, without = [] }) {
  const state = {
    requests: 0,
    /** Longest chain of requests each of which was sent after the response to the one before. */
    rounds: 0,
    /** Counts how often the rounds began anew: a request of an earlier count may still be in progress. */
    counts: 0,
    /** Counts the rounds of the requests from now on. */
    countRounds() {
      state.rounds = 0
      state.counts += 1
    },
    faults: { delay: 0, drop: 0, truncate: 0, limit: 0 },
    faultShare,
  }
  const server = createServer(async (request, response) => {
    state.requests += 1
    const { counts } = state
    const round = state.rounds + 1
    response.on('finish', () => {
      if (counts === state.counts) state.rounds = Math.max(state.rounds, round)
    })
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const fault = random() < state.faultShare ? Object.keys(state.faults)[Math.floor(random() * 4)] : undefined
    if (fault !== undefined) state.faults[fault] += 1
    if (fault === 'drop') return request.socket.destroy()
    if (fault === 'limit') return response.writeHead(429, { 'retry-after': '0' }).end('slow down')
    if (fault === 'delay') await pause(20 + random() * 200)
    const [text] = await Promise.all([forward(target, Buffer.concat(chunks).toString(), without), pause(delayMs)])
    response.setHeader('content-type', 'application/json')
    response.end(fault === 'truncate' ? text.slice(0, Math.floor(text.length / 2)) : text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    state,
    url: `http://127.0.0.1:${server.address().port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const STEP_MS = 10

/**
 * Waits in short steps, so that requests which arrived during a stall of this process are read before the delay ends.
 * After a single timer they would count for the next round.
 */
async function pause(milliseconds) {
  for (let left = milliseconds; left > 0; left -= STEP_MS) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(left, STEP_MS)))
  }
}

async function forward(target, body, without) {
  const isOffered = ({ method }) => !without.includes(method)
  const parsed = JSON.parse(body)
  const calls = Array.isArray(parsed) ? parsed : [parsed]
  const refused = calls.filter((call) => !isOffered(call)).map(({ id }) => notOffered(id))
  const offered = calls.filter(isOffered)
  const response =
    offered.length === 0
      ? []
      : await fetch(target, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: refused.length === 0 ? body : JSON.stringify(offered),
        })
  if (refused.length === 0) return response.text()
  const replies = [...refused, ...(offered.length === 0 ? [] : await response.json())]
  return JSON.stringify(Array.isArray(parsed) ? replies : replies[0])
}

function notOffered(id) {
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'the method does not exist/is not available' } }
}
