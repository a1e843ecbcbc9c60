import { once } from 'node:events'
import { expect, test, vi } from 'vitest'
import { ECHO, startEcho } from '../../../test/support/echo-server.ts'
import { HEAD, heldRpc, open, post, rest, until } from '../../../test/support/http-connections.ts'

test('a closed server leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const server = await startEcho()
    expect(vi.getTimerCount()).toBe(1)
    await server.close()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('a closing server answers the requests that it read, then closes the connection', async () => {
  const { rpc, held } = heldRpc()
  const server = await startEcho({ limits: { closeGraceMs: 60_000 } }, { rpc })
  const busy = await open(server)
  busy.write(post('"a"') + post('"b"'))
  const idle = await open(server)
  await until(() => held.length === 2)
  const closing = server.close()
  for (const { goOn } of held) goOn()
  const answers = (await rest(busy)).split('HTTP/1.1 200 OK').slice(1)
  expect(answers.map((text) => [/^Connection: .*$/m.exec(text)?.[0].trim(), text.slice(-3)])).toEqual([
    ['Connection: keep-alive', '"a"'],
    ['Connection: close', '"b"'],
  ])
  expect(await rest(idle)).toBe('')
  await closing
})

test('a closing server waits for the rest of a body', async () => {
  const server = await startEcho({ limits: { closeGraceMs: 60_000 } })
  const socket = await open(server)
  socket.write(`${post('"a"')}${HEAD}Content-Length: 3\r\n\r\n"`)
  await once(socket, 'data')
  const closing = server.close()
  socket.write('b"')
  expect(await rest(socket)).toMatch(/Connection: close\r\n.*"b"$/s)
  await closing
})

test('an endless body delays closing by at most the grace period', async () => {
  const server = await startEcho({ limits: { closeGraceMs: 50 } })
  const socket = await open(server)
  socket.write(`${post('"a"')}${HEAD}Content-Length: 3\r\n\r\n"`)
  await once(socket, 'data')
  const closed = rest(socket)
  await server.close()
  await closed.catch(() => undefined)
  expect(socket.destroyed).toBe(true)
})

test('requests after Connection: close are not read', async () => {
  const texts: string[] = []
  const answer = async (text: string) => {
    texts.push(text)
    return text
  }
  const server = await startEcho({}, { rpc: { ...ECHO, handle: answer } })
  const socket = await open(server)
  socket.write(post('"a"', 'Connection: close\r\n') + post('"b"'))
  expect(await rest(socket)).toMatch(/^HTTP\/1.1 200.*Connection: close\r\n.*"a"$/s)
  expect(texts).toEqual(['"a"'])
  await server.close()
})

test('requests in one segment run within the limit in flight', async () => {
  const { rpc, held } = heldRpc()
  const server = await startEcho({ limits: { closeGraceMs: 50 } }, { rpc })
  const socket = await open(server)
  socket.write(Array.from({ length: 40 }, (_, index) => post(`${index}`)).join(''))
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  await until(() => held.length === 16)
  // Requests of others come while these wait.
  const other = await open(server)
  other.write(post('"other"'))
  await until(() => held.at(-1)?.text === '"other"')
  expect(held).toHaveLength(17)
  other.destroy()
  for (let index = 0; index < 41; index++) {
    await until(() => held.length > index)
    held[index]!.goOn()
  }
  await until(() => received.split('HTTP/1.1 200 OK').length === 41)
  expect(
    received
      .split('HTTP/1.1 200 OK')
      .map((text) => /\d+$/.exec(text)?.[0])
      .slice(1),
  ).toEqual(Array.from({ length: 40 }, (_, index) => `${index}`))
  socket.destroy()
  await server.close()
})

test('a client that does not read is not read from, and its connection is closed', async () => {
  const asked: string[] = []
  const answer = (text: string) => {
    asked.push(text)
    return 'x'.repeat(1024 * 1024)
  }
  const server = await startEcho({ limits: { writeTimeoutMs: 100 } }, { rpc: { ...ECHO, handle: answer } })
  const socket = await open(server)
  socket.pause()
  for (let count = 0; count < 200; count++) socket.write(post(`${count}`))
  await until(() => asked.length > 0)
  while (server.connections > 0) await new Promise((resolve) => setImmediate(resolve))
  expect(asked.length).toBeLessThan(40)
  socket.destroy()
  await server.close()
})

test('responses that wait behind another one are released when their connection closes', async () => {
  let goOn = () => {}
  const going = new Promise<string>((resolve) => {
    goOn = () => resolve('late')
  })
  const large = 'x'.repeat(3 * 1024 * 1024)
  let asked = 0
  const answer = (text: string) => {
    asked += 1
    return text === '"wait"' ? going : large
  }
  const server = await startEcho({ limits: { maxUnreadBytes: 4 * 1024 * 1024 } }, { rpc: { ...ECHO, handle: answer } })
  const socket = await open(server)
  socket.write(post('"wait"') + post('"large"'))
  await until(() => asked === 2)
  socket.destroy()
  while (server.connections > 0) await new Promise((resolve) => setImmediate(resolve))
  goOn()
  const other = await open(server)
  other.write(post('"large"', 'Connection: close\r\n'))
  expect(await rest(other)).toMatch(/^HTTP\/1.1 200/)
  await server.close()
})

test('small responses that wait behind another one are bounded together', async () => {
  let goOn = () => {}
  const going = new Promise<string>((resolve) => {
    goOn = () => resolve('"late"')
  })
  let asked = 0
  const answer = (text: string) => {
    asked += 1
    return text === '"wait"' ? going : 'x'.repeat(30_000)
  }
  const server = await startEcho({ limits: { maxUnreadBytes: 50_000 } }, { rpc: { ...ECHO, handle: answer } })
  const socket = await open(server)
  socket.write(post('"wait"') + post('"small"').repeat(9) + post('"small"', 'Connection: close\r\n'))
  await until(() => asked === 11)
  goOn()
  const statuses = [...(await rest(socket)).matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)
  // One fits, another one may be had in any case.
  expect(statuses).toEqual(['200', '200', '200', ...Array(8).fill('503')])
  await server.close()
})

test('unread responses are released when their connection closes', async () => {
  const large = 'x'.repeat(3 * 1024 * 1024)
  const rpc = { ...ECHO, handle: (text: string) => (text === '"large"' ? large : text) }
  const server = await startEcho({ limits: { maxUnreadBytes: 16 * 1024 * 1024 } }, { rpc })
  for (let round = 0; round < 10; round++) {
    const socket = await open(server)
    socket.pause()
    socket.write(post('"large"'))
    // It has begun to come.
    await until(() => socket.readableLength > 0 || socket.bytesRead > 0)
    socket.destroy()
  }
  while (server.connections > 0) await new Promise((resolve) => setImmediate(resolve))
  const socket = await open(server)
  socket.write(post('"large"', 'Connection: close\r\n'))
  expect((await rest(socket)).length).toBeGreaterThan(large.length)
  await server.close()
})
