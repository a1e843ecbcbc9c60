import { describe, expect, test } from 'vitest'
import { callRows, visibleCalls } from './call-tree.ts'
import { stateChanges } from './state-changes.ts'
import { tokenTransfers } from './transfers.ts'

describe('callRows', () => {
  const leaf = { type: 'STATICCALL', from: '0xb', to: '0xc', gasUsed: '0x5', input: '0x', error: 'out of gas' }
  const trace = {
    type: 'CALL',
    from: '0xa',
    to: '0xb',
    value: '0x7',
    gasUsed: '0x64',
    input: '0x12',
    calls: [{ ...leaf, calls: [leaf] }, leaf],
  }

  test('lists calls in the order of execution', () => {
    const rows = callRows(trace)
    expect(rows.map(({ path, depth }) => [path, depth])).toEqual([
      ['0', 0],
      ['0.0', 1],
      ['0.0.0', 2],
      ['0.1', 1],
    ])
    expect(rows[0]).toMatchObject({ value: 7n, gasUsed: 100n, childCount: 2 })
    expect(rows[3]).toMatchObject({ error: 'out of gas', value: 0n })
  })

  test('hides what is below a closed call', () => {
    expect(visibleCalls(callRows(trace), new Set(['0.0'])).map(({ path }) => path)).toEqual(['0', '0.0', '0.1'])
    expect(visibleCalls(callRows(trace), new Set(['0']))).toHaveLength(1)
  })

  test('follows 1,024 nested calls and stops at a bounded number', () => {
    let deep: object = leaf
    for (let depth = 0; depth < 1_024; depth += 1) deep = { ...leaf, calls: [deep] }
    expect(callRows(deep)).toHaveLength(1_025)
    expect(callRows({ ...leaf, calls: Array(50_000).fill(leaf) })).toHaveLength(20_000)
  })

  test.each([null, undefined, 'text', {}])('survives %j', (other) => {
    expect(callRows(other).length).toBeLessThanOrEqual(1)
  })
})

describe('stateChanges', () => {
  const word = (digit: string) => `0x${digit.padStart(64, '0')}`

  test('compares each account before and after', () => {
    const changes = stateChanges({
      pre: {
        '0xa': { balance: '0x64', nonce: 1, storage: { [word('1')]: word('5'), [word('2')]: word('6') } },
        '0xb': { balance: '0x1' },
        '0xc': { balance: '0x9', code: '0x60' },
      },
      post: {
        '0xa': { balance: '0x32', storage: { [word('1')]: word('7') } },
        '0xd': { balance: '0x3', code: '0x61' },
        '0xb': {},
      },
    })
    expect(changes).toEqual([
      {
        address: '0xa',
        kind: 'changed',
        balance: { before: 100n, after: 50n },
        nonce: undefined,
        code: undefined,
        slots: [
          { slot: word('1'), before: word('5'), after: word('7') },
          { slot: word('2'), before: word('6'), after: word('0') },
        ],
      },
      {
        address: '0xc',
        kind: 'deleted',
        balance: { before: 9n, after: 0n },
        nonce: undefined,
        code: { before: '0x60', after: '0x' },
        slots: [],
      },
      {
        address: '0xd',
        kind: 'created',
        balance: { before: 0n, after: 3n },
        nonce: undefined,
        code: { before: '0x', after: '0x61' },
        slots: [],
      },
    ])
  })

  test('takes members that are no objects or words as absent', () => {
    const changes = stateChanges({
      pre: { '0xa': null, '0xb': { storage: null }, '0xc': { storage: { '0x1': 5 } } },
      post: { '0xa': { nonce: '0x1' }, '0xb': 'text', '0xc': { storage: { '0x1': word('2') } } },
    })
    expect(changes).toMatchObject([
      { address: '0xa', kind: 'created', nonce: { before: 0n, after: 1n } },
      { address: '0xc', slots: [{ slot: '0x1', before: word('0'), after: word('2') }] },
    ])
  })

  test('is empty for a trace without changes', () => {
    expect([stateChanges(null), stateChanges({})]).toEqual([[], []])
    expect([stateChanges({ pre: null, post: null }), stateChanges({ pre: 7, post: 'x' })]).toEqual([[], []])
  })
})

describe('tokenTransfers', () => {
  const from = `0x${'00'.repeat(12)}${'aa'.repeat(20)}`
  const to = `0x${'00'.repeat(12)}${'bb'.repeat(20)}`
  const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  const parties = { token: '0xt', from: `0x${'aa'.repeat(20)}`, to: `0x${'bb'.repeat(20)}` }
  const word = (value: bigint) => value.toString(16).padStart(64, '0')

  test('reads fungible, unique and multi-token transfers exactly', () => {
    const amount = 2n ** 255n + 1n
    const single = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
    const logs = [
      { address: '0xt', topics: [transfer, from, to], data: `0x${word(amount)}` },
      { address: '0xt', topics: [transfer, from, to, `0x${word(9n)}`], data: '0x' },
      { address: '0xt', topics: [single, from, from, to], data: `0x${word(4n)}${word(6n)}` },
    ]
    expect(tokenTransfers(logs)).toEqual([
      { ...parties, amount, tokenId: undefined },
      { ...parties, amount: undefined, tokenId: 9n },
      { ...parties, amount: 6n, tokenId: 4n },
    ])
  })

  test('ignores other and damaged logs', () => {
    const logs = [
      { address: '0xt', topics: [], data: '0x' },
      { address: '0xt', topics: [transfer, from, to], data: '0x12' },
      { address: '0xt', topics: [`0x${'12'.repeat(32)}`, from, to], data: '0x' },
    ]
    expect(tokenTransfers(logs)).toEqual([])
  })
})
