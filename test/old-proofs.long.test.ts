import { expect, test } from 'vitest'
import { createAddress } from '../src/chain/transaction/contract-address.ts'
import { initCode } from './support/contracts.ts'
import { startRpcNode } from './support/rpc-node.ts'
import { signTransfer } from './support/transfers.ts'

/** Sends 1 wei to 20 new accounts: NUMBER * 32 + i + 0x1000000 for each i from 20 down to 1. */
const SPREAD = '60145b5f5f5f5f60014360051b860163010000000' + '15af15060019003806002575f00'

test('a proof one hour and 36,000 changed accounts old equals the one that was served then, within seconds', async () => {
  const node = await startRpcNode()
  const { from, raw } = signTransfer({
    nonce: 0n,
    to: null,
    value: 10n ** 18n,
    data: initCode(SPREAD),
    gasLimit: 300_000n,
  })
  expect(await node.node.submit(raw)).toMatchObject({ kind: 'accepted' })
  await node.nextBlock()
  const to = createAddress(from, 0n)
  const prove = (block: string) => node.result('eth_getProof', to, ['0x0'], block)
  const before = await prove('latest')
  for (let block = 0; block < 1_799; block++) {
    const sent = signTransfer({ nonce: BigInt(block + 1), to, value: 0n, gasLimit: 2_000_000n })
    expect(await node.node.submit(sent.raw)).toMatchObject({ kind: 'accepted' })
    await node.nextBlock()
  }
  await node.node.idle()
  expect(
    Number(await node.result('eth_getBalance', `0x${(1_000 * 32 + 7 + 0x1000000).toString(16).padStart(40, '0')}`)),
  ).toBe(1)

  const start = performance.now()
  const after = await prove('0x1')
  const tookMs = performance.now() - start

  expect(after).toEqual(before)
  // It took 1.7 seconds on two busy cores.
  expect(tookMs).toBeLessThan(5_000)
}, 300_000)
