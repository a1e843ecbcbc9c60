import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, parseAbi } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../src/chain/accounts/development-accounts.ts'
import { DEMO_STOCKS } from '../src/chain/predeploys/demo-stocks.ts'
import { bytesToHex, hexToBytes, toAddress } from '../src/primitives/hex.ts'
import { EventReader } from './support/event-reader.ts'
import { jsonRpcClient } from './support/json-rpc-client.ts'
import { hasNatsServer, startNatsServer } from './support/nats.ts'
import { type NodeProcess, spawnNode, until } from './support/node-processes.ts'
import { signTransfer } from './support/transfers.ts'

const STOCK = DEMO_STOCKS[0]!
const OWNER = DEVELOPMENT_ACCOUNTS[0]!.address as `0x${string}`
const ABI = parseAbi(['function mint(address, uint256)'])
const ONE = 10n ** 18n
const QUIET = ['--log-level', 'silent']
const PATH = '/v1/tokenized-stocks'

// biome-ignore lint/suspicious/noExplicitAny: the data of an event.
type Change = any

/** Follows the events as an `EventSource` does, at the node that it is told to use. */
class Subscriber {
  readonly changes: Change[] = []
  lastEventId = ''
  #url: string
  #reader: EventReader | undefined
  #isClosed = false

  constructor(url: string) {
    this.#url = url
    void this.#follow()
  }

  moveTo(url: string): void {
    this.#url = url
    this.#reader?.close()
  }

  close(): void {
    this.#isClosed = true
    this.#reader?.close()
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      try {
        const reader = await EventReader.open(`${this.#url}${PATH}/events`, this.lastEventId)
        if (reader.status === 410) throw new Error('a position was lost')
        this.#reader = reader
        for (let count = 0; ; count++) {
          await reader.until(({ changes }) => changes.length > count)
          this.changes.push(reader.changes[count])
          this.lastEventId = reader.changes[count].id
        }
      } catch {
        await new Promise(setImmediate)
      }
    }
  }
}

async function mint(rpc: string, count: number): Promise<void> {
  const client = jsonRpcClient(rpc)
  for (let sent = 0; sent < count; sent++) {
    const nonce = BigInt(await client.result<string>('eth_getTransactionCount', OWNER, 'pending'))
    const data = hexToBytes(encodeFunctionData({ abi: ABI, functionName: 'mint', args: [OWNER, ONE] }))
    const { raw } = signTransfer({ nonce, to: toAddress(STOCK.address), value: 0n, data, gasLimit: 300_000n })
    await client.result('eth_sendRawTransactionSync', bytesToHex(raw))
  }
}

async function goBack(rpc: string, depth: number): Promise<void> {
  const client = jsonRpcClient(rpc)
  const height = () => client.result<string>('eth_blockNumber').then(Number)
  const begin = await height()
  await mint(rpc, 1)
  await until(async () => (await height()) >= begin + depth / 2)
  await mint(rpc, 2)
  await until(async () => (await height()) >= begin + depth)
  await client.result('debug_setHead', `0x${((await height()) - depth).toString(16)}`)
}

/** Changes that hold: a removed one takes back the newest one before it, and nothing comes twice. */
function standing(changes: readonly Change[]): readonly Change[] {
  const found: Change[] = []
  for (const { removed, id, ...change } of changes) {
    if (!removed) found.push(change)
    else expect(change, id).toEqual(found.pop())
  }
  return found
}

async function supplyAt(rpc: string): Promise<number> {
  const response = await fetch(`${rpc}${PATH}/total-supply/${STOCK.address}?block=pending`)
  return (await response.json()) as number
}

test.skipIf(!hasNatsServer)(
  'a subscriber receives each change once through kill -9, restart, failover and debug_setHead, and ids are equal on all nodes',
  { timeout: 180_000 },
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'stock-events-'))
    const nats = await startNatsServer()
    const nodes: NodeProcess[] = []
    onTestFinished(async () => {
      await Promise.all(nodes.map((node) => node.stop()))
      await nats.close()
      await rm(directory, { recursive: true, force: true })
    })
    const start = async (name: string, ...more: string[]) => {
      const flags = ['--datadir', join(directory, name), '--nats', nats.url, '--allow-old-nats', ...QUIET]
      const fast = ['--block-time', '1000']
      const node = await spawnNode([...flags, ...fast, '--failover', '--node-name', name, ...more])
      nodes.push(node)
      return node
    }
    let one = await start('one')
    await mint(one.rpc, 1)
    const subscriber = new Subscriber(one.rpc)
    onTestFinished(() => subscriber.close())
    await mint(one.rpc, 2)
    await until(() => subscriber.changes.length >= 2)
    // The same node starts again: after a kill, and after a shutdown.
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      one.child.kill(signal)
      await one.exited
      one = await start('one')
      subscriber.moveTo(one.rpc)
      await mint(one.rpc, 1)
    }
    const two = await start('two', '--rpc-workers', '2')
    await goBack(one.rpc, 20)
    await mint(one.rpc, 1)

    one.child.kill('SIGKILL')
    subscriber.moveTo(two.rpc)
    await until(async () => (await fetch(`${two.rpc}/ready`)).ok)
    await mint(two.rpc, 2)
    const again = await start('one')
    await goBack(two.rpc, 4)
    await mint(two.rpc, 3)
    const replica = await spawnNode(
      ['--datadir', join(directory, 'replica'), '--from', nats.url, ...QUIET],
      undefined,
      'replica',
    )
    nodes.push(replica)

    const expected = await supplyAt(two.rpc)
    await until(() => subscriber.changes.at(-1)?.total_supply === expected && !subscriber.changes.at(-1).removed)
    const { changes } = subscriber
    expect(new Set(changes.map(({ id }) => id)).size).toBe(changes.length)
    expect(changes.filter(({ removed }) => removed).length).toBeGreaterThanOrEqual(6)
    const supplies = standing(changes).map(({ total_supply }) => total_supply)
    expect(supplies).toEqual(supplies.map((_, index) => supplies[0] + index))
    for (const { rpc } of [again, two, replica]) {
      const reader = await EventReader.open(`${rpc}${PATH}/events`, changes[0].id)
      await reader.until((found) => found.changes.length >= changes.length - 1)
      reader.close()
      expect(reader.changes).toEqual(changes.slice(1))
    }
  },
)
