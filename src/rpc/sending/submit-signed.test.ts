import { expect, onTestFinished, test } from 'vitest'
import { constantSidecar, INFINITY, signBlobTransfer } from '../../../test/support/blob-transactions.ts'
import { layer1Genesis } from '../../../test/support/layer1-genesis.ts'
import { startRpcNode } from '../../../test/support/rpc-node.ts'
import { FLASHBLOCKS } from '../../node/development/mining-mode.ts'
import { bytesToHex } from '../../primitives/hex.ts'

test('with --compat anvil, the blobs of one sender that wait for verification are limited', async () => {
  let goOn = () => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const node = await startRpcNode(
    { development: true, compat: 'anvil' },
    { genesis: layer1Genesis(), sequencing: false, development: { mining: FLASHBLOCKS }, yieldTurn: () => held },
  )
  onTestFinished(() => node.stop())
  // Without a valid commitment, the verification of each ends at its first blob.
  const sidecar = { ...constantSidecar(new Array<bigint>(6).fill(5n)), commitments: new Array(6).fill(INFINITY) }
  const answering = Array.from({ length: 12 }, (_, nonce) =>
    node.request('eth_sendRawTransaction', bytesToHex(signBlobTransfer({ nonce: BigInt(nonce), sidecar }).sent)),
  )

  const first = await Promise.race(answering)
  goOn()

  expect(first.error?.message).toContain('too many blobs')
  await Promise.all(answering)
})
