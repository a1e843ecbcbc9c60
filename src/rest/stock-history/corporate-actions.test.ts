import { expect, test } from 'vitest'
import { ZERO_ADDRESS } from '../../primitives/hex.ts'
import type { ChainReads } from '../tokenized-stocks/chain-source.ts'
import { readActions } from './corporate-actions.ts'

test('a search of logs that reaches its time limit is refused as a whole', async () => {
  const reads = { scanLogs: async () => undefined } as unknown as ChainReads
  const options = {
    token: ZERO_ADDRESS,
    range: { first: 1, last: 9 },
    start: undefined,
    pageSize: 5,
    newest: { number: 9, timestamp: 90n },
  }

  await expect(readActions(reads, options)).rejects.toMatchObject({
    code: 'deadlineExceeded',
    message: 'the search took too long: name a later `from`, or a smaller page_size',
  })
})
