import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { ECHO, requestServer, startEcho } from '../../test/support/echo-server.ts'
import type { RpcClient } from '../rpc/protocol/rpc-client.ts'

/** Responds with the state at `latest` that the client chose. */
const CHOSEN = {
  handle: (_: string, { latestState }: RpcClient) => latestState ?? 'none',
  connect: (send: (text: string) => void, _: object, { latestState }: Pick<RpcClient, 'latestState'>) => ({
    receive: async () => send(latestState ?? 'none'),
    close: () => undefined,
  }),
}

async function start() {
  const server = await startEcho({}, { rpc: { ...ECHO, ...CHOSEN } as typeof ECHO })
  onTestFinished(() => server.close())
  return server
}

test.each([
  ['/', 'none'],
  ['/?latest=preconfirmed', 'preconfirmed'],
  ['/?latest=sealed', 'sealed'],
])('a client at %s has the choice %s, over HTTP and WebSocket', async (path, choice) => {
  const { port } = await start()

  expect(await requestServer({ port, path, body: '1' })).toMatchObject({ status: 200, body: choice })

  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
  await once(socket, 'open')
  socket.send('1')
  expect(String((await once(socket, 'message'))[0])).toBe(choice)
  socket.close()
})

test('an unknown state in the URL is answered with 400, over HTTP and WebSocket', async () => {
  const { port } = await start()
  const path = '/?latest=pending'
  const body = '{"error":"invalid query: latest is given once, as sealed or preconfirmed"}'

  expect(await requestServer({ port, path, body: '1' })).toMatchObject({ status: 400, body })

  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
  socket.on('error', () => undefined)
  const [, response] = await once(socket, 'unexpected-response')
  expect(response.statusCode).toBe(400)
})

test('paths of REST do not read the choice', async () => {
  const { port } = await start()

  expect(await requestServer({ port, method: 'GET', path: '/v1?latest=x' })).toMatchObject({ status: 418 })
})
