import { describe, expect, test } from 'vitest'
import stockProxy from '../../chain/predeploys/stock-proxy.json' with { type: 'json' }
import { accountKind, accountKindText, implementationOf, slotFrom, storageWord, wordReadings } from './account-code.ts'

test('tells plain accounts, contracts and delegations apart', () => {
  const delegation = `0xef0100${'ab'.repeat(20)}`
  expect(accountKind('0x')).toEqual({ kind: 'plain' })
  expect(accountKind('0x6001')).toEqual({ kind: 'contract', bytes: 2 })
  expect(accountKind(delegation)).toEqual({ kind: 'delegated', to: `0x${'ab'.repeat(20)}` })
  // One byte more is a contract, although no such code can be deployed today.
  expect(accountKind(`${delegation}00`).kind).toBe('contract')
  expect(accountKindText(accountKind('0x6001'))).toBe('Contract of 2 bytes')
})

test('a slot is a number in decimal or hex of at most 256 bits', () => {
  expect([slotFrom('1'), slotFrom(' 0x0A ')]).toEqual([`0x${'1'.padStart(64, '0')}`, `0x${'a'.padStart(64, '0')}`])
  expect(slotFrom(String(2n ** 256n - 1n))).toBe(`0x${'f'.repeat(64)}`)
  expect(['', '-1', '0x', 'zz', String(2n ** 256n)].map(slotFrom)).toEqual(Array(5).fill(undefined))
})

test('a storage word is hex of at most 32 bytes', () => {
  expect([storageWord('0x'.padEnd(66, 'f')), storageWord('0x0')]).toEqual([`0x${'f'.repeat(64)}`, '0x0'])
  for (const other of [null, 'null', '0x', 7, {}, `0x${'0'.repeat(65)}`]) expect(storageWord(other)).toBeUndefined()
})

describe('wordReadings', () => {
  const word = (digits: string) => `0x${digits.padStart(64, '0')}`

  test('reads a number and an address', () => {
    expect(wordReadings(word('3e8'))).toEqual([['number', '1,000']])
    expect(wordReadings(word('ab'.repeat(20)))).toContainEqual(['address', `0x${'ab'.repeat(20)}`])
  })

  test('reads a short string of Solidity, and no other bytes as text', () => {
    const text = `0x${Buffer.from('HLCYNd').toString('hex').padEnd(62, '0')}0c`
    expect(wordReadings(text)).toContainEqual(['text', 'HLCYNd'])
    expect(wordReadings(`0x${'ff'.repeat(31)}0c`).map(([label]) => label)).toEqual(['number'])
  })
})

describe('implementationOf', () => {
  const IMPLEMENTATION = `${'57'.repeat(19)}aa`
  const word = (digits: string) => `0x${digits.padStart(64, '0')}`
  const stockProxyOf = (target: string) =>
    stockProxy.deployedBytecode.replace(`7f${'0'.repeat(64)}`, `7f${target.padStart(64, '0')}`)

  test('reads the slot of EIP-1967, a clone of EIP-1167, and the immutable of a small proxy', () => {
    expect(implementationOf('0x6080', word(IMPLEMENTATION))).toBe(`0x${IMPLEMENTATION}`)
    const clone = `0x363d3d373d3d3d363d73${IMPLEMENTATION}5af43d82803e903d91602b57fd5bf3`
    expect(implementationOf(clone, word('0'))).toBe(`0x${IMPLEMENTATION}`)
    expect(implementationOf(stockProxyOf(IMPLEMENTATION), word('0'))).toBe(`0x${IMPLEMENTATION}`)
  })

  test('takes no contract for a proxy that calls, or only has the bytes of a delegation in its data', () => {
    const number = `7f${'1'.padStart(64, '0')}`
    const calling = `0x${number}5f525f5f5f5f5f60f45af1`
    const delegation = /7f0{24}.*f4/.exec(stockProxyOf(IMPLEMENTATION))![0]
    const inData = `0x60${delegation}`
    const other = `0x60807f${'00'.repeat(12)}${IMPLEMENTATION}5f525f5f5f5f335af4`
    expect([calling, inData, other].map((code) => implementationOf(code, word('0')))).toEqual(Array(3).fill(undefined))
    expect(implementationOf(stockProxyOf('0'.repeat(40)), word('0'))).toBeUndefined()
  })

  test('takes no other contract for a proxy, whatever the node sends', () => {
    const large = `0x7f${'00'.repeat(12)}${IMPLEMENTATION}f4${'00'.repeat(300)}`
    expect([implementationOf(large, word('0')), implementationOf('0x6080', null)]).toEqual([undefined, undefined])
    expect(implementationOf('0x6080', `0x${'ff'.repeat(32)}`)).toBeUndefined()
  })
})
