import { describe, expect, onTestFinished, test } from 'vitest'
import { type NodeProcess, spawnNode } from '../support/node-processes.ts'
import { outcomeOf } from './exchange.ts'

const FLAGS = ['--ephemeral', '--mining', 'manual', '--log-level', 'silent', '--metrics-port', '0']
const FOREIGN = { headers: { host: 'metrics.example' } }

type WithMetrics = NodeProcess & { readonly metrics: string; readonly testnet: { readonly metrics: string } | null }

async function start(...flags: readonly string[]): Promise<WithMetrics> {
  const node = (await spawnNode([...FLAGS, ...flags])) as WithMetrics
  onTestFinished(() => node.stop())
  return node
}

describe('--metrics-port', () => {
  test.each([
    ['a node', []],
    ['a node with RPC workers', ['--rpc-workers', '2']],
    ['a node for clients beyond loopback', ['--trust-proxy', '127.0.0.1']],
  ])('serves the operations pages of %s under any Host, and /metrics there alone', async (_, flags) => {
    const { rpc, metrics } = await start(...flags)

    expect(await outcomeOf(metrics, { path: '/metrics', ...FOREIGN })).toBe('200')
    expect(await outcomeOf(metrics, { path: '/health', ...FOREIGN })).toBe('200')
    expect(await outcomeOf(metrics, { path: '/ready', ...FOREIGN })).toBe('200')
    expect(await outcomeOf(rpc, { path: '/metrics' })).toMatch(/^404/)
    expect(await outcomeOf(rpc, { path: '/health' })).toBe('200')
    expect(await (await fetch(metrics)).text()).toContain('tickertape_block_number')
  })

  test('serves nothing else', async () => {
    const { metrics } = await start()

    for (const path of ['/', '/v1/tokenized-stocks', '/studio', '/feed', '/replica'])
      expect(await outcomeOf(metrics, { path })).toBe('404')
    expect(await outcomeOf(metrics, { call: ['eth_chainId'] })).toBe('404')
  })

  test('gives the test network a port of its own', async () => {
    const { metrics, testnet } = await start('--testnet', '--testnet-port', '0')

    expect(testnet!.metrics).not.toBe(metrics)
    expect(await outcomeOf(testnet!.metrics, { path: '/metrics' })).toBe('200')
  })
})
