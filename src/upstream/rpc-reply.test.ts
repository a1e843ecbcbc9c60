import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBatch, type ErrorMeaning, encodeBatch, meaningOf, type RpcReply } from './rpc-reply.ts'
import { UpstreamError } from './upstream-failure.ts'

/** Errors as reported by go-ethereum, Nethermind, Besu, Anvil, Hardhat, providers and this node. */
test.each<[number, string, ErrorMeaning]>([
  [3, 'execution reverted', 'failed'],
  [3, 'execution reverted: rate limit exceeded', 'failed'],
  [-32000, 'execution reverted: header not found', 'failed'],
  [-32000, 'Execution reverted (missing trie node)', 'failed'],
  [-32000, 'out of gas', 'failed'],
  [-32000, 'invalid opcode: INVALID', 'failed'],
  [-32000, 'stack underflow (0 <=> 1)', 'failed'],
  [-32000, 'stack limit reached 1024 (1023)', 'failed'],
  [-32000, 'precompile failed', 'failed'],
  [-32000, 'EVM error: InvalidJump', 'failed'],
  [-32003, 'out of gas: gas required exceeds: 1000000', 'failed'],
  [-32000, 'invalid jump destination', 'failed'],
  [-32000, 'write protection', 'failed'],
  [-32015, 'VM execution error.', 'failed'],
  [-32603, 'EVM error OutOfGas', 'failed'],
  [-32603, 'VM Exception while processing transaction: invalid opcode', 'failed'],
  [-32603, 'Error: VM Exception while processing transaction: reverted', 'failed'],
  [-32000, 'header not found', 'missing'],
  [-39001, 'unknown block', 'missing'],
  [-32001, 'Resource not found', 'missing'],
  [-32000, 'block not found: 0x99', 'missing'],
  [-32000, 'hash 0x12 is not currently canonical', 'missing'],
  [-32602, 'BlockOutOfRangeError: block height is 0 but requested was 153', 'missing'],
  [-32000, 'missing trie node 00 (path ) state 0x00 is not available', 'pruned'],
  [4444, 'pruned history unavailable', 'pruned'],
  [-32000, 'historical state 12 is not available', 'pruned'],
  [-32602, 'invalid argument 1: json: cannot unmarshal object', 'unsupported'],
  [-32602, 'Invalid params', 'unsupported'],
  [-32005, 'limit exceeded', 'limited'],
  [429, 'Your app has exceeded its compute units', 'limited'],
  [-32000, 'Too Many Requests', 'limited'],
  [-32000, 'execution aborted (timeout = 5s)', 'timedOut'],
  [-32002, 'request timed out', 'timedOut'],
  [-32005, 'query returned more than 10000 results', 'refused'],
  [-32602, 'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range', 'refused'],
  [-32614, 'eth_getLogs is limited to a 10,000 range', 'refused'],
  [-32601, 'the method eth_call does not exist', 'refused'],
  [-32603, 'internal error', 'refused'],
  [-32000, 'gas required exceeds allowance', 'refused'],
])('error %i %s means %s', (code, message, meaning) => {
  expect(meaningOf({ code, message })).toBe(meaning)
})

const reply: fc.Arbitrary<RpcReply> = fc.oneof(
  fc.record({ kind: fc.constant('result' as const), result: fc.oneof(fc.string(), fc.constant(null), fc.integer()) }),
  fc.record({ kind: fc.constant('error' as const), code: fc.integer(), message: fc.string() }),
)

test('property: matches replies to calls in any order', () => {
  const replies = fc.array(reply).chain((all) => {
    const items = all.map((one, id) => {
      return one.kind === 'result'
        ? { id, result: one.result }
        : { id, error: { code: one.code, message: one.message } }
    })
    return fc.tuple(fc.constant(all), fc.shuffledSubarray(items, { minLength: items.length }))
  })
  fc.assert(
    fc.property(replies, ([all, items]) => {
      expect(decodeBatch(JSON.stringify(items), all.length)).toEqual(all)
    }),
  )
})

test('property: decodes any text or throws an UpstreamError', () => {
  const item = fc.record(
    { id: fc.oneof(fc.nat(3), fc.json()), result: fc.jsonValue(), error: fc.oneof(fc.jsonValue(), fc.constant(null)) },
    { requiredKeys: [] },
  )
  const text = fc.oneof(
    fc.json(),
    fc.string(),
    fc.array(item, { maxLength: 4 }).map((items) => JSON.stringify(items)),
  )
  fc.assert(
    fc.property(text, fc.nat(4), (anything, count) => {
      try {
        expect(decodeBatch(anything, count)).toHaveLength(count)
      } catch (error) {
        expect(error).toBeInstanceOf(UpstreamError)
      }
    }),
    { numRuns: 10_000 },
  )
})

test('decodes a batch of one', () => {
  expect(JSON.parse(encodeBatch([{ method: 'eth_chainId', params: [] }]))).toEqual([
    { jsonrpc: '2.0', id: 0, method: 'eth_chainId', params: [] },
  ])
})
