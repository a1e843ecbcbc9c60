import { expect, test } from 'vitest'
import { spawnNode } from '../support/node-processes.ts'
import { outcomeOf, socketOutcomeOf } from './exchange.ts'

test('RPC workers give requests through a proxy the access of clients beyond loopback', async () => {
  const node = await spawnNode(['--ephemeral', '--rpc-workers', '1', '--log-level', 'silent'])
  const headers = { 'x-forwarded-for': '203.0.113.9' }

  expect(await outcomeOf(node.rpc, { call: ['debug_setHead', '0x0'], headers })).toBe('-32601')
  expect(await outcomeOf(node.rpc, { call: ['evm_mine'], headers })).toBe('-32601')
  expect(await outcomeOf(node.rpc, { call: ['eth_blockNumber'], headers })).toBe('ok')
  expect(await outcomeOf(node.rpc, { path: '/metrics', headers })).toBe('404 cors')
  expect(await socketOutcomeOf(node.rpc, { path: '/replica', headers })).toBe('404')
  expect(await socketOutcomeOf(node.rpc, { path: '/replica' })).toBe('101')
  expect(await outcomeOf(node.rpc, { path: '/metrics' })).toBe('200')

  await node.stop()
})
