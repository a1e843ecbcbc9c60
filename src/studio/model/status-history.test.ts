import { describe, expect, test } from 'vitest'
import { entryText, nextHistory, type SeenTimes, type StatusEntry, StatusHistories } from './status-history.ts'
import type { TransactionCondition } from './transaction-status.ts'

const NOTHING: SeenTimes = { now: 0, sentAt: undefined, flashblockAt: undefined, sealedAt: undefined }

type Look = readonly [condition: TransactionCondition, times: Partial<SeenTimes>]

/** Times and words of the history after these looks. */
function seen(looks: readonly Look[]): readonly (readonly [at: number | undefined, text: string])[] {
  const entries = looks.reduce<readonly StatusEntry[]>(
    (before, [condition, times]) => nextHistory(before, condition, { ...NOTHING, ...times }),
    [],
  )
  return entries.map(({ condition, at }) => [at, entryText(condition)])
}

const gap: TransactionCondition = { status: 'pooled', waitsFor: 'nonceGap' }
const ready: TransactionCondition = { status: 'pooled', waitsFor: 'flashblock' }
const preconfirmed: TransactionCondition = { status: 'preconfirmed', blockNumber: 7, flashblockIndex: 3 }
const sealed: TransactionCondition = { status: 'sealed', blockNumber: 7, flashblockIndex: 3 }
const safe: TransactionCondition = { ...sealed, finality: 'safe' }

describe('the history of a transaction', () => {
  test('dates each wait, its flashblock, its seal and its finality as this page saw them', () => {
    const looks: Look[] = [
      [gap, { now: 110, sentAt: 100 }],
      [gap, { now: 300, sentAt: 100 }],
      [ready, { now: 500, sentAt: 100 }],
      [preconfirmed, { now: 710, flashblockAt: 700 }],
      [sealed, { now: 2_020, flashblockAt: 700, sealedAt: 2_000 }],
      [safe, { now: 2_300, flashblockAt: 700, sealedAt: 2_000 }],
    ]
    expect(seen(looks)).toEqual([
      [100, 'It waits for a transaction of the sender with a lower nonce.'],
      [500, 'It is executable and waits for the next flashblock.'],
      [700, 'Pre-confirmed in flashblock 3 of block 7.'],
      [2_000, 'Sealed in block 7.'],
      [2_300, 'Block 7 is safe.'],
    ])
  })

  test('adds what happened before the page of the transaction was opened, from the timeline', () => {
    expect(seen([[safe, { now: 9_000, sentAt: 100, flashblockAt: 700, sealedAt: 2_000 }]])).toEqual([
      [100, 'It was sent, or announced as pooled.'],
      [700, 'Pre-confirmed in flashblock 3 of block 7.'],
      [2_000, 'Sealed in block 7.'],
      [undefined, 'Block 7 is safe.'],
    ])
  })

  test('adds the flashblock of a block that was sealed between two looks', () => {
    const looks: Look[] = [
      [ready, { now: 100, sentAt: 90 }],
      [sealed, { now: 2_020, flashblockAt: 700, sealedAt: 2_000 }],
    ]
    expect(seen(looks).map(([at]) => at)).toEqual([90, 700, 2_000])
  })

  test('dates nothing that was so before', () => {
    expect(seen([[sealed, { now: 50 }]])).toEqual([[undefined, 'Sealed in block 7.']])
  })

  test('says when and why a transaction was dropped', () => {
    const dropped: TransactionCondition = { status: 'dropped', reason: 'evicted' }
    const looks: Look[] = [
      [gap, { now: 100, sentAt: 100 }],
      [dropped, { now: 400 }],
    ]
    expect(seen(looks).at(-1)).toEqual([400, 'Dropped. The pool was full and others pay more.'])
  })

  test('shows that a reorganisation put a transaction back', () => {
    const looks: Look[] = [
      [sealed, { sealedAt: 10 }],
      [ready, { now: 40 }],
      [
        { ...sealed, blockNumber: 8 },
        { now: 90, sealedAt: 80 },
      ],
    ]
    expect(seen(looks).map(([at]) => at)).toEqual([10, 40, 80])
  })

  test('is bounded, and so are the transactions that have one', () => {
    const histories = new StatusHistories()
    for (let number = 0; number < 500; number += 1) {
      histories.observe('0xa', number % 2 === 0 ? gap : ready, { ...NOTHING, now: number })
    }
    expect(histories.observe('0xa', ready, NOTHING)).toHaveLength(30)

    for (let number = 0; number < 300; number += 1) histories.observe(`0x${number}`, gap, { ...NOTHING, sentAt: 1 })
    expect(histories.observe('0xa', ready, NOTHING)).toHaveLength(1)
  })
})
