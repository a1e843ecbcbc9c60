import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startDemonstration } from './demonstration.ts'

const ACCOUNTS = [`0x${'a1'.repeat(20)}`, `0x${'b0'.repeat(20)}`]

test('ends when the node stops, with the reading of stocks that the node has not answered', async () => {
  const lines: string[] = []
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return void server.emit('reading', response)
    const asked = (await json(request)) as { id: number } | { id: number }[]
    const answer = ({ id }: { id: number }) => ({ jsonrpc: '2.0', id, result: ACCOUNTS })
    response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const stopping = new AbortController()
  const reading = once(server, 'reading')
  startDemonstration(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pino({}, { write: (line: string) => void lines.push(line) }),
    stopping.signal,
  )
  const [response] = (await reading) as [ServerResponse]
  const closed = once(response, 'close')
  stopping.abort()
  await closed
  server.closeAllConnections()
  await once(server.close(), 'close')
  expect([response.writableFinished, lines]).toEqual([false, []])
})
