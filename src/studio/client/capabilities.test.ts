import { describe, expect, test } from 'vitest'
import { RequestError, refusalOf } from '../../live/request-error.ts'
import { detectCapabilities } from './capabilities.ts'

type Answer = (method: string) => unknown

/** A node whose methods are a function; thrown errors are refusals. */
function nodeOf(answer: Answer) {
  const asked: string[] = []
  return {
    asked,
    async request(method: string) {
      asked.push(method)
      return answer(method)
    },
    read: async () => ({ status: 404, text: '' }),
  }
}

const unknown = (method: string) => refusalOf({ code: -32601, message: `the method ${method} does not exist` })

describe('detectCapabilities', () => {
  test('believes the namespaces that a node names', async () => {
    const node = nodeOf((method) => {
      if (method === 'rpc_modules') return { eth: '1.0', debug: '1.0', ots: '1.0', tickertape: '1.0' }
      if (method === 'rpc.discover') throw unknown(method)
      return '0x7'
    })
    expect(await detectCapabilities(node)).toMatchObject({
      chainId: 7n,
      traces: true,
      transactionStatus: true,
      pool: false,
      development: false,
      discovery: false,
      search: true,
      stocks: false,
    })
    expect(node.asked).not.toContain('debug_traceTransaction')
  })

  test('tries the methods of a node that names none', async () => {
    const node = nodeOf((method) => {
      if (method === 'debug_traceTransaction') throw refusalOf({ code: -32000, message: 'transaction not found' })
      if (method === 'eth_chainId') return '0x1'
      if (method === 'txpool_status') return {}
      throw unknown(method)
    })
    expect(await detectCapabilities(node)).toMatchObject({
      clientVersion: 'unknown',
      traces: true,
      pool: true,
      transactionStatus: false,
      blockReceipts: false,
      search: false,
      development: false,
    })
  })

  test('finds a node that answers everything with nonsense', async () => {
    expect(await detectCapabilities(nodeOf(() => null))).toMatchObject({ chainId: 0n, clientVersion: 'null' })
    expect(await detectCapabilities(nodeOf(() => ({})))).toMatchObject({ chainId: 0n, traces: false })
  })

  test('does not take a lost connection for a missing method', async () => {
    const node = nodeOf(() => {
      throw new RequestError('UNREACHABLE', 'the node cannot be reached')
    })
    await expect(detectCapabilities(node)).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })
})
