// Attacks with JSON texts of five megabytes that cost more to parse or to decode than to send.
import { httpWire } from '../support/http-wire.mjs'
import { call, flood, repeated } from './clients.mjs'

const HEAD = '{"jsonrpc":"2.0","id":1,"method":'

function address(index) {
  return `0x${(index + 1_000_000).toString(16).padStart(40, '0')}`
}

function word(index) {
  return `0x${(index + 1).toString(16).padStart(64, '0')}`
}

/** An object with `count` members. */
function object(count, name, value) {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), value]))
}

/** Two connections send the same text without pause. */
function textAttack(id, title, text) {
  return {
    id,
    title,
    run(node) {
      const message = httpWire.encode(text())
      return flood(node, () => message)
    },
  }
}

function callAttack(id, title, method, params) {
  return {
    id,
    title,
    run(node) {
      const message = call(method, params())
      return flood(node, () => message)
    },
  }
}

const NOTHING = { to: address(0) }

export const TEXT_ATTACKS = [
  textAttack('json-numbers', '[1,1,…]', () => repeated('[', '1,', ']')),
  textAttack('json-arrays', '[[],[],…]', () => repeated('[', '[],', ']')),
  textAttack('json-objects', 'params of [{},{},…]', () => repeated(`${HEAD}"eth_call","params":[`, '{},', ']}')),
  textAttack('json-strings', 'a batch of empty strings', () => repeated('[', '"",', ']')),
  textAttack('json-deep', '[[[[…', () => '['.repeat(5_000_000)),
  textAttack('json-escapes', 'one string of escapes', () => `${HEAD}"${'\\u0041'.repeat(800_000)}"}`),
  textAttack('json-members', 'a request with 400,000 members', () => {
    const members = Array.from({ length: 400_000 }, (_, index) => `"m${index}":1`)
    return `{${members.join(',')}}`
  }),
  callAttack('filter-keys', 'a log filter with 300,000 members', 'eth_getLogs', () => [
    object(300_000, (index) => `k${index}`, 1),
  ]),
  callAttack('filter-topics', 'a log filter with 70,000 topics', 'eth_getLogs', () => [
    { topics: [Array.from({ length: 70_000 }, (_, index) => word(index))] },
  ]),
  callAttack('override-accounts', '70,000 account overrides', 'eth_call', () => [
    NOTHING,
    'latest',
    object(70_000, address, { nonce: '0x1' }),
  ]),
  callAttack('override-slots', '36,000 overridden slots', 'eth_call', () => [
    NOTHING,
    'latest',
    { [address(1)]: { stateDiff: object(36_000, word, word(7)) } },
  ]),
  callAttack('override-most-slots', '10,000 overridden slots', 'eth_call', () => [
    NOTHING,
    'latest',
    { [address(1)]: { stateDiff: object(10_000, word, word(7)) } },
  ]),
  callAttack('access-lists', 'an access list with 24,000 keys', 'eth_call', () => [
    {
      ...NOTHING,
      accessList: Array.from({ length: 10 }, (_, index) => ({
        address: address(index),
        storageKeys: Array.from({ length: 2_400 }, (_, key) => word(key)),
      })),
    },
  ]),
  callAttack('simulated-calls', 'a simulation of 10,000 calls', 'eth_simulateV1', () => [
    { blockStateCalls: [0, 1].map(() => ({ calls: Array.from({ length: 5_000 }, () => NOTHING) })) },
  ]),
  callAttack('simulated-overrides', 'a simulation with 250 blocks of 140 slots', 'eth_simulateV1', () => [
    {
      blockStateCalls: Array.from({ length: 250 }, (_, block) => ({
        stateOverrides: { [address(block)]: { stateDiff: object(140, word, word(7)) } },
        calls: [NOTHING],
      })),
    },
  ]),
]
