import { describe, expect, test } from 'vitest'
import { BatchedRpc } from './http-rpc.ts'

const OPTIONS = { url: 'http://127.0.0.1:8545/', timeoutMs: 1_000, maxBatch: 3 }

/** Refuses batches, and answers a single request with its method. */
function withoutBatches(body: unknown): string {
  if (Array.isArray(body)) return JSON.stringify({ id: null, error: { code: -32600, message: 'no batches' } })
  const { id, method } = body as { id: number; method: string }
  return JSON.stringify({ jsonrpc: '2.0', id, result: method })
}

/** A client whose node answers bodies with the given function. */
function client(answer: (body: unknown) => string | Error, maxBatch = OPTIONS.maxBatch) {
  const bodies: unknown[] = []
  const exchanges: boolean[] = []
  const rpc = new BatchedRpc(
    { ...OPTIONS, maxBatch },
    {
      async fetch(_, { body }) {
        bodies.push(JSON.parse(String(body)))
        const text = answer(bodies.at(-1))
        if (text instanceof Error) throw text
        return new Response(text)
      },
      onExchange: (responded) => exchanges.push(responded),
    },
  )
  return { rpc, bodies, exchanges }
}

describe('HttpRpc', () => {
  test('sends the requests of one turn as batches, and matches responses by id', async () => {
    const { rpc, bodies } = client((body) => {
      const requests = [body].flat() as { id: number; method: string }[]
      const responses = requests.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: method })).reverse()
      return JSON.stringify(Array.isArray(body) ? responses : responses[0])
    })

    const results = await Promise.all(['a', 'b', 'c', 'd'].map((method) => rpc.request(method)))

    expect(results).toEqual(['a', 'b', 'c', 'd'])
    expect(bodies.map((body) => (Array.isArray(body) ? body.length : 'single'))).toEqual([3, 'single'])
  })

  test('keeps code and data of a refusal', async () => {
    const { rpc } = client(() =>
      JSON.stringify({ id: 0, error: { code: 3, message: 'execution reverted', data: '0x' } }),
    )
    await expect(rpc.request('eth_call')).rejects.toMatchObject({
      code: 'REFUSED',
      rpcCode: 3,
      message: 'execution reverted',
      data: '0x',
    })
  })

  test('rejects every request of a batch that is refused as a whole', async () => {
    const { rpc } = client(() => JSON.stringify({ id: null, error: { code: -32005, message: 'too many' } }))
    const outcomes = await Promise.allSettled([rpc.request('a'), rpc.request('b')])
    expect(outcomes).toMatchObject([{ reason: { rpcCode: -32005 } }, { reason: { rpcCode: -32005 } }])
  })

  test('gives the one response of a batch to its request only', async () => {
    const { rpc } = client(() => JSON.stringify([{ id: 0, result: 'a' }]))
    const outcomes = await Promise.allSettled([rpc.request('a'), rpc.request('b')])
    expect(outcomes).toMatchObject([{ value: 'a' }, { reason: { code: 'INVALID_RESPONSE' } }])
  })

  test('sends the requests of a refused batch one by one, and later ones too', async () => {
    const { rpc, bodies } = client(withoutBatches)

    expect(await Promise.all([rpc.request('a'), rpc.request('b')])).toEqual(['a', 'b'])
    expect(await Promise.all([rpc.request('c'), rpc.request('d')])).toEqual(['c', 'd'])

    expect(bodies.map((body) => Array.isArray(body))).toEqual([true, false, false, false, false])
  })

  test('sends each request of a large batch once when the node refuses batches of every size', async () => {
    const methods = Array.from({ length: 20 }, (_, index) => `method ${index}`)
    const { rpc, bodies } = client(withoutBatches, 50)

    expect(await Promise.all(methods.map((method) => rpc.request(method)))).toEqual(methods)

    const single = bodies.filter((body) => !Array.isArray(body)) as { method: string }[]
    expect(single.map(({ method }) => method)).toEqual(methods)
  })

  test('answers every request of two batches that the node refuses at the same time', async () => {
    const methods = Array.from({ length: 30 }, (_, index) => `method ${index}`)
    const { rpc, bodies } = client(withoutBatches, 15)

    expect(await Promise.all(methods.map((method) => rpc.request(method)))).toEqual(methods)

    const single = bodies.filter((body) => !Array.isArray(body)) as { method: string }[]
    expect(single.map(({ method }) => method).sort()).toEqual(methods.toSorted())
  })

  test('counts a response whose body ends early as unreachable', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new TypeError('network error')) })
    const rpc = new BatchedRpc(OPTIONS, { fetch: async () => new Response(body) })
    await expect(rpc.request('a')).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })

  test('tells an unreachable node from a response that is not JSON', async () => {
    const unreachable = client(() => new TypeError('fetch failed'))
    await expect(unreachable.rpc.request('a')).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(unreachable.exchanges).toEqual([false])
    const page = client(() => '<html>')
    await expect(page.rpc.request('a')).rejects.toMatchObject({ code: 'INVALID_RESPONSE' })
    expect(page.exchanges).toEqual([true])
  })

  test('rejects a request that the batch response leaves out', async () => {
    const { rpc } = client(() =>
      JSON.stringify([
        { id: 0, result: 1 },
        { id: 5, result: 2 },
      ]),
    )
    const outcomes = await Promise.allSettled([rpc.request('a'), rpc.request('b')])
    expect(outcomes).toMatchObject([{ value: 1 }, { reason: { code: 'INVALID_RESPONSE' } }])
  })
})
