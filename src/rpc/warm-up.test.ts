import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../test/support/rpc-node.ts'
import { toAddress } from '../primitives/hex.ts'
import { computingRequests, walletRequests, warmUp } from './warm-up.ts'

/** WETH9. */
const CONTRACT = toAddress('0x4200000000000000000000000000000000000006')

const yieldTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
const { signal } = new AbortController()

function* allRequests(): Generator<string> {
  yield* computingRequests()
  yield* walletRequests([CONTRACT])
}

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('every warm-up request succeeds, and leaves the node unchanged', async () => {
  const before = await node.result('eth_getBlockByNumber', 'pending', true)
  const responses = new Set<string>()
  const counted = {
    async handle(text: string) {
      const response = await node.rpc.handle(text)
      expect(JSON.parse(response!)).not.toHaveProperty('error')
      responses.add(text)
      return response
    },
  }
  const now = () => performance.now()
  await warmUp(counted, { limitMs: 60_000, requests: allRequests() }, { now, yieldTurn, signal })
  expect(responses.size).toBe(12)
  expect(await node.result('eth_getBlockByNumber', 'pending', true)).toEqual(before)
})

/** An RPC whose requests take 10 ms each on a clock of its own. */
function timedRpc() {
  let requests = 0
  return {
    now: () => requests * 10,
    rpc: {
      handle() {
        requests++
        return Promise.resolve(undefined)
      },
    },
  }
}

test('ends when its requests have taken the limit, whatever else ran between them', async () => {
  const { rpc, now } = timedRpc()
  let turns = 0
  const clock = () => now() + turns * 1_000
  const otherWork = async () => {
    turns++
  }

  await warmUp(rpc, { limitMs: 100, requests: allRequests() }, { now: clock, yieldTurn: otherWork, signal })

  expect(now()).toBe(100)
})

test('lets other work run before each request', async () => {
  const { rpc, now } = timedRpc()
  const begins: number[] = []
  const otherWork = async () => {
    begins.push(now())
  }

  await warmUp(rpc, { limitMs: 40, requests: allRequests() }, { now, yieldTurn: otherWork, signal })

  expect(begins).toEqual([0, 10, 20, 30, 40])
})

test('ends before its next request when it is stopped', async () => {
  const { rpc, now } = timedRpc()
  const stopping = new AbortController()
  const stopLater = async () => {
    if (now() === 30) stopping.abort()
  }

  await warmUp(rpc, { limitMs: 100, requests: allRequests() }, { now, yieldTurn: stopLater, signal: stopping.signal })

  expect(now()).toBe(30)
})
