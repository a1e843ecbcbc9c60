import { expect, test } from 'vitest'
import { filterForwarding } from './filter-forwarding.ts'
import { PUT_BACK } from './messages.ts'
import type { WorkerChannel } from './served-worker.ts'

test('forwards a put-back although too many requests wait for the worker', async () => {
  const forwarded: string[] = []
  const channel = {
    waiting: 1_000,
    async request(_: string, { method }: { readonly method: string }) {
      forwarded.push(method)
      return { kind: 'result', text: 'null' }
    },
  } as unknown as WorkerChannel
  const { call } = filterForwarding(() => channel)

  expect(await call({ worker: 1, method: 'eth_getFilterLogs', params: [] })).toMatchObject({ code: -32005 })
  expect(await call({ worker: 1, method: PUT_BACK, params: [] })).toMatchObject({ kind: 'result' })

  expect(forwarded).toEqual([PUT_BACK])
})
