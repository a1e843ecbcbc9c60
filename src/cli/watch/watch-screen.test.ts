import { describe, expect, test } from 'vitest'
import { arrivalOf, arrivalsOf, watchState, wholeBlock } from '../../../test/support/watch-states.ts'
import { createNames } from '../../live/names/names.ts'
import { terminalText, widthOf } from './screen-line.ts'
import { watchScreen } from './watch-screen.ts'
import type { WatchState } from './watch-state.ts'

/** The rows of the screen without colours. */
function rowsOf(state: WatchState, columns = 100, rows = 30, now = 0): readonly string[] {
  return watchScreen(state, { columns, rows }, now).map((line) => terminalText(line, columns, false).trimEnd())
}

/** One block that is complete and half of the next. */
const HALF = [...arrivalsOf(41, 41), ...[0, 1, 2, 3, 4].map((index) => arrivalOf(42, index))]

/** The second development account. */
const ACCOUNT = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

describe('watchScreen', () => {
  test('shows the open block as slots that fill, with transactions and lateness below', () => {
    const rows = rowsOf(watchState(HALF))
    expect(rows[0]).toMatch(/^Tickertape watch {2}http:\/\/127.0.0.1:8545 · chain 8453 · Tickertape\/v1 +live$/)
    expect(rows[2]).toBe('Block 42  open  5 of 10 flashblocks · 10 transactions · 200k gas, 20.0 %')
    expect(rows[3]!.split(/ +/)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    expect(rows[6]!.split(' ').map((bar) => bar[0])).toEqual(['▁', '█', '█', '█', '█', '·', '·', '·', '·', '·'])
    expect(rows[7]!.split(/ {2,}/)).toEqual(['0 tx', '1 tx', '2 tx', '3 tx', '4 tx'])
    expect(rows[8]!.split(/ +/)).toEqual(['+0', '+0', '+0', '+0', '+0'])
  })

  test('fills another slot with each flashblock', () => {
    const filled = [3, 4, 5].map((count) => {
      const [row] = rowsOf(watchState(HALF.slice(0, 10 + count))).filter((line) => line.includes('····'))
      return row!.split(' ').filter((bar) => !bar.startsWith('·')).length
    })
    expect(filled).toEqual([3, 4, 5])
  })

  test('shows rates, pool and latency', () => {
    const visible = { hash: '0x1', blockNumber: 1, flashblock: 2, visibleAt: 0, milliseconds: 187 }
    const state = watchState(HALF, { live: { visibility: { recent: [visible], points: [] } } })
    const text = rowsOf(state).join('\n')
    expect(text).toContain('Pool 12 pending, 1,234 queued')
    expect(text).toContain('Slot lateness p50 0 ms, p99 0 ms   Sent to visible p50 187 ms, p99 187 ms')
    expect(rowsOf({ ...state, pool: 'unavailable' }).join('\n')).toContain('Pool not offered by this node')
  })

  test('lists sealed blocks and transactions, newest first', () => {
    const rows = rowsOf(watchState([...arrivalsOf(40, 41), arrivalOf(42, 0), arrivalOf(42, 1)]))
    expect(rows.filter((row) => row.includes('450k gas'))).toEqual([
      '         41  ▁█████████  45 transactions · 450k gas, 45.0 %',
      '         40  ▁█████████  45 transactions · 450k gas, 45.0 %',
    ])
    const transactions = rows.filter((row) => row.includes('ETH'))
    expect(transactions[0]).toBe('          42/1  0x421000…000000  to 0x5700…0001   transfer        1.5 ETH')
    expect(transactions[1]).toContain('41/9  ')
  })

  test('names stocks with their amounts in tokens, accounts and functions', () => {
    const address = '0x5700000000000000000000000000000000000001'
    const call = {
      hash: `0x${'1'.repeat(64)}`,
      to: address,
      value: 0n,
      selector: '0x40c10f19',
      tokenAmount: 1_500_000n,
    }
    const paid = { hash: `0x${'2'.repeat(64)}`, to: ACCOUNT, value: 10n ** 18n, selector: '' }
    const state = watchState([arrivalOf(42, 0), arrivalOf(42, 1, { transactions: [call, paid] })])
    const names = createNames([{ address, symbol: 'HLCYNd', decimals: 6, multiplier: '1' }])
    const text = rowsOf({ ...state, names }).join('\n')
    expect(text).toContain('0x111111…111111  to HLCYNd        mint            1.5 HLCYNd')
    expect(text).toContain('0x222222…222222  to Account 1     transfer        1 ETH')
  })

  test('shows whole blocks where the node announces no flashblocks, and says so', () => {
    const times = [0, 200, 400, 600, 800, 1_000, 1_230]
    const blocks = times.map((arrivedAt, position) => wholeBlock(2 + position, { arrivedAt }))
    const rows = rowsOf(watchState(blocks, { live: { mode: 'blocks' } }))
    expect(rows[2]).toBe('Block 8  0 transactions · 0 gas, 0.0 %')
    expect(rows[3]).toBe('This node announces no flashblocks: blocks appear when they are sealed.')
    expect(rows.join('\n')).toContain('Block lateness p50 0 ms, p99 30 ms')
  })

  test('says that the connection is lost, and how old the shown data are', () => {
    const state = watchState(HALF, { connection: { kind: 'offline', since: 0, heardAt: 1_000 } })
    expect(rowsOf(state, 100, 30, 2_000)[0]).toMatch(/ not connected, trying again$/)
    expect(rowsOf(state, 100, 30, 66_000)[0]).toMatch(/ not connected, trying again, shown data are 1 min 5 s old$/)
  })

  test('says what waits while paused', () => {
    const rows = rowsOf(watchState(HALF, { live: { isPaused: true, queued: 12, forgotten: 3 } }))
    expect(rows[0]).toMatch(/ paused$/)
    expect(rows.at(-1)).toBe('q quit   p resume   s step   12 waiting, 3 skipped')
  })

  test('draws only the bars of a narrow screen', () => {
    const rows = rowsOf(watchState(HALF), 40, 20)
    expect(rows[3]).toBe('▁████·····')
  })

  test('has as many rows as the screen, none wider than it', () => {
    const state = watchState([...arrivalsOf(30, 41), ...HALF.slice(10)])
    for (const columns of [1, 7, 20, 49, 50, 51, 80, 133, 300]) {
      for (const rows of [1, 2, 5, 10, 19, 20, 24, 60]) {
        const lines = rowsOf(state, columns, rows)
        expect(lines).toHaveLength(rows)
        expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(columns)
      }
    }
  })

  test.each(['\u001b[2J', '\u009b31m', '\r\n', '\u202e', '漢字', 'e\u0301\u0301', '\u{1f600}'])(
    'keeps %j of a node from moving the cursor or the columns',
    (hostile) => {
      const transactions = [{ hash: hostile.repeat(20), to: hostile, value: 0n, selector: hostile }]
      const arrival = arrivalOf(42, 1, { transactions, blockHash: hostile, payloadId: hostile })
      const state = watchState([arrivalOf(42, 0), arrival, arrivalOf(43, 0)], {
        node: { chainId: 1n, clientVersion: hostile.repeat(500) },
      })
      const lines = watchScreen(state, { columns: 80, rows: 24 }, 0)
      for (const line of lines) {
        expect(terminalText(line, 80, false)).toMatch(/^[\x20-\x7e·…▁▂▃▄▅▆▇█\ufffd]*$/)
        expect(terminalText(line, 80, true).replaceAll(/\p{Cc}\[\d+m/gu, '')).toBe(terminalText(line, 80, false))
      }
      expect(lines.flat().some(({ text }) => text.includes('\ufffd'))).toBe(true)
      expect(widthOf(lines[0]!)).toBe(80)
    },
  )
})
