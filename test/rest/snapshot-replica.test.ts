import { afterEach, expect, test } from 'vitest'
import { DEMO_STOCKS } from '../../src/chain/predeploys/demo-stocks.ts'
import { hexToBytes, toAddress } from '../../src/primitives/hex.ts'
import { endAll, endLater, follow, type Scene, SHORT_WINDOW, start } from '../support/replica-scene.ts'
import { caughtUp, serveStream } from '../support/replicas.ts'
import { encodeCall } from '../support/stock-chain.ts'
import { stockLists } from '../support/stock-lists.ts'
import { signTransfer } from '../support/transfers.ts'

const QLBKF = DEMO_STOCKS[2]!
/** A copy of a chain has the 256 newest blocks. */
const BLOCKS_BEFORE = 262

afterEach(endAll)

async function call(scene: Scene, nonce: bigint, functionName: string, args: readonly unknown[]): Promise<void> {
  const data = hexToBytes(encodeCall(functionName, args))
  const { raw } = signTransfer({ nonce, to: toAddress(QLBKF.address), value: 0n, data, gasLimit: 500_000n })
  expect(await scene.node.submit(raw)).toMatchObject({ kind: 'accepted' })
  await scene.nextBlock()
}

test('a replica that began with a snapshot answers as its node from that block on, and with 404 and the first block below it', async () => {
  const scene = await start(SHORT_WINDOW)
  await call(scene, 0n, 'pause', [[1]])
  for (let count = 0; count < BLOCKS_BEFORE; count++) await scene.nextBlock()
  await scene.node.idle()
  const replica = await follow(scene.stream.url, { replayBlocks: 1 })
  await caughtUp(replica, scene.node)
  expect(replica.following).toMatchObject({ snapshots: 1 })
  await call(scene, 1n, 'unpause', [[1]])
  await call(scene, 2n, 'updateUIMultiplier', [3n * 10n ** 18n, 4_000_000_000n])
  await caughtUp(replica, scene.node)
  const { state, block } = replica.view().oldest()
  expect(Math.min(state, block)).toBeGreaterThan(1)

  const [given, wanted] = [stockLists(replica), stockLists(scene.node)]
  for (const path of [
    ...[
      '',
      '?exact=true',
      `?block=${state}`,
      `/total-supply/${QLBKF.address}`,
      '/QLBKFd',
      `/${QLBKF.isin}?block=${state}`,
    ],
    ...['/QLBKFd/holders', '/QLBKFd/supply-proof', `/QLBKFd/corporate-actions?from=${block}`],
    ...['supply', 'multiplier', 'price'].map((field) => `/QLBKFd/history?field=${field}&from=${state}`),
  ]) {
    const response = await wanted.response(path)
    expect([path, response.status]).toEqual([path, 200])
    expect([path, await given.response(path)]).toEqual([path, response])
  }
  for (const [path, first] of [
    ['/QLBKFd?block=1', state],
    [`/total-supply/${QLBKF.address}?block=1`, state],
    ['/QLBKFd/history?from=1', state],
    ['/QLBKFd/corporate-actions', block],
  ] as const) {
    const { status, body } = await given.response(path)
    expect([path, status, JSON.parse(body)]).toMatchObject([path, 404, { code: 5 }])
    expect(body).toMatch(new RegExp(`block (is )?${first}\\b`))
  }
})

test('a replica that continues with a snapshot lists the stocks of its node, also when it has cached listing dates', async () => {
  const scene = await start(SHORT_WINDOW)
  const replica = await follow(scene.stream.url, { replayBlocks: 1 })
  const [given, wanted] = [stockLists(replica), stockLists(scene.node)]
  await call(scene, 0n, 'pause', [[1]])
  await caughtUp(replica, scene.node)
  expect(await given.list()).toHaveLength(DEMO_STOCKS.length)
  await scene.stream.close()
  for (let count = 0; count < BLOCKS_BEFORE; count++) await scene.nextBlock()
  await scene.node.idle()

  const stream = await serveStream(scene.node, { port: scene.stream.port })
  endLater(() => stream.close())
  await caughtUp(replica, scene.node)

  expect(replica.following).toMatchObject({ snapshots: 1 })
  expect(replica.view().oldest().block).toBeGreaterThan(1)
  expect(await given.response('')).toEqual(await wanted.response(''))
})
