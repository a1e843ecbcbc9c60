import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listenFailure } from './listen-failure.ts'

/** The error of `listen` on a port that a server has, and the port. */
async function usedPort(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, error: Object.assign(new Error('listen'), { code: 'EADDRINUSE', port }) }
}

test.each([
  'Tickertape/v0.1.0/linux-x64/node20.19.0',
  'anvil/v1.7.1/Tickertape/v0.1.0/linux-x64/node20.19.0',
  'HardhatNetwork/3.18.0/Tickertape/v0.1.0/darwin-arm64/node22.1.0',
])('the message for a port of a running node names its version: %s', async (version) => {
  const { port, error } = await usedPort((_, response) => response.end(JSON.stringify({ result: version })))

  expect(await listenFailure(error, { host: '127.0.0.1', port }, '--port')).toBe(
    `port ${port} is in use: choose another with --port, or 0 for any free one. ` +
      `${version} answers there: is the node running already?`,
  )
})

test.each([
  ['main', 0],
  ['test', 1],
])('the message for the metrics port of the %s network names --metrics-port', async (_name, offset) => {
  const { port, error } = await usedPort((_, response) => response.end('hello'))

  expect(await listenFailure(error, { host: '127.0.0.1', port: 8545, metricsPort: port - offset }, '--port')).toBe(
    `port ${port} is in use: choose another with --metrics-port, or 0 for any free one`,
  )
})

test('the message for the main port names its flag, also where --metrics-port is the port before it', async () => {
  const { port, error } = await usedPort((_, response) => response.end('hello'))

  expect(await listenFailure(error, { host: '127.0.0.1', port, metricsPort: port - 1 }, '--port')).toBe(
    `port ${port} is in use: choose another with --port, or 0 for any free one`,
  )
})

test.each<[string, RequestListener]>([
  ['no JSON', (_, response) => response.end('hello')],
  ['another node', (_, response) => response.end('{"result":"Geth/v1.16.0"}')],
  ['escape codes after the name', (_, response) => response.end('{"result":"Tickertape/\\u001b[2J"}')],
  ['a closed connection', ({ socket }) => socket.destroy()],
])('the message for a port of another program does not name it: %s', async (_, answer) => {
  const { port, error } = await usedPort(answer)

  expect(await listenFailure(error, { host: '127.0.0.1', port }, '--port')).toBe(
    `port ${port} is in use: choose another with --port, or 0 for any free one`,
  )
})
