import { type Abi, encodeEventTopics, keccak256, stringToHex, toEventSelector } from 'viem'
import { expect, test } from 'vitest'
import b20Asset from '../../chain/b20/b20-asset.json' with { type: 'json' }
import type { Log } from '../../chain/receipt/log.ts'
import { matchesLog } from '../../chain/receipt/log-query.ts'
import { type Hash, hexToBytes, toAddress } from '../../primitives/hex.ts'
import { bigintToWord } from '../../primitives/quantity.ts'
import { creationQuery, MINT_ROLE, MintingRights, mintQuery, rightsQuery } from './minting-rights.ts'

const TOKEN = toAddress(`0xb2${'00'.repeat(18)}01`)
const MINTER = `0x${'00'.repeat(12)}${'aa'.repeat(20)}` as Hash
const OTHER = `0x${'00'.repeat(12)}${'bb'.repeat(20)}` as Hash
const ABI = b20Asset.abi as Abi

const topicOf = (eventName: string) => encodeEventTopics({ abi: ABI, eventName })[0] as Hash
const log = (event: string, topics: readonly Hash[] = [], ...words: readonly bigint[]): Log => ({
  address: TOKEN,
  topics: [topicOf(event), ...topics],
  data: Buffer.concat(words.map(bigintToWord)),
})
const grant = (minter = MINTER) => log('RoleGranted', [MINT_ROLE, minter, OTHER])
const revoke = (minter = MINTER) => log('RoleRevoked', [MINT_ROLE, minter, OTHER])
const pause = (event: string, ...features: readonly bigint[]) =>
  log(event, [OTHER], 32n, BigInt(features.length), ...features)
const cap = (value: bigint) => log('SupplyCapUpdated', [OTHER], 7n, value)
const policy = (id: bigint) => log('PolicyUpdated', [keccak256(stringToHex('MINT_RECEIVER_POLICY')) as Hash], 0n, id)

function isMintableAfter(...logs: readonly Log[]): boolean {
  const rights = new MintingRights()
  for (const each of logs) rights.apply(each)
  return rights.isMintable
}

test.each<[string, boolean, readonly Log[]]>([
  ['nothing', false, []],
  ['a grant', true, [grant()]],
  ['a grant of another role', false, [log('RoleGranted', [OTHER, MINTER, OTHER])]],
  ['a grant that is revoked', false, [grant(), revoke()]],
  ['two grants, of which one is revoked', true, [grant(), grant(OTHER), revoke()]],
  ['a pause of MINT', false, [grant(), pause('Paused', 0n, 1n)]],
  ['a pause of other features', true, [grant(), pause('Paused', 0n, 2n, 3n)]],
  ['a pause that ended', true, [grant(), pause('Paused', 1n), pause('Unpaused', 1n)]],
  ['a pause that ended for another feature', false, [grant(), pause('Paused', 1n), pause('Unpaused', 2n)]],
  ['a cap of 0', false, [grant(), cap(0n)]],
  ['a cap that was raised', true, [cap(0n), grant(), cap(1n)]],
  ['a policy that blocks all', false, [grant(), policy((1n << 56n) | 1n)]],
  ['the inversion of the policy that admits all', false, [grant(), policy(1n << 63n)]],
  ['a policy with a list', true, [grant(), policy((1n << 56n) | 2n)]],
  ['events without data and topics', true, [grant(), log('Paused'), log('PolicyUpdated'), log('RoleRevoked')]],
])('a token is mintable by its events: %s', (_, expected, logs) => {
  expect(isMintableAfter(...logs)).toBe(expected)
})

test('a copy keeps its rights when the original changes', () => {
  const rights = new MintingRights()
  rights.apply(grant())
  const copy = rights.copy()

  rights.apply(revoke())

  expect([rights.isMintable, copy.isMintable]).toEqual([false, true])
})

test('the queries select the events of the contracts', () => {
  const changes = [grant(), revoke(), pause('Paused', 1n), pause('Unpaused', 1n), cap(0n), policy(0n)]
  const mint = {
    address: TOKEN,
    topics: [topicOf('Transfer'), `0x${'00'.repeat(32)}` as Hash, MINTER],
    data: new Uint8Array(32),
  }
  const transfer = { ...mint, topics: [topicOf('Transfer'), OTHER, MINTER] }
  const factory = toAddress('0xb20f000000000000000000000000000000000000')
  const selector = toEventSelector('B20Created(address,uint8,string,string,uint8,bytes)') as Hash
  const creation = {
    address: factory,
    topics: [selector, `0x${'00'.repeat(12)}${TOKEN.slice(2)}` as Hash, OTHER],
    data: hexToBytes('0x'),
  }

  expect(changes.every((change) => matchesLog(rightsQuery([TOKEN]), change))).toBe(true)
  expect([mint, transfer].map((each) => matchesLog(mintQuery([TOKEN]), each))).toEqual([true, false])
  expect(matchesLog(creationQuery([TOKEN]), creation)).toBe(true)
  expect(matchesLog(creationQuery([TOKEN]), { ...creation, address: TOKEN })).toBe(false)
  expect(MINT_ROLE).toBe(keccak256(stringToHex('MINT_ROLE')))
})
