import { expect, test } from 'vitest'
import type { ChainPosition } from '../http/range-parameters.ts'
import { StatusError } from '../http/status.ts'
import type { SourceBlock } from '../tokenized-stocks/chain-source.ts'
import { blockRangeOf } from './block-times.ts'

/** Blocks of which only number and time are read: block 5 at second 50, and so on. */
const at = async (number: number) => ({ number, timestamp: BigInt(number) * 10n }) as SourceBlock

async function rangeOf(oldest: number, from: ChainPosition | undefined, to: ChainPosition | undefined) {
  const tooOld = (name: string) => new StatusError('notFound', `${name} is too old`)
  return blockRangeOf({ from, to, oldest, newest: await at(9), tooOld }, { at })
}

const time = (seconds: number): ChainPosition => ({ kind: 'time', seconds: BigInt(seconds) })

test('a range of blocks refuses a time before the oldest block, unless that is block 0', async () => {
  await expect(rangeOf(5, time(49), undefined)).rejects.toThrow('from is too old')
  await expect(rangeOf(5, undefined, time(49))).rejects.toThrow('to is too old')
  await expect(rangeOf(5, time(0), time(70))).rejects.toThrow('from is too old')

  expect(await rangeOf(5, time(50), time(79))).toEqual({ first: 5, last: 7 })
  expect(await rangeOf(5, time(51), undefined)).toEqual({ first: 6, last: 9 })
  expect(await rangeOf(0, time(0), time(15))).toEqual({ first: 0, last: 1 })
})

test('a range of blocks whose end is before block 0 is empty', async () => {
  const early = (number: number) => at(number).then((block) => ({ ...block, timestamp: block.timestamp + 5n }))
  const bounds = { oldest: 0, newest: await early(9), tooOld: () => new StatusError('notFound', '') }

  expect(await blockRangeOf({ ...bounds, from: undefined, to: time(4) }, { at: early })).toEqual({ first: 0, last: -1 })
})
