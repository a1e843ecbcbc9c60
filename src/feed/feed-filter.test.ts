import { expect, test } from 'vitest'
import { startManualNode } from '../../test/support/manual-node.ts'
import { signTransfer } from '../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../chain/accounts/development-accounts.ts'
import { type Address, type Hash, toAddress, toHash } from '../primitives/hex.ts'
import type { Layer } from '../state/layer.ts'
import { isWanted, mentionsOf } from './feed-filter.ts'

const address = (byte: string) => toAddress(`0x${byte.repeat(20)}`)
const topic = (byte: string) => toHash(`0x${byte.repeat(32)}`)
const MENTIONS = { addresses: new Set([address('aa'), address('bb')]), topics: new Set([topic('01'), topic('02')]) }

test.each([
  ['nothing asked for', [], [], 'any', true],
  ['an address that is there', ['bb'], [], 'any', true],
  ['one of several addresses', ['cc', 'aa'], [], 'any', true],
  ['an address that is not there', ['cc'], [], 'any', false],
  ['an address as `all`, without topics', ['aa'], [], 'all', true],
  ['a topic that is there', [], ['02'], 'any', true],
  ['a topic that is not there', [], ['03'], 'any', false],
  ['a topic as `all`, without addresses', [], ['02'], 'all', true],
  ['any: the address alone', ['aa'], ['03'], 'any', true],
  ['any: the topic alone', ['cc'], ['01'], 'any', true],
  ['any: neither', ['cc'], ['03'], 'any', false],
  ['all: both', ['aa'], ['01'], 'all', true],
  ['all: the address alone', ['aa'], ['03'], 'all', false],
  ['all: the topic alone', ['cc'], ['01'], 'all', false],
] as const)('%s', (_, addresses, topics, match, wanted) => {
  const filter = {
    addresses: new Set<Address>(addresses.map(address)),
    topics: new Set<Hash>(topics.map(topic)),
    match,
  }
  expect(isWanted(filter, MENTIONS)).toBe(wanted)
})

test('a flashblock mentions senders and recipients of transfers and no other accounts', async () => {
  const { node, nextFlashblock } = await startManualNode()
  const layers: Layer[] = []
  node.events.on('flashblock', ({ layer }) => layers.push(layer))
  await node.submit(signTransfer({ nonce: 0n }).raw)
  await nextFlashblock()
  const { addresses, topics } = mentionsOf(layers.at(-1)!)
  for (const account of [DEVELOPMENT_ACCOUNTS[0]!, DEVELOPMENT_ACCOUNTS[9]!]) {
    expect(addresses).toContain(account.address)
  }
  expect(addresses).not.toContain(DEVELOPMENT_ACCOUNTS[5]!.address)
  expect(topics.size).toBe(0)
  await node.stop()
})
