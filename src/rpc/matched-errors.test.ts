import { expect, test } from 'vitest'
import { startRpcNode } from '../../test/support/rpc-node.ts'

/**
 * Texts that programs recognise in errors, restated from their published lists. A program that does not recognise an
 * error repeats the request, or gives up, instead of splitting a range or asking an archive node.
 */
const MATCHED = {
  logRange: {
    'Ponder (packages/utils, getLogsRetryHelper)': /query exceeds max block range (\d+)/,
    "reth's clients": /query exceeds max block range/,
  },
  prunedState: {
    'eRPC (architecture/evm, error normalizer)': /missing trie node|historical state/,
    "KyberSwap's router (dex-lib)": /missing trie node|historical state .*not available/,
    "reth's clients": /state at block .*pruned/,
  },
} as const

test.each(Object.entries(MATCHED.logRange))('%s finds the limit of a log range in the error', async (_, pattern) => {
  const node = await startRpcNode({ maxLogBlocks: 2 })
  for (let block = 0; block < 4; block++) await node.nextBlock()

  const { error } = await node.request('eth_getLogs', { fromBlock: '0x0', toBlock: '0x4' })

  expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(pattern) })
  expect(error!.message).toContain('2')
  await node.stop()
})

test.each(Object.entries(MATCHED.prunedState))('%s recognises the error for pruned state', async (_, pattern) => {
  const node = await startRpcNode({}, { history: 2 })
  for (let block = 0; block < 6; block++) await node.nextBlock()
  await node.node.idle()

  const { error } = await node.request('eth_getBalance', `0x${'11'.repeat(20)}`, '0x1')

  expect(error).toMatchObject({ code: -32000, message: expect.stringMatching(pattern) })
  expect((await node.result('eth_getBlockByNumber', '0x1', false)).number).toBe('0x1')
  await node.stop()
})
