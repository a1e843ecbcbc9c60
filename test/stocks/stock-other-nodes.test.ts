import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RpcResponse } from '../support/json-rpc-client.ts'
import { type RunningNode, startNode } from '../support/running-node.ts'
import { runStock } from '../support/stock-cli.ts'

interface Request {
  readonly id: unknown
  readonly method: string
}

describe('a node without the methods of this project', () => {
  let node: RunningNode
  beforeAll(async () => {
    node = await startNode({ flashblockInterval: 50 })
  })
  afterAll(() => node.close())

  /** A proxy to this node that lacks methods or loses responses. */
  async function passingThrough(change: (request: Request, answer: () => Promise<RpcResponse>) => Promise<unknown>) {
    const requested: string[] = []
    const server = await listening(async (response, incoming) => {
      const request = JSON.parse(await text(incoming))
      const forward = async (one: Request) => {
        requested.push(one.method)
        return change(one, async () => (await post(node.urls.rpc, one)) as RpcResponse)
      }
      const answer = Array.isArray(request) ? await Promise.all(request.map(forward)) : await forward(request)
      if (answer === undefined) response.destroy()
      else response.end(JSON.stringify(answer))
    })
    return { ...server, requested }
  }

  const without =
    (...methods: readonly string[]) =>
    async ({ id, method }: Request, response: () => Promise<RpcResponse>) =>
      methods.includes(method)
        ? { jsonrpc: '2.0', id, error: { code: -32601, message: `the method ${method} does not exist` } }
        : response()

  test('sends with eth_sendRawTransaction and polls for the receipt', async () => {
    const other = await passingThrough(without('eth_sendRawTransactionSync', 'tickertape_transactionStatus'))
    const { status, output } = await runStock('mint', '1', 'MRDTLd', '--json', '--rpc-url', other.url)
    await other.close()
    expect(status).toBe(0)
    const { transaction, before, after } = JSON.parse(output)
    expect(transaction).toMatchObject({ flashblock: null })
    expect(Number(after.totalSupply) - Number(before.totalSupply)).toBe(1)
    expect(other.requested).toContain('eth_sendRawTransaction')
    expect(other.requested).toContain('eth_getTransactionReceipt')
  })

  test.each([
    // Responses of go-ethereum and of Anvil 1.7.1.
    [
      'in its error',
      (reason: string) => ({ returnData: '0x', error: { code: 3, message: 'execution reverted', data: reason } }),
    ],
    ['in the output', (returnData: string) => ({ returnData, error: { code: -3200, message: 'execution failed' } })],
  ])('tells why a dry run fails: the reason is %s', async (_, failed) => {
    const other = await passingThrough(async (request, response) => {
      const answered = await response()
      if (request.method !== 'eth_simulateV1') return answered
      const [block] = answered.result as [{ calls: { returnData: string }[] }]
      const [call, ...calls] = block.calls
      return { ...answered, result: [{ ...block, calls: [{ ...call, ...failed(call!.returnData) }, ...calls] }] }
    })
    const { status, output } = await runStock('mint', '1', 'OSTGLd', '--dry-run', '--json', '--rpc-url', other.url)
    await other.close()
    expect(status).toBe(1)
    expect(JSON.parse(output).error).toMatchObject({ code: 'REFUSED', error: 'ContractPaused' })
  })

  test('exits with 4 and names the hash when no receipt arrives in time', async () => {
    const sync = 'eth_sendRawTransactionSync'
    const other = await passingThrough(async (request, response) =>
      request.method === 'eth_getTransactionReceipt'
        ? { jsonrpc: '2.0', id: request.id, result: null }
        : without(sync)(request, response),
    )
    const flags = ['--json', '--inclusion-timeout-ms', '300', '--rpc-url', other.url]
    const { status, output } = await runStock('mint', '1', 'MRDTLd', ...flags)
    await other.close()
    expect(status).toBe(4)
    const { error } = JSON.parse(output)
    expect(error.code).toBe('OUTCOME_UNKNOWN')
    expect(error.message).toContain(`transaction ${error.hash} was sent, but no block had it in time`)
    expect(await post(node.urls.rpc, receiptRequest(error.hash))).toMatchObject({ result: { status: '0x1' } })
  })

  test('exits with 4 when the connection breaks while sending, since the transaction may have been sent', async () => {
    const other = await passingThrough(async ({ method }, response) => {
      const answered = await response()
      return method === 'eth_sendRawTransactionSync' ? undefined : answered
    })
    const { status, output } = await runStock('mint', '1', 'MRDTLd', '--json', '--rpc-url', other.url)
    await other.close()
    expect(status).toBe(4)
    const { error } = JSON.parse(output)
    expect(error.message).toContain(`Transaction ${error.hash} may have been sent before`)
    expect(await post(node.urls.rpc, receiptRequest(error.hash))).toMatchObject({ result: { status: '0x1' } })
  })

  test('exits with 1 and the reason when the transaction reverts in its block', async () => {
    // As if the stock had been paused between the estimate and the block.
    const other = await passingThrough(async ({ id, method }, response) =>
      method === 'eth_estimateGas' ? { jsonrpc: '2.0', id, result: '0x30d40' } : response(),
    )
    const { status, output } = await runStock('mint', '1', 'OSTGLd', '--json', '--rpc-url', other.url)
    await other.close()
    expect(status).toBe(1)
    const { error } = JSON.parse(output)
    expect(error).toMatchObject({ code: 'REFUSED', error: 'ContractPaused' })
    expect(error.message).toMatch(/^transaction 0x\w{64} was reverted in block \d+, .*: mint of OSTGLd is paused/)
    expect(await post(node.urls.rpc, receiptRequest(error.hash))).toMatchObject({ result: { status: '0x0' } })
  })

  test.each([
    ['a gateway sent the request twice', -32000, 'already known'],
    ['the node gave up waiting', -32000, 'transaction confirmation timeout: not included within 30s'],
    ['a gateway lost its node', -32603, 'Internal error'],
    ['a gateway sent it again after its block', -32000, 'nonce too low: next nonce 8, tx nonce 7'],
  ])('and an error after the transaction is in the pool is exit code 4, as when %s', async (_, code, message) => {
    const other = await passingThrough(async (request, response) => {
      const answered = await response()
      if (request.method !== 'eth_sendRawTransactionSync') return answered
      return { jsonrpc: '2.0', id: request.id, error: { code, message } }
    })
    const { status, output } = await runStock('mint', '1', 'MRDTLd', '--json', '--rpc-url', other.url)
    await other.close()
    const { error } = JSON.parse(output)
    expect({ status, code: error.code }).toEqual({ status: 4, code: 'OUTCOME_UNKNOWN' })
    expect(error.message).toContain(`Transaction ${error.hash} may have been sent before`)
    expect(await post(node.urls.rpc, receiptRequest(error.hash))).toMatchObject({ result: { status: '0x1' } })
  })

  test('exits with 4, not 3, when a response after sending is unreadable', async () => {
    let hasSent = false
    const other = await passingThrough(async ({ id, method }, response) => {
      if (method === 'eth_sendRawTransactionSync') hasSent = true
      return hasSent && method === 'eth_call' ? { jsonrpc: '2.0', id, result: 'nonsense' } : response()
    })
    const { status, output } = await runStock('mint', '1', 'MRDTLd', '--json', '--rpc-url', other.url)
    await other.close()
    expect(status).toBe(4)
    const { error } = JSON.parse(output)
    expect(error.code).toBe('OUTCOME_UNKNOWN')
    expect(await post(node.urls.rpc, receiptRequest(error.hash))).toMatchObject({ result: { status: '0x1' } })
  })

  test('exits with 1 and the message of the node when it rejects the transaction', async () => {
    // Fees that the account cannot pay; the estimate does not check them.
    const key = `0x${'11'.repeat(32)}`
    const flags = ['--roles', 'none', '--json', '--private-key', key, '--rpc-url', node.urls.rpc]
    const { status, output } = await runStock('create', 'POORd', 'Poor', ...flags)
    expect(status).toBe(1)
    const { error } = JSON.parse(output)
    expect(error).toMatchObject({ code: 'REJECTED', rpcCode: -32000 })
    expect(error.message).toMatch(/: insufficient funds for gas \* price \+ value; send ether to 0x\w{40} for the fee/)
  })
})

