import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesToBigint, toQuantity } from '../../primitives/quantity.ts'
import type { Compat } from '../../rpc/compat/compat.ts'
import { filterRouting, identifierBytes, workerOf } from './filter-routing.ts'
import type { CallResponse } from './messages.ts'

const CLIENT = { isGone: () => false }

const idOf = (worker: number) => toQuantity(bytesToBigint(identifierBytes(worker)(16)))

test('property: a filter id contains the number of its worker', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 64 }), (worker) => workerOf(idOf(worker)) === worker))
})

test.each([undefined, 5, '', '0x', 'x', '0xg', `0x${'1'.repeat(33)}`])('finds no worker in %s', (id) => {
  expect(workerOf(id)).toBeUndefined()
})

function routing(response: CallResponse, compat?: Compat) {
  const requested: unknown[] = []
  const forwarder = filterRouting(
    { worker: 1, workers: 2, compat },
    {
      call: async (worker, call) => {
        requested.push([worker, call])
        return response
      },
    },
  )
  return { forwarder, requested }
}

test('forwards only filter requests for another worker', async () => {
  const { forwarder, requested } = routing({ kind: 'result', text: '[]' })
  const other = idOf(2)
  expect(forwarder.forward('eth_getFilterChanges', [idOf(1)], CLIENT)).toBeUndefined()
  expect(forwarder.forward('eth_getFilterChanges', [idOf(3)], CLIENT)).toBeUndefined()
  expect(forwarder.forward('eth_getFilterChanges', ['0x1'], CLIENT)).toBeUndefined()
  expect(forwarder.forward('eth_getFilterChanges', [], CLIENT)).toBeUndefined()
  expect(forwarder.forward('eth_sendRawTransaction', [other], CLIENT)).toBeUndefined()
  expect((await forwarder.forward('eth_getFilterLogs', [other], CLIENT))?.text).toBe('[]')
  expect(requested).toEqual([[2, { method: 'eth_getFilterLogs', params: [other] }]])
})

test('rejects with the error of the other worker', async () => {
  const { forwarder } = routing({ kind: 'error', code: -32005, message: 'too many logs', data: { limit: 1 } })
  await expect(forwarder.forward('eth_getFilterLogs', [idOf(2)], CLIENT)).rejects.toMatchObject({
    code: -32005,
    message: 'too many logs',
    data: { limit: 1 },
    // The other worker has already formatted the error for --compat.
    reason: { kind: 'formatted' },
  })
})

test('filters of an ended worker are not found', async () => {
  const { forwarder } = routing({ kind: 'gone' })
  await expect(forwarder.forward('eth_getFilterChanges', [idOf(2)], CLIENT)).rejects.toMatchObject({
    code: -32000,
    message: 'filter not found',
  })
  expect((await forwarder.forward('eth_uninstallFilter', [idOf(2)], CLIENT))?.text).toBe('false')
})

test('with --compat hardhat, a filter of a worker that ended has null changes', async () => {
  const { forwarder } = routing({ kind: 'gone' }, 'hardhat')

  expect((await forwarder.forward('eth_getFilterChanges', [idOf(2)], CLIENT))?.text).toBe('null')
})
