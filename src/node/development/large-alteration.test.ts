import { expect, onTestFinished, test } from 'vitest'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { caughtUp, serveStream, startReplica } from '../../../test/support/replicas.ts'
import { toAddress } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { EMPTY_ACCOUNT } from '../../state/account.ts'
import { AUTO } from './mining-mode.ts'

const LATEST = { kind: 'tag', tag: 'latest' } as const
/** Each fills a record. */
const CODES = [1, 2].map((byte) => new Uint8Array(5 * 2 ** 20).fill(byte))
const ADDRESSES = [1, 2].map((last) => toAddress(`0x${'ab'.repeat(19)}0${last}`))

test('a change of many megabytes reaches a replica in several records, with the same state root', async () => {
  const { node } = await startManualNode({ development: { mining: AUTO } })
  onTestFinished(() => node.stop())
  const stream = await serveStream(node)
  onTestFinished(() => stream.close())
  const replica = await startReplica(stream.url)
  onTestFinished(() => replica.stop())
  const codes = CODES.map((code) => [keccakHash(code), code] as const)
  const { sequence } = node.view().head

  await node.development!.state.alter(() => ({
    accounts: new Map(
      codes.map(([codeHash], index) => [
        ADDRESSES[index]!,
        { account: { ...EMPTY_ACCOUNT, codeHash }, storageCleared: false },
      ]),
    ),
    storage: new Map(),
    code: new Map(codes),
  }))
  await node.development!.mining.mine({ blocks: 1 })
  await caughtUp(replica, node)

  // One record for each code and one for the accounts; then the replaced open block, its last flashblock and seal, and
  // the next open block.
  expect(node.view().head.sequence - sequence).toBe(7)
  const [shown, expected] = [replica, node].map((each) => each.view().header(LATEST)!.stateRoot)
  expect(shown).toBe(expected)
  const state = replica.view().state(LATEST)!
  expect(ADDRESSES.map((address) => state.account(address)!.codeHash)).toEqual(codes.map(([hash]) => hash))
})
