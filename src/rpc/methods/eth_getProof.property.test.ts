import { expect, test } from 'vitest'
import { initCode } from '../../../test/support/contracts.ts'
import { startRpcNode } from '../../../test/support/rpc-node.ts'
import { testRandom } from '../../../test/support/test-seed.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import { hexToBytes, toAddress } from '../../primitives/hex.ts'

const BLOCKS = 170
/** Stores the second word of its calldata at the slot of the first. */
const STORE = '6020355f355500'

test('the proof of each old block is the one that was served when the block was the newest', async () => {
  const random = testRandom()
  const below = (limit: number) => Math.floor(random() * limit)
  const node = await startRpcNode({ proofWindowSeconds: Number.POSITIVE_INFINITY })
  const { from } = signTransfer({ nonce: 0n })
  const store = createAddress(from, 0n)
  const word = (value: number) => value.toString(16).padStart(64, '0')
  let nonce = 0n
  const send = async (parts: Parameters<typeof signTransfer>[0]) => {
    const { raw } = signTransfer({ ...parts, nonce })
    expect(await node.node.submit(raw)).toMatchObject({ kind: 'accepted' })
    nonce += 1n
  }
  const slots = ['0x0', '0x1', '0x2', '0x3']
  const accounts = [from, store, `0x${'00'.repeat(18)}beef`, `0x${'00'.repeat(19)}01`]
  const proofs = (block: string) =>
    Promise.all(accounts.map((account) => node.result('eth_getProof', account, slots, block)))
  const served: unknown[] = [await proofs('latest')]
  await send({ nonce, to: null, value: 0n, data: initCode(STORE), gasLimit: 200_000n })
  for (let block = 1; block <= BLOCKS; block++) {
    for (let count = below(3); count > 0; count--) {
      // Zeros clear slots, so that nodes of the storage trie come and go.
      const data = hexToBytes(`0x${word(below(4))}${word(below(3))}`)
      if (below(2) === 0) await send({ nonce, to: store, value: 0n, data, gasLimit: 100_000n })
      else await send({ nonce, to: toAddress(`0x${'00'.repeat(18)}be${word(below(256)).slice(-2)}`), value: 1n })
    }
    await node.nextBlock()
    served.push(await proofs('latest'))
  }
  await node.node.idle()
  for (const block of [0, 1, 2, 41, 20, 40, 3, BLOCKS - 130, BLOCKS - 128, BLOCKS - 1]) {
    expect(await proofs(`0x${block.toString(16)}`), `block ${block}`).toEqual(served[block])
  }
})
