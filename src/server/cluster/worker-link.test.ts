import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { WorkerLink } from './worker-link.ts'

/** The other process hangs: it neither reads nor writes. */
function hanging() {
  const clock = new ManualClock({ wall: 0 })
  const port = { send: () => true, on: () => undefined }
  const link = new WorkerLink({ port, clock, onStop: () => undefined, onFailure: () => undefined })
  return { link, clock }
}

test('a filter request to another worker fails after 30 s when the primary process hangs', async () => {
  const { link, clock } = hanging()
  const response = link.call(2, { method: 'eth_getFilterLogs', params: ['0x02'] })
  clock.moveTo(30_000)
  expect(await response).toEqual({
    kind: 'error',
    code: -32002,
    message: 'the process that keeps this filter did not answer in 30 s: try again later',
    data: undefined,
  })
})

test('the metrics page fails after 30 s when the primary process hangs', async () => {
  const { link, clock } = hanging()
  const text = link.metricsText()
  clock.moveTo(30_000)
  await expect(text).rejects.toMatchObject({ name: 'ChannelError', message: expect.stringMatching(/in 30 s/) })
})

test('a submission fails after 30 s when the primary process hangs', async () => {
  const { link, clock } = hanging()
  const sent = signTransfer({ nonce: 0n })
  const reply = link.submit(sent.raw, sent.from)
  const reached = link.reached(7)
  clock.moveTo(31_000)
  await expect(reply).rejects.toMatchObject({ name: 'ChannelError', message: expect.stringMatching(/did not answer/) })
  await expect(reached).rejects.toMatchObject({ name: 'ChannelError' })
})
