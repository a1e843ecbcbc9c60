import { expect, onTestFinished, test } from 'vitest'
import { bytesToHex } from '../src/primitives/hex.ts'
import { jsonRpcClient } from './support/json-rpc-client.ts'
import { spawnNode } from './support/node-processes.ts'
import { pinWorker } from './support/pinned-worker.ts'
import { signTransfer } from './support/transfers.ts'

test.each([
  ['--latest-state preconfirmed', ['--latest-state', 'preconfirmed'], '/'],
  ['?latest=preconfirmed', [], '/?latest=preconfirmed'],
])(
  'with %s, a receipt comes at the first look and its nonce is at latest, at any worker',
  async (_, flags, path) => {
    const node = await spawnNode(['--ephemeral', '--log-level', 'silent', '--rpc-workers', '2', ...flags])
    const workers = await Promise.all([1, 2].map((number) => pinWorker(node.rpc, number)))
    onTestFinished(async () => {
      for (const worker of workers) await worker.close()
      await node.stop()
    })
    const clients = workers.map(({ rpc }) => jsonRpcClient(`${rpc}${path}`))

    for (let round = 0; round < 4; round++) {
      const [here, there] = round % 2 === 0 ? clients : clients.toReversed()
      const { raw, hash, from, nonce } = signTransfer({ nonce: BigInt(round) })
      await here!.result('eth_sendRawTransaction', bytesToHex(raw))

      const receipt = await here!.result<object | null>('eth_getTransactionReceipt', hash)
      const count = await there!.result<string>('eth_getTransactionCount', from, 'latest')

      expect(receipt).toMatchObject({ transactionHash: hash })
      expect(BigInt(count)).toBe(nonce + 1n)
    }
  },
  60_000,
)
