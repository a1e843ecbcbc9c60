import { describe, expect, test } from 'vitest'
import { RequestError } from '../../live/request-error.ts'
import { MAX_LOGS, scanLogs } from './log-scan.ts'

/** A chain with one log per block, of a node that refuses longer ranges. */
class LoggedChain {
  readonly asked: (readonly [from: number, to: number])[] = []
  height: number
  readonly #maxRange: number

  constructor(height: number, maxRange = Number.POSITIVE_INFINITY) {
    this.height = height
    this.#maxRange = maxRange
  }

  async request(method: string, [criteria]: readonly unknown[] = []): Promise<unknown> {
    if (method === 'eth_blockNumber') return `0x${this.height.toString(16)}`
    const { fromBlock, toBlock } = criteria as { fromBlock: string; toBlock: string }
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    this.asked.push([from, to])
    if (to - from + 1 > this.#maxRange) throw new RequestError('REFUSED', 'the range is too large', { rpcCode: -32602 })
    return Array.from({ length: to - from + 1 }, (_, index) => ({
      address: '0xaa',
      topics: [],
      blockNumber: `0x${(from + index).toString(16)}`,
    }))
  }
}

describe('scanLogs', () => {
  test('reads the whole chain where the node allows it', async () => {
    const chain = new LoggedChain(300)

    const { logs, fromBlock, toBlock } = await scanLogs(chain, {})

    expect([logs.length, fromBlock, toBlock]).toEqual([301, 0, 300])
    expect(chain.asked).toEqual([[0, 300]])
  })

  test('reads the newest blocks in the ranges that the node allows, and says where they begin', async () => {
    const chain = new LoggedChain(1_000_000, 500)

    const { logs, fromBlock, toBlock } = await scanLogs(chain, {})

    expect(toBlock).toBe(1_000_000)
    expect(fromBlock).toBeGreaterThan(990_000)
    expect(logs.map(({ blockNumber }) => blockNumber)).toEqual(
      Array.from({ length: logs.length }, (_, index) => fromBlock + index),
    )
    expect(chain.asked.length).toBeLessThanOrEqual(8)
  })

  test('reads only new blocks and the last 64 again after an earlier scan', async () => {
    const chain = new LoggedChain(300)
    const before = await scanLogs(chain, {})
    chain.height = 302

    const after = await scanLogs(chain, {}, before)

    expect(chain.asked.at(-1)).toEqual([237, 302])
    expect(after.logs.map(({ blockNumber }) => blockNumber)).toEqual(Array.from({ length: 303 }, (_, index) => index))
  })

  test('reads backwards when the node refuses the range since an earlier scan', async () => {
    const chain = new LoggedChain(400, 500)
    const before = await scanLogs(chain, {})
    chain.height = 100_000

    const after = await scanLogs(chain, {}, before)

    expect(after.toBlock).toBe(100_000)
    expect(after.fromBlock).toBeGreaterThan(400)
    expect(after.logs[0]?.blockNumber).toBe(after.fromBlock)
    expect(after.logs.at(-1)?.blockNumber).toBe(100_000)
  })

  test('keeps a bounded number of logs, and names the first block whose logs are complete', async () => {
    const chain = new LoggedChain(MAX_LOGS + 10)

    const { logs, fromBlock } = await scanLogs(chain, {})

    expect(logs.length).toBe(MAX_LOGS - 1)
    expect(logs[0]?.blockNumber).toBe(fromBlock)
  })

  test('fails when the node refuses any range', async () => {
    await expect(scanLogs(new LoggedChain(10_000, 1), {})).rejects.toThrow('the range is too large')
  })
})
