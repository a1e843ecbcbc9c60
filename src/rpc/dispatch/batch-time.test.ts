import { beforeEach, expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import type { RpcOptions } from '../context/options.ts'
import { ANONYMOUS } from '../protocol/rpc-client.ts'
import { defineMethod, defineWritingMethod } from '../registry/method.ts'
import { MethodSet } from '../registry/method-set.ts'
import { Dispatcher } from './dispatcher.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
/** Methods that work for 4 ms without awaiting, on a clock of their own. */
function working(options: Partial<RpcOptions> = {}) {
  const clock = new ManualClock({ wall: 0 })
  const order: string[] = []
  const work = () => {
    order.push('item')
    clock.moveTo(clock.monotonic() + 4)
    return null
  }
  const description = {
    summary: 'Works for 4 ms.',
    params: [],
    result: { type: 'null' },
    cost: 1,
  } as const
  const alone = defineMethod({ ...description, name: 'test_work', handle: work })
  // Its answer is late, as that of one that waits for the disk.
  const handle = async () => work()
  const together = defineWritingMethod({ ...description, name: 'test_together', runsTogether: true, handle })
  const methods = new MethodSet([alone, together], { dialect: 'base', namespaces: 'all', flag: '--http-api' })
  return {
    clock,
    order,
    dispatcher: new Dispatcher(methods, { ...node.options, ...options }, { ...node.deps, clock }),
  }
}

function batchOf(size: number, method = 'test_work'): string {
  const items = Array.from({ length: size }, (_, id) => ({ jsonrpc: '2.0', id, method, params: [] }))
  return JSON.stringify(items)
}

test.each(['test_work', 'test_together'])('a long batch of %s yields after each time slice', async (method) => {
  const { order, dispatcher } = working()
  const answering = Promise.resolve(dispatcher.handle(batchOf(9, method)))
  let isDone = false
  void answering.then(() => {
    isDone = true
  })
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve))
    order.push('yield')
  }
  const items = order
    .join(' ')
    .split(/(?: ?yield)+ ?/)
    .filter((run) => run !== '')
  expect(items).toEqual(['item item', 'item item', 'item item', 'item item', 'item'])
})

test.each(['test_work', 'test_together'])(
  'items of a batch of %s that have not started at its time limit fail with request timed out',
  async (method) => {
    const { dispatcher } = working({ batchTimeoutMs: 6 })
    const responses = JSON.parse((await dispatcher.handle(batchOf(4, method)))!)
    expect(responses).toMatchObject([
      { id: 0, result: null },
      { id: 1, result: null },
      { id: 2, error: { code: -32002, message: 'request timed out' } },
      { id: 3, error: { code: -32002, message: 'request timed out' } },
    ])
  },
)

test('stops a batch when its connection has closed', async () => {
  const { dispatcher, order } = working()
  const handle = await dispatcher.handle(batchOf(4), { ...ANONYMOUS, isGone: () => order.length === 2 })
  expect(handle).toBeUndefined()
  expect(order).toHaveLength(2)
})
