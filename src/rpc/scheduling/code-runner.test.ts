import { expect, test } from 'vitest'
import { startRpcNode } from '../../../test/support/rpc-node.ts'
import { text } from '../codecs/text.ts'
import { Dispatcher } from '../dispatch/dispatcher.ts'
import { EncodedJson } from '../memoized/encoded-json.ts'
import { defineMethod, requiredParam } from '../registry/method.ts'
import { MethodSet } from '../registry/method-set.ts'
import { ANONYMOUS } from '../rpc-client.ts'
import type { Offload } from './offload.ts'

test('does not run a queued call whose client disconnected', async () => {
  const node = await startRpcNode()
  const begun: string[] = []
  const ends: (() => void)[] = []
  const code = defineMethod({
    name: 'test_code',
    summary: 'Ends when the test says.',
    params: [],
    result: {},
    runsCode: true,
    cost: 1,
    example: { params: [], result: '' },
    async handle() {
      begun.push('a call')
      await new Promise<void>((resolve) => ends.push(resolve))
      return 'done'
    },
  })
  const methods = new MethodSet([code], { dialect: 'base', namespaces: 'all', flag: '--http-api' })
  const dispatcher = new Dispatcher(methods, { ...node.options, maxRunningCalls: 1 }, node.deps)
  let isGone = false
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'test_code', params: [] })
  const first = dispatcher.handle(request)
  const abandoned = dispatcher.handle(request, { ...ANONYMOUS, isGone: () => isGone })
  const third = dispatcher.handle(request)
  isGone = true
  ends.shift()!()
  expect(await first).toContain('done')
  expect(await abandoned).toBeUndefined()
  // Its turn went to the one behind it.
  expect(begun).toHaveLength(2)
  ends.shift()!()
  expect(await third).toContain('done')
  await node.stop()
})

test('distributes only short single requests of methods with `comesInBursts` over threads', async () => {
  const node = await startRpcNode()
  const requested: string[] = []
  const offload: Offload = {
    isFree: () => false,
    run: () => Promise.resolve(undefined),
    bursts: {
      room: () => 100,
      async run(requests) {
        const read = requests.map((request) => JSON.parse(request.text) as { method: string; params: unknown[] })
        requested.push(...read.map(({ method }) => method))
        return read.map(({ params }) => new EncodedJson(JSON.stringify(`there ${params}`)))
      },
    },
  }
  const short = defineMethod({
    name: 'test_short',
    summary: 'Says where it is answered.',
    params: [requiredParam('said', text)],
    result: {},
    runsCode: true,
    cost: 1,
    example: { params: [''], result: '' },
    handle: ([text]) => `here ${text.length > 10 ? 'large' : text}`,
  })
  const worthIt = { ...short, name: 'test_worth_it', comesInBursts: true }
  const methods = new MethodSet([short, worthIt], { dialect: 'base', namespaces: 'all', flag: '--http-api' })
  const dispatcher = new Dispatcher(methods, node.options, { ...node.deps, offload })
  const request = (method: string, text: string) => ({ jsonrpc: '2.0', id: 1, method, params: [text] })
  const responses = async (bodies: readonly unknown[]) => {
    const texts = await Promise.all(bodies.map((body) => dispatcher.handle(JSON.stringify(body))))
    return texts.flatMap((response) => JSON.parse(response!)).map(({ result }) => result)
  }
  const five = (method: string, text = 'a') => Array.from({ length: 5 }, () => request(method, text))
  expect(await responses(five('test_worth_it'))).toEqual(['here a', 'there a', 'there a', 'there a', 'there a'])
  expect(requested).toHaveLength(4)
  expect(await responses(five('test_short'))).toEqual(Array(5).fill('here a'))
  expect(await responses([five('test_worth_it')])).toEqual(Array(5).fill('here a'))
  expect(await responses(five('test_worth_it', 'x'.repeat(65_536)))).toEqual(Array(5).fill('here large'))
  expect(requested).toHaveLength(4)
  await node.stop()
})
