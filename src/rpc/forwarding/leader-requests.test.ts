import { afterEach, expect, test } from 'vitest'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { endAll, endLater, follow } from '../../../test/support/replica-scene.ts'
import { asking, rpcOf, serveStream, sourceOf, streamOf } from '../../../test/support/replicas.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { AUTO, type MiningMode } from '../../node/development/mining-mode.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import type { RpcOptions } from '../context/options.ts'
import { requestOfLeader } from './leader-requests.ts'

afterEach(endAll)

const [sender, other] = DEVELOPMENT_ACCOUNTS.map(({ address }) => address)
const STRANGER = `0x${'00'.repeat(19)}aa`

/** A development node, and a replica that follows it over a real socket. */
async function startPair(
  leading: Partial<RpcOptions> = { development: true },
  mining: MiningMode = { kind: 'flashblocks' },
  compat = leading.compat,
) {
  const manual = await startManualNode({ development: { mining } })
  endLater(() => manual.node.stop())
  const records = streamOf(manual.node)
  const rpc = rpcOf(manual.node, leading)
  records.answerRequests((request) => rpc.answerFollower(request))
  const stream = await serveStream(records)
  endLater(() => stream.close())
  const replica = await follow(sourceOf(stream.url))
  const request = asking(replica, { development: true, compat })
  return {
    ...manual,
    replica,
    request: async (...call: Parameters<typeof request>) => JSON.parse(await request(...call)),
  }
}

test('a replica forwards a send to the leader and shows the transaction when it answers', async () => {
  const { request } = await startPair()

  const { result: hash } = await request('eth_sendTransaction', { from: sender, to: other, value: '0x1' })

  expect(await request('eth_getTransactionByHash', hash)).toMatchObject({ result: { from: sender, blockHash: null } })
})

test('impersonation that begins through a replica holds on the leader', async () => {
  const { request, node } = await startPair()

  expect(await request('hardhat_impersonateAccount', STRANGER)).toMatchObject({ result: true })

  expect(node.development!.accounts.isImpersonated(STRANGER as never)).toBe(true)
  expect((await request('eth_accounts')).result).toContain(STRANGER)
})

test('an error of the leader reaches the client of a replica unchanged', async () => {
  const { request } = await startPair({ development: true, compat: 'hardhat' })

  expect(await request('eth_sendTransaction', { from: STRANGER, to: other })).toMatchObject({
    error: { message: expect.stringContaining('nknown account'), data: { data: null } },
  })
})

test('with --compat, a replica lets the leader judge signed transactions by its mining mode', async () => {
  const { request } = await startPair({ development: true, compat: 'hardhat' }, AUTO)
  const send = (nonce: bigint) => request('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce }).raw))

  expect(await send(3n)).toMatchObject({ error: { message: expect.stringContaining('Nonce too high') } })
  const { result: hash } = await send(0n)
  expect(await request('eth_getTransactionReceipt', hash)).toMatchObject({ result: { status: '0x1' } })
})

test('a replica with --compat sends through a leader without it', async () => {
  const { request } = await startPair({ development: true }, AUTO, 'hardhat')

  const { result: hash } = await request('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce: 0n }).raw))

  expect(await request('eth_getTransactionReceipt', hash)).toMatchObject({ result: { status: '0x1' } })
})

test('a leader without development methods refuses those of its replicas', async () => {
  const { request } = await startPair({ development: false })

  expect(await request('anvil_impersonateAccount', STRANGER)).toMatchObject({
    error: { code: -32601, message: expect.stringContaining('--expose-dev') },
  })
})

test('a follower can forward development methods only', async () => {
  const { node } = await startPair()
  const rpc = rpcOf(node, { development: true })

  for (const method of ['debug_setHead', 'eth_call', 'eth_nothing']) {
    const reply = await rpc.answerFollower({ method, params: '["0x0"]' })
    expect(reply).toMatchObject({ kind: 'error' })
  }
  expect(await rpc.answerFollower({ method: 'eth_accounts', params: 'no JSON' })).toMatchObject({ kind: 'error' })
})

test.each([
  ['a second response', { kind: 'result', text: '1,"id":7},{"result":2' }, -32000],
  ['an error without a code', { kind: 'error', text: '{"message":"m"}' }, -32000],
  ['an error that is null', { kind: 'error', text: 'null' }, -32000],
  ['a result above the limit of a response', { kind: 'result', text: '"'.padEnd(2_000, 'x') }, -32003],
] as const)('an answer of the leader that is %s becomes an error', async (_, answer, code) => {
  const forward = async () => ({ sequence: 1, ...answer })

  const answered = requestOfLeader('evm_mine', [], forward, { maxResponseBytes: 1_024 })

  await expect(answered).rejects.toMatchObject({ code })
})
