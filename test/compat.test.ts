import { mnemonicToAccount } from 'viem/accounts'
import { expect, onTestFinished, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../src/chain/accounts/development-accounts.ts'
import { createNode, type TickertapeNode } from '../src/library/create-node.ts'
import type { NodeOptions } from '../src/library/node-options.ts'

const [sender = '', other = ''] = DEVELOPMENT_ACCOUNTS.map(({ address }): string => address)
const CONTRACT = `0x${'00'.repeat(19)}bb`
/** Returns its caller. */
const RETURNS_CALLER = '0x335f5260205ff3'
/** Reverts unless the first account calls. */
const GUARDED = `0x3373${sender.slice(2)}14601d575f5ffd5b00`

async function start(options: NodeOptions): Promise<TickertapeNode['request']> {
  const node = await createNode(options)
  onTestFinished(() => node.close())
  return node.request.bind(node)
}

test.each([
  [undefined, `0x${'0'.repeat(64)}`],
  ['anvil', `0x${'0'.repeat(64)}`],
  ['hardhat', `0x${sender.slice(2).padStart(64, '0')}`],
] as const)('with --compat %s, the sender of a call without one is %s', async (compat, caller) => {
  const request = await start({ ...(compat && { compat }), mining: 'auto' })
  await request({ method: 'anvil_setCode', params: [CONTRACT, RETURNS_CALLER] })

  expect(await request({ method: 'eth_call', params: [{ to: CONTRACT }, 'latest'] })).toBe(caller)
  const tracer = { tracer: 'callTracer' }
  const traced = await request({ method: 'debug_traceCall', params: [{ to: CONTRACT }, 'latest', tracer] })
  expect(traced).toMatchObject({ output: caller })
})

test('with --compat hardhat, an estimate without a sender is that of the first account', async () => {
  const request = await start({ compat: 'hardhat', mining: 'auto' })
  await request({ method: 'anvil_setCode', params: [CONTRACT, GUARDED] })

  expect(await request({ method: 'eth_estimateGas', params: [{ to: CONTRACT }] })).toMatch(/^0x/)
})

test.each([
  ['anvil', 1n],
  ['hardhat', 200_000_000n],
] as const)('with --compat %s, a gas price that is %s wei higher replaces a transaction', async (compat, bump) => {
  const request = await start({ compat, mining: 'manual' })
  const price = 2_000_000_000n
  const send = (gasPrice: bigint) =>
    request({
      method: 'eth_sendTransaction',
      params: [{ from: sender, to: other, nonce: '0x0', gasPrice: `0x${gasPrice.toString(16)}`, value: '0x1' }],
    })
  await send(price)

  await expect(send(price + bump - 1n)).rejects.toThrow(compat === 'hardhat' ? 'with nonce 0.' : 'already imported')

  expect(await send(price + bump)).toMatch(/^0x/)
})

test.each([[{ compat: 'anvil' }], [{ compat: 'hardhat' }], [{}]] as const)(
  'with blocks on demand and %o, a transaction without a chain id is included',
  async (options) => {
    const request = await start({ ...options, mining: 'auto' })
    const account = mnemonicToAccount('test test test test test test test test test test test junk')
    const gasPrice = 10n ** 11n
    const raw = await account.signTransaction({ type: 'legacy', nonce: 0, gas: 21_000n, gasPrice, to: account.address })

    const hash = await request({ method: 'eth_sendRawTransaction', params: [raw] })

    expect(await request({ method: 'eth_getTransactionReceipt', params: [hash] })).toMatchObject({ status: '0x1' })
    const { chainId = null } = (await request({ method: 'eth_getTransactionByHash', params: [hash] })) as {
      chainId?: unknown
    }
    expect(chainId).toBeNull()
  },
)

test.each([
  ['anvil', 'accepted'],
  ['hardhat', 'accepted'],
  [undefined, 'refused'],
] as const)('with --compat %s, a transaction of more than 128 KiB is %s', async (compat, expected) => {
  const request = await start({ ...(compat && { compat }), mining: 'auto' })
  const transaction = { from: sender, to: other, gas: '0xe4e1c0', data: `0x${'00'.repeat(131_073)}` }

  const sent = request({ method: 'eth_sendTransaction', params: [transaction] })

  if (expected === 'accepted') expect(await sent).toMatch(/^0x/)
  else await expect(sent).rejects.toThrow('oversized data')
})
