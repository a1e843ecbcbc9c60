import { describe, expect, test } from 'vitest'
import { blockReference } from './block-reference.ts'
import { address, data, hash } from './bytes.ts'
import { callObject } from './call-object.ts'
import { duration } from './duration.ts'
import { quantity, quantity64 } from './quantity.ts'
import { simulationPayload } from './simulation/simulation-payload.ts'
import { blockCount, milliseconds, percentile } from './small-numbers.ts'
import { storageKey } from './storage-key.ts'

describe('rejects invalid values', () => {
  test.each([
    [quantity, '0x00', 'hex number with leading zero digits'],
    [quantity, '0x', 'hex string "0x"'],
    [quantity, '', 'empty hex string'],
    [quantity, '10', 'hex string without 0x prefix'],
    [quantity, '0xg', 'invalid hex string'],
    [quantity, `0x1${'0'.repeat(64)}`, 'hex number > 256 bits'],
    [quantity64, `0x1${'0'.repeat(16)}`, 'hex number > 64 bits'],
    [data, '0x1', 'hex string of odd length'],
    [data, '0x0g', 'invalid hex string'],
    [hash, '0x12', 'hex string has length 2, want 64 for 32 bytes'],
    [address, `0x${'1'.repeat(42)}`, 'hex string has length 42, want 40 for 20 bytes'],
    [storageKey, `0x${'0'.repeat(65)}`, `storage key too long (want at most 32 bytes): "0x${'0'.repeat(65)}"`],
    [storageKey, '0xasdf', 'invalid hex in storage key: "0xasdf"'],
    [blockReference, {}, 'an object here names blockNumber or blockHash'],
    [callObject, { data: '0x01', input: '0x02' }, 'both "data" and "input" are set and not equal'],
    [simulationPayload, {}, 'missing member blockStateCalls'],
  ])('%#: %j', (codec, json, message) => {
    expect(() => codec.decode(json)).toThrow(message)
  })

  test('durations are whole nanoseconds of at most 240 hours', () => {
    expect(duration.decode('0.1ns')).toBe(0)
    expect(duration.decode('1m30s')).toBe(90_000)
    expect(duration.decode('1.5us')).toBe(0.0015)
    expect(() => duration.decode('241h')).toThrow('too long, want at most 240h')
    expect(() => duration.decode(`${'9'.repeat(90)}h`)).toThrow('too long')
  })

  test('decodes -0 as 0', () => {
    for (const codec of [blockCount, milliseconds, percentile]) expect(codec.decode(JSON.parse('-0'))).toBe(0)
  })

  test('ignores members of a prototype', () => {
    expect(callObject.decode(JSON.parse('{"__proto__":{"gas":"0x1"},"constructor":1}'))).toEqual({})
  })
})
