import { afterAll, expect, test } from 'vitest'
import { b20Address } from '../../src/chain/b20/addresses.ts'
import { createNetwork } from '../../src/chain/genesis/networks.ts'
import { DEMO_STOCK_OWNER } from '../../src/chain/predeploys/demo-stocks.ts'
import { readBlockFile } from '../../src/node/tools/block-file.ts'
import { exportChain } from '../../src/node/tools/export-chain.ts'
import { importChain } from '../../src/node/tools/import-chain.ts'
import { verifyChain } from '../../src/node/tools/verify-chain.ts'
import { LATEST } from '../../src/node/view/block-reference.ts'
import { bytesToHex, hexToBytes, toAddress, toHash } from '../../src/primitives/hex.ts'
import { ChainDirectories } from '../support/chain-directory.ts'
import { startManualNode } from '../support/manual-node.ts'
import { ALICE, assetParams, encodeCall, FACTORY, idOf } from '../support/stock-chain.ts'
import { STOCK_ROLES } from '../support/stock-deployment.ts'
import { signTransfer } from '../support/transfers.ts'

const directories = new ChainDirectories()
afterAll(() => directories.remove())

test.each(['beryl', 'cobalt'] as const)(
  'blocks of %s that create and use native tokens can be exported, imported and verified',
  async (upgrade) => {
    const network = { upgrade }
    const { genesis } = createNetwork(network)
    const directory = directories.next()
    const manual = await startManualNode({ directory, network })
    const salt = idOf('verified')
    const token = b20Address('asset', DEMO_STOCK_OWNER, toHash(salt))
    const grants = STOCK_ROLES.map((role) => encodeCall('grantRole', [role, DEMO_STOCK_OWNER]))
    const calls = [
      { to: FACTORY, data: encodeCall('createB20', [0, salt, assetParams(), grants]) },
      { to: token, data: encodeCall('mint', [ALICE, 7n]) },
      // Refused: the token exists. Its frame places nothing.
      { to: FACTORY, data: encodeCall('createB20', [0, salt, assetParams(), []]) },
    ]
    for (const [nonce, { to, data }] of calls.entries()) {
      const transaction = { nonce: BigInt(nonce), to: toAddress(to), data: hexToBytes(data), value: 0n }
      expect(await manual.node.submit(signTransfer({ ...transaction, gasLimit: 3_000_000n }).raw)).toMatchObject({
        kind: 'accepted',
      })
      await manual.nextBlock()
    }
    const view = manual.node.view()
    const outcomes = [1, 2, 3].map((number) => view.block({ kind: 'number', number })!.receipts.at(-1)!.outcome)
    expect(outcomes).toEqual(
      [{ status: 1 }, { status: 1 }, { status: 0 }].map((outcome) => expect.objectContaining(outcome)),
    )
    expect(bytesToHex(view.code(view.state(LATEST)!, token))).toBe('0xef')
    await manual.node.stop()

    expect(await verifyChain({ directory, genesis }, async () => {})).toMatchObject({ kind: 'sound', blocks: 4 })
    const file = directories.next()
    await exportChain({ directory, genesis }, file, {}, async () => {})
    const copied = { directory: directories.next(), genesis, history: 'all' } as const
    expect(await importChain(copied, readBlockFile(file), async () => {})).toMatchObject({
      kind: 'imported',
      newest: 3,
    })
  },
)
