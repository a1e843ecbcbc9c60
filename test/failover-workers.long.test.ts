import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bytesToHex } from '../src/primitives/hex.ts'
import { jsonRpcClient, type WireBlock } from './support/json-rpc-client.ts'
import { hasNatsServer, startNatsServer } from './support/nats.ts'
import { childrenOf, type NodeProcess, spawnNode, until } from './support/node-processes.ts'
import { RpcSocket } from './support/rpc-socket.ts'
import { signTransfer } from './support/transfers.ts'

interface Ready {
  readonly ready: boolean
  readonly worker: { readonly number: number }
  readonly failover: { readonly role: string; readonly leader: string | null }
}

async function readiness({ rpc }: NodeProcess): Promise<Ready> {
  return (await (await fetch(`${rpc}/ready`)).json()) as Ready
}

test.skipIf(!hasNatsServer)(
  'RPC workers follow a node that takes over or stands down, and lose nothing',
  { timeout: 90_000 },
  async () => {
    const nats = await startNatsServer()
    const directory = mkdtempSync(join(tmpdir(), 'tickertape-failover-workers-'))
    const running = new Set<NodeProcess>()
    onTestFinished(async () => {
      for (const { child } of running) child.kill('SIGCONT')
      await Promise.all([...running].map((node) => node.stop()))
      await nats.close()
      rmSync(directory, { recursive: true, force: true })
    })
    const startCandidate = async (name: string) => {
      const flags = [
        '--nats',
        nats.url,
        '--failover',
        '--node-name',
        name,
        '--log-level',
        'error',
        '--rpc-workers',
        '2',
      ]
      const node = await spawnNode(['--datadir', join(directory, name), ...flags])
      running.add(node)
      return node
    }
    const leads = (node: NodeProcess, name: string) => async () => {
      const { ready, failover } = await readiness(node)
      return ready && failover.leader === name
    }
    const one = await startCandidate('one')
    await until(leads(one, 'one'))
    const two = await startCandidate('two')
    await until(leads(two, 'one'))
    const followers = childrenOf(two.child.pid!)
    expect(followers).toHaveLength(2)
    const socket = await RpcSocket.connect(two.ws)
    const heads = await socket.subscribe('newHeads')
    const sent: string[] = []
    let nonce = 0n
    const send = async (node: NodeProcess) => {
      const { raw, hash } = signTransfer({ nonce: nonce++ })
      const receipt = await jsonRpcClient(node.rpc).result('eth_sendRawTransactionSync', bytesToHex(raw))
      expect(receipt).toMatchObject({ transactionHash: hash, status: '0x1' })
      sent.push(hash)
    }
    /** Resolves when the node has every receipt that any client received. */
    const findsAll = async (node: NodeProcess) => {
      const request = jsonRpcClient(node.rpc)
      for (const hash of sent)
        await until(async () => (await request.result('eth_getTransactionReceipt', hash)) !== null)
    }
    await send(two)
    await send(one)
    await findsAll(two)

    one.child.kill('SIGKILL')
    running.delete(one)
    await until(leads(two, 'two'))
    expect((await readiness(two)).failover.role).toBe('leader')
    await send(two)
    await findsAll(two)
    // The socket stays open: it receives consecutive blocks of both leaders.
    const first = await socket.first<WireBlock>(heads, () => true)
    let last = first
    for (let count = 0; count < 3; count++) {
      const { number } = last
      const next = await socket.first<WireBlock>(heads, (block) => Number(block.number) === Number(number) + 1)
      expect(next.parentHash).toBe(last.hash)
      last = next
    }
    expect(childrenOf(two.child.pid!)).toEqual(followers)

    const back = await startCandidate('one')
    await until(leads(back, 'two'))
    await findsAll(back)
    two.child.kill('SIGSTOP')
    await until(leads(back, 'one'))
    await send(back)
    two.child.kill('SIGCONT')
    await until(leads(two, 'one'))
    await findsAll(two)
    await send(two)
    expect(childrenOf(two.child.pid!)).toEqual(followers)
    await socket.close()
  },
)
