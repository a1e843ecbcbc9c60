import {
  type AbiFunction,
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionData,
  getAddress,
  parseAbi,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { createAbiBook, readAbiFile } from './abi-book.ts'
import { decodeResults, encodedInput, functionText } from './contract-call.ts'
import { decodeInput, decodeLog, revertReason } from './decoding.ts'

const ACCOUNT = '0x00000000000000000000000000000000000000aa'
const OTHER = getAddress('0x00000000000000000000000000000000000000bb')
const book = createAbiBook([])

describe('decodeInput', () => {
  test('knows common functions without an ABI', () => {
    const abi = parseAbi(['function transfer(address to, uint256 amount)'])
    const data = encodeFunctionData({ abi, functionName: 'transfer', args: [OTHER, 2n ** 255n] })
    expect(decodeInput(book, data)).toMatchObject({
      name: 'transfer',
      signature: 'transfer(address,uint256)',
      values: [
        { name: 'to', type: 'address', text: OTHER },
        { name: 'amount', type: 'uint256', text: (2n ** 255n).toString() },
      ],
    })
  })

  test('shows tuples and arrays as trees', () => {
    const abi = parseAbi(['function aggregate3((address target, bool allowFailure, bytes callData)[] calls)'])
    const calls = [{ target: OTHER, allowFailure: true, callData: '0x1234' }] as const
    const decoded = decodeInput(book, encodeFunctionData({ abi, functionName: 'aggregate3', args: [calls] }))
    expect(decoded?.signature).toBe('aggregate3((address,bool,bytes)[])')
    expect(decoded?.values[0]?.parts[0]?.parts.map(({ name, text }) => [name, text])).toEqual([
      ['target', OTHER],
      ['allowFailure', 'true'],
      ['callData', '0x1234'],
    ])
  })

  test('prefers an added ABI', () => {
    const abi = parseAbi(['function transfer(address receiver, uint256 shares)'])
    const added = createAbiBook([{ name: 'mine', abi }])
    const data = encodeFunctionData({ abi, functionName: 'transfer', args: [ACCOUNT, 1n] })
    expect(decodeInput(added, data)?.values.map(({ name }) => name)).toEqual(['receiver', 'shares'])
  })

  test.each(['0x', '0x12', '0xdeadbeef', '0xa9059cbb', `0xa9059cbb${'ff'.repeat(40)}`])(
    'leaves %s as it is',
    (data) => {
      expect(decodeInput(book, data)).toBeUndefined()
    },
  )

  test('a length that the data do not have ends without memory or time', () => {
    const huge = `0x82ad56cb${'20'.padStart(64, '0')}${'ff'.repeat(32)}`
    expect(decodeInput(book, huge)).toBeUndefined()
  })
})

describe('decodeLog', () => {
  const amount = encodeAbiParameters([{ type: 'uint256' }], [5n])
  const topics = encodeEventTopics({
    abi: parseAbi(['event Transfer(address indexed from, address indexed to, uint256 amount)']),
    args: { from: ACCOUNT, to: OTHER },
  }) as string[]

  test('tells a token transfer from one of a unique token by its topics', () => {
    const fungible = decodeLog(book, topics, amount)
    expect(fungible?.values.map(({ name, text }) => [name, text])).toContainEqual(['amount', '5'])
    const unique = decodeLog(book, [...topics, amount], '0x')
    expect(unique?.values.map(({ name, text }) => [name, text])).toContainEqual(['tokenId', '5'])
  })

  test('leaves unknown and damaged logs as they are', () => {
    expect(decodeLog(book, [], '0x')).toBeUndefined()
    expect(decodeLog(book, [`0x${'12'.repeat(32)}`], '0x')).toBeUndefined()
    expect(decodeLog(book, topics, '0x')).toBeUndefined()
  })
})

describe('revertReason', () => {
  const text = (message: string) =>
    encodeErrorResult({ abi: parseAbi(['error Error(string message)']), errorName: 'Error', args: [message] })

  test('is the text of require, also a hostile one, as it is', () => {
    expect(revertReason(book, text('<img src=x onerror=alert(1)>'))).toBe('<img src=x onerror=alert(1)>')
  })

  test('explains panics and custom errors', () => {
    const panic = encodeErrorResult({ abi: parseAbi(['error Panic(uint256 code)']), errorName: 'Panic', args: [17n] })
    expect(revertReason(book, panic)).toBe('panic 17: arithmetic overflow or underflow')
    const abi = parseAbi(['error OwnableUnauthorizedAccount(address account)'])
    const custom = encodeErrorResult({ abi, errorName: 'OwnableUnauthorizedAccount', args: [OTHER] })
    expect(revertReason(book, custom)).toBe(`OwnableUnauthorizedAccount(account: ${OTHER})`)
    expect(revertReason(book, '0xdeadbeef')).toBe('unknown error 0xdeadbeef')
    expect(revertReason(book, '0x')).toBeUndefined()
  })
})

describe('readAbiFile', () => {
  const items = [{ type: 'function', name: 'f', inputs: [], outputs: [], stateMutability: 'view' }]

  test('reads a plain ABI and an artifact', () => {
    expect(readAbiFile('Token.json', JSON.stringify(items))).toMatchObject({ source: { name: 'Token', abi: items } })
    expect(readAbiFile('T.json', JSON.stringify({ abi: items }))).toMatchObject({ kind: 'read' })
  })

  test.each(['', '{', '[1]', 'null', '{"abi":{}}', '[{"type":"function"}]'])('refuses %s', (content) => {
    expect(readAbiFile('a.json', content)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('a.json'),
    })
  })

  test.each([
    '[{"type":"function","name":"f","inputs":null}]',
    '[{"type":"function","name":"f","inputs":[null]}]',
    '[{"type":"function","name":"f","inputs":[{"name":"a"}]}]',
    '[{"type":"function","name":"f","inputs":[],"outputs":[{"type":7}]}]',
    '[{"type":"event","name":"E","inputs":[{"type":"tuple","components":[null]}]}]',
    `[{"type":"error","name":"E","inputs":[${'{"type":"tuple","components":['.repeat(40)}${']}'.repeat(40)}]}]`,
  ])('refuses parameters that cannot be drawn: %s', (content) => {
    expect(readAbiFile('a.json', content)).toMatchObject({ kind: 'refused' })
  })

  test('adds the empty lists that a function leaves out', () => {
    const read = readAbiFile('a.json', '[{"type":"function","name":"f","stateMutability":"view"},{"type":"fallback"}]')
    if (read.kind !== 'read') throw new Error('it should be read')
    const item = read.source.abi[0] as AbiFunction
    expect([functionText(item), encodedInput(item, []).kind, decodeResults(item, '0x')]).toEqual(['f()', 'encoded', []])
    expect(read.source.abi[1]).toEqual({ type: 'fallback' })
  })

  test('an item with an unknown type does no harm', () => {
    const strange = readAbiFile('a.json', '[{"type":"function","name":"f","inputs":[{"type":"zzz(("}]}]')
    if (strange.kind !== 'read') throw new Error('it should be read')
    expect(createAbiBook([strange.source]).functions('0xa9059cbb')).toHaveLength(1)
  })
})
