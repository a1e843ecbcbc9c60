import { expect, test } from 'vitest'
import type { ProgramResult } from '../support/compiled-program.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { runStock } from '../support/stock-cli.ts'

/** Advances one flashblock at a time until the command has ended. */
async function passing(server: ManualServer, ...args: readonly string[]): Promise<ProgramResult> {
  let hasEnded = false
  const running = runStock(...args, '--json', '--rpc-url', server.url).finally(() => {
    hasEnded = true
  })
  while (!hasEnded) await server.nextFlashblock()
  return running
}

async function shown(server: ManualServer, block: string) {
  const { output } = await runStock('show', 'HLCYNd', '--block', block, '--json', '--rpc-url', server.url)
  return JSON.parse(output)
}

test('a scheduled split takes effect at its time without another transaction, and each block shows its own multiplier', async () => {
  const server = await startManualServer()
  const { output } = await passing(server, 'schedule-split', '2:1', 'HLCYNd', '--in', '10m')
  const { after, transaction } = JSON.parse(output)
  const { effectiveAt } = after.scheduledMultiplier
  const timeOf = async (block: string) => (await shown(server, block)).block.timestamp
  while ((await timeOf('latest')) < effectiveAt) {
    expect((await shown(server, 'latest')).stock.multiplier).toBe('1')
    for (let block = 0; block < 60; block++) await server.nextBlock()
  }
  expect((await shown(server, 'latest')).stock).toMatchObject({
    multiplier: '2',
    scheduledMultiplier: null,
    totalSupply: '1000000',
  })
  expect((await shown(server, String(transaction.blockNumber))).stock).toMatchObject({
    multiplier: '1',
    scheduledMultiplier: { multiplier: '2', effectiveAt },
  })
  await server.stop()
})