describe('a node that does not respond', () => {
  test('exits with 3 and an advice when no server listens', async () => {
    const port = await freePort()
    const { status, output, errors } = await runStock('list', '--rpc-url', `http://127.0.0.1:${port}`, '--json')
    expect(status).toBe(3)
    expect(errors).toContain(`no node can be reached at http://127.0.0.1:${port} (ECONNREFUSED): start one with`)
    expect(JSON.parse(output).error.code).toBe('NODE_UNREACHABLE')
  })

  test('never prints a key in the URL', async () => {
    const { status, output, errors } = await runStock(
      'list',
      '--json',
      '--rpc-url',
      'http://user:secret@127.0.0.1:1/v2/SECRET?key=SECRET',
    )
    expect(status).toBe(3)
    expect(output + errors).not.toMatch(/secret/i)
    expect(errors).toContain('no node can be reached at http://127.0.0.1:1')
  })

  test('exits with 3 when the request times out', async () => {
    const server = await listening(() => undefined)
    const { status, errors } = await runStock('list', '--rpc-url', server.url, '--request-timeout-ms', '50')
    await server.close()
    expect(status).toBe(3)
    expect(errors).toContain('(no answer within 0.05 s)')
  })

  test.each([
    ['a page', '<html>not found</html>', 'HTTP status 200: <html>'],
    ['nothing', '', 'no body'],
    ['no result', '{"jsonrpc":"2.0","id":0}', 'neither result nor error'],
    ['an error', '{"jsonrpc":"2.0","id":0,"error":{"code":-32005,"message":"slow down"}}', 'slow down (code -32005)'],
    ['a number', '{"jsonrpc":"2.0","id":0,"result":7}', "the node's answer to eth_call cannot be read: 7"],
    ['a list', '[]', 'eth_call has no answer'],
    ['no bytes, as where code cannot be given', '{"jsonrpc":"2.0","id":0,"result":"0x"}', 'state overrides'],
    ['other bytes', '{"jsonrpc":"2.0","id":0,"result":"0x01"}', 'state overrides'],
  ])('because it answers %s: exit code 3', async (_, body, message) => {
    const server = await listening((response) => response.end(body))
    const { status, errors } = await runStock('list', '--rpc-url', server.url)
    await server.close()
    expect(status).toBe(3)
    expect(errors).toContain(message)
  })
})

interface Server {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

async function listening(answer: (response: ServerResponse, request: IncomingMessage) => void): Promise<Server> {
  const server = createServer((request, response) => answer(response, request))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, port, close }
}

async function freePort(): Promise<number> {
  const { port, close } = await listening(() => undefined)
  await close()
  return port
}

async function post(url: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}

function receiptRequest(hash: string): object {
  return { jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [hash] }
}
