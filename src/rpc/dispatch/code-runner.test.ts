import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startRpcNode } from '../../../test/support/rpc-node.ts'
import { callObject } from '../codecs/call-object.ts'
import { EncodedJson } from '../protocol/encoded-json.ts'
import { RpcError } from '../protocol/errors.ts'
import { ANONYMOUS } from '../protocol/rpc-client.ts'
import { defineMethod, requiredParam } from '../registry/method.ts'
import { MethodSet } from '../registry/method-set.ts'
import type { Offload } from '../scheduling/offload.ts'
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

test('other work runs between calls that waited for a slot', async () => {
  const node = await startRpcNode()
  const times = { now: 0, calls: 0 }
  let endFirst = () => {}
  const code = defineMethod({
    name: 'test_code',
    summary: 'The first call ends when the test says; others take 100 milliseconds.',
    params: [],
    result: {},
    runsCode: true,
    cost: 1,
    async handle() {
      times.calls += 1
      times.now += 100
      if (times.calls === 1) await new Promise<void>((resolve) => (endFirst = resolve))
      return 'done'
    },
  })
  const clock = { wall: () => 0, monotonic: () => times.now, at: () => () => {} }
  const methods = new MethodSet([code], { dialect: 'base', namespaces: 'all', flag: '--http-api' })
  const dispatcher = new Dispatcher(methods, { ...node.options, maxRunningCalls: 1 }, { ...node.deps, clock })
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'test_code', params: [] })
  const responses = Array.from({ length: 8 }, () => dispatcher.handle(request))
  // Those that start in later rounds of the event loop reach the slot too.
  for (let round = 0; round < 64; round++) await setImmediate()
  expect(times.calls).toBe(1)

  endFirst()
  const callsPerStep: number[] = []
  for (let before = times.calls; before < 8; before = times.calls) {
    await setImmediate()
    callsPerStep.push(times.calls - before)
  }

  expect(Math.max(...callsPerStep)).toBe(1)
  await Promise.all(responses)
  await node.stop()
})

test('starts a call on another thread at once while calls of its kind are long', async () => {
  const node = await startRpcNode()
  const times = { now: 0, onMainThread: 0, onWorker: 0, took: 100, reverts: false }
  const offload: Offload = {
    isFree: () => true,
    startSpareThread: () => undefined,
    async run() {
      times.onWorker += 1
      times.now += times.took
      if (times.reverts) throw new RpcError(3, 'execution reverted')
      return new EncodedJson('"done"')
    },
  }
  const code = defineMethod({
    name: 'test_code',
    summary: 'Takes as long as the test says.',
    params: [requiredParam('call', callObject)],
    result: {},
    runsCode: true,
    cost: 1,
    async handle(_, { mayContinue }) {
      mayContinue()
      times.onMainThread += 1
      times.now += times.took
      return (await mayContinue()) ? 'done' : 'stopped'
    },
  })
  const clock = { wall: () => 0, monotonic: () => times.now, at: () => () => {} }
  const methods = new MethodSet([code], { dialect: 'base', namespaces: 'all', flag: '--http-api' })
  const dispatcher = new Dispatcher(methods, node.options, { ...node.deps, clock, offload })
  const params = [{ to: `0x${'ca'.repeat(20)}`, data: '0x70a08231' }]
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'test_code', params })
  const call = async () => expect(JSON.parse((await dispatcher.handle(text))!).result).toBe('done')
  await call()
  expect(times).toMatchObject({ onMainThread: 1, onWorker: 1 })
  await call()
  expect(times).toMatchObject({ onMainThread: 1, onWorker: 2 })
  Object.assign(times, { took: 1, reverts: true })
  expect(JSON.parse((await dispatcher.handle(text))!).error.code).toBe(3)
  expect(times).toMatchObject({ onMainThread: 1, onWorker: 3 })
  // It was short: the next one runs here.
  await call()
  expect(times).toMatchObject({ onMainThread: 2, onWorker: 3 })
  await node.stop()
})
