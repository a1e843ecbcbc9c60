import { expect, test } from 'vitest'

interface Result {
  readonly cpu?: number
  readonly instructions?: number
  readonly rate?: number
  readonly failure?: string
}
interface Row {
  readonly id: string
  readonly title: string
  readonly ratio?: number
  readonly failure?: string
}

const load = (name: string) => import(new URL(`../bench/support/${name}.mjs`, import.meta.url).href)
const { comparedRows, lostRows } = (await load('compared-rows')) as {
  comparedRows(report: { names: string[]; rows: object[] }): Row[]
  lostRows(rows: readonly Row[], loss: number): Row[]
}
const { parseCount } = (await load('instruction-count')) as { parseCount(text: string): number | undefined }

function compared(own: Result, base: Result): Row[] {
  const row = { id: 'call', title: 'eth_call', results: { Tickertape: own, 'Tickertape, base': base } }
  return comparedRows({ names: ['Tickertape', 'Tickertape, base'], rows: [row] })
}

test('a row is compared by instructions where both were counted, else by processor time', () => {
  expect(compared({ cpu: 30, instructions: 110 }, { cpu: 10, instructions: 100 })).toMatchObject([{ ratio: 1.1 }])
  expect(compared({ cpu: 30, instructions: 110 }, { cpu: 20 })).toMatchObject([{ ratio: 1.5 }])
})

test('a rate alone, which other programs affect, is not compared', () => {
  expect(compared({ rate: 10 }, { rate: 100 })).toEqual([])
})

test('a row is lost when it costs more than the limit, or fails in this build', () => {
  const lost = (own: Result, base: Result) => lostRows(compared(own, base), 0.15).length
  expect(lost({ cpu: 114 }, { cpu: 100 })).toBe(0)
  expect(lost({ cpu: 116 }, { cpu: 100 })).toBe(1)
  expect(lost({ failure: 'no response' }, { cpu: 100 })).toBe(1)
  expect(lost({ cpu: 100 }, { failure: 'unknown method' })).toBe(0)
})

test('the count of perf is read, and its absence noticed', () => {
  expect(parseCount('1234567,,instructions:u,1000000,100.00,,\n')).toBe(1_234_567)
  expect(parseCount('<not supported>,,instructions:u,0,100.00,,\n')).toBeUndefined()
  expect(parseCount('perf: command not found')).toBeUndefined()
})
