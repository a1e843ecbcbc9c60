import { describe, expect, test } from 'vitest'
import { endpointOf } from './endpoint.ts'

describe('endpointOf', () => {
  test('is the node that served the page, also below a path of a proxy', () => {
    expect(endpointOf(new URL('http://127.0.0.1:8545/studio#/live'))).toEqual({
      kind: 'endpoint',
      endpoint: { http: 'http://127.0.0.1:8545/', ws: 'ws://127.0.0.1:8545/', isOwn: true },
    })
    expect(endpointOf(new URL('https://node.example/main/studio'))).toEqual({
      kind: 'endpoint',
      endpoint: { http: 'https://node.example/main/', ws: 'wss://node.example/main/', isOwn: true },
    })
  })

  test.each([
    ['http://10.0.0.1:8545', 'http://10.0.0.1:8545/', 'ws://10.0.0.1:8545/'],
    ['wss://rpc.example/key', 'https://rpc.example/key', 'wss://rpc.example/key'],
    ['localhost:8545', 'http://localhost:8545/', 'ws://localhost:8545/'],
  ])('reads ?rpc=%s', (given, http, ws) => {
    expect(endpointOf(new URL(`http://127.0.0.1:8545/studio?rpc=${encodeURIComponent(given)}`))).toEqual({
      kind: 'endpoint',
      endpoint: { http, ws, isOwn: false },
    })
  })

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 'http://', 'ftp://a.example'])('rejects ?rpc=%s', (given) => {
    const choice = endpointOf(new URL(`http://127.0.0.1:8545/studio?rpc=${encodeURIComponent(given)}`))
    expect(choice).toEqual({ kind: 'invalid', message: expect.stringContaining('write it as in ?rpc=http://') })
  })
})

test('refuses a name and a password, which browsers do not send', () => {
  const choice = endpointOf(new URL('http://127.0.0.1:8545/studio?rpc=http://user:secret@10.0.0.1:8545'))
  expect(choice).toMatchObject({ kind: 'invalid', message: expect.stringContaining('leave them out') })
})
