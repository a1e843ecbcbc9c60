/** A proxy that counts requests, and spoils some of them. */
import { once } from 'node:events'
import { createServer } from 'node:http'

/**
 * @param {string} target URL of the node
 * @param {{ random: () => number, faultShare: number }} options share of requests that are spoilt
 */
export async function startProxy(target, { random, faultShare }) {
  const proxy = { requests: 0, faults: { delay: 0, drop: 0, truncate: 0, limit: 0 }, faultShare }
  const server = createServer(async (request, response) => {
    proxy.requests += 1
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const fault = random() < proxy.faultShare ? Object.keys(proxy.faults)[Math.floor(random() * 4)] : undefined
    if (fault !== undefined) proxy.faults[fault] += 1
    if (fault === 'drop') return request.socket.destroy()
    if (fault === 'limit') return response.writeHead(429, { 'retry-after': '0' }).end('slow down')
    if (fault === 'delay') await new Promise((resolve) => setTimeout(resolve, 20 + random() * 200))
    const answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.concat(chunks),
    })
    const text = await answer.text()
    response.setHeader('content-type', 'application/json')
    response.end(fault === 'truncate' ? text.slice(0, Math.floor(text.length / 2)) : text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...proxy,
    state: proxy,
    url: `http://127.0.0.1:${server.address().port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
