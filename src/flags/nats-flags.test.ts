import { expect, test } from 'vitest'
import { natsServers } from './nats-flags.ts'

test.each([
  ['nats://10.0.0.1:4222', 'nats://10.0.0.1:4222'],
  ['nats://a:4222,b:4222', 'nats://a:4222,nats://b:4222'],
  ['tls://user:secret@a:4222,b:4223', 'tls://user:secret@a:4222,tls://b:4223'],
  ['nats://a:4222,nats://b', 'nats://a:4222,nats://b'],
  ['ws://a:4222', undefined],
  ['a:4222', undefined],
  ['nats://a:4222,', undefined],
  ['nats://a:4222/stream', undefined],
  ['', undefined],
])('parses the servers %j as %j', (text, servers) => {
  expect(natsServers(text)).toBe(servers)
})
