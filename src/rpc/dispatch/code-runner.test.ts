import { expect, test } from 'vitest'
import { startRpcNode } from '../../../test/support/rpc-node.ts'
import { ANONYMOUS } from '../protocol/rpc-client.ts'
import { defineMethod } from '../registry/method.ts'
import { MethodSet } from '../registry/method-set.ts'
import { Dispatcher } from './dispatcher.ts'

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
