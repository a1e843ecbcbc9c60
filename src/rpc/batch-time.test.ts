import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../test/support/rpc-node.ts'
import { ManualClock } from '../node/manual-clock.ts'
import type { RpcOptions } from './context.ts'
import { Dispatcher } from './dispatch.ts'
import { defineMethod } from './method.ts'
import { MethodSet } from './method-set.ts'
import { ANYBODY } from './rpc-client.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
afterEach(() => node.stop())

/** A method that works for 4 ms without awaiting, on a clock of its own. */
function working(options: Partial<RpcOptions> = {}) {
  const clock = new ManualClock({ wall: 0 })
  const order: string[] = []
  const method = defineMethod({
    name: 'test_work',
    summary: 'Works for 4 ms.',
    params: [],
    result: { type: 'null' },
    cost: 1,
    example: { params: [], result: null },
    handle() {
      order.push('item')
      clock.moveTo(clock.monotonic() + 4)
      return null
    },
  })
  const methods = new MethodSet([method], { dialect: 'base', namespaces: 'all', flag: '--http-api' })
  return {
    clock,
    order,
    dispatcher: new Dispatcher(methods, { ...node.options, ...options }, { ...node.parts, clock }),
  }
}

function batchOf(size: number): string {
  const items = Array.from({ length: size }, (_, id) => ({ jsonrpc: '2.0', id, method: 'test_work', params: [] }))
  return JSON.stringify(items)
}

test('a long batch gives others a turn whenever its slice is used up', async () => {
  const { order, dispatcher } = working()
  const answering = Promise.resolve(dispatcher.answer(batchOf(9)))
  let isAnswered = false
  void answering.then(() => {
    isAnswered = true
  })
  while (!isAnswered) {
    await new Promise((resolve) => setImmediate(resolve))
    order.push('turn')
  }
  const items = order
    .join(' ')
    .split(/(?: ?turn)+ ?/)
    .filter((run) => run !== '')
  expect(items).toEqual(['item item', 'item item', 'item item', 'item item', 'item'])
})

test('what a batch has not begun when its time is over is answered with request timed out', async () => {
  const { dispatcher } = working({ batchTimeout: 6 })
  const answers = JSON.parse((await dispatcher.answer(batchOf(4)))!)
  expect(answers).toMatchObject([
    { id: 0, result: null },
    { id: 1, result: null },
    { id: 2, error: { code: -32002, message: 'request timed out' } },
    { id: 3, error: { code: -32002, message: 'request timed out' } },
  ])
})

test('what is left of a batch is not worked on when its connection has closed', async () => {
  const { dispatcher, order } = working()
  const answer = await dispatcher.answer(batchOf(4), { ...ANYBODY, isGone: () => order.length === 2 })
  expect(answer).toBeUndefined()
  expect(order).toHaveLength(2)
})
