import { beforeEach, expect, test } from 'vitest'
import { initCode, word } from '../../../test/support/contracts.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { bytesToHex } from '../../primitives/hex.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const CALLER = `0x${'ca'.repeat(20)}`
const CALLEE = `0x${'cb'.repeat(20)}`
const COINBASE = '0x4200000000000000000000000000000000000011'

interface Created {
  readonly accessList: { readonly address: string; readonly storageKeys: readonly string[] }[]
  readonly gasUsed: string
  readonly error?: string
}

async function created(call: object, code: Record<string, string> = {}): Promise<Created> {
  const overrides = Object.fromEntries(Object.entries(code).map(([account, text]) => [account, { code: text }]))
  return (await node.result('eth_createAccessList', call, 'latest', overrides)) as unknown as Created
}

/** BALANCE of an address; the result is dropped. */
const look = (address: string) => `73${address.slice(2)}3150`
/** SLOAD, of a slot below 256. */
const load = (slot: number) => `60${slot.toString(16).padStart(2, '0')}5450`
/** STATICCALL with all gas. */
const call = (address: string) => `5f5f5f5f73${address.slice(2)}5afa50`

test('returns an empty list for a plain transfer', async () => {
  expect(await created({ from: SENDER, to: CALLEE, value: '0x1' })).toEqual({ accessList: [], gasUsed: '0x5208' })
})

test('lists accessed accounts and slots in order, and of warm accounts only slots', async () => {
  const code = {
    [CALLER]:
      `0x${load(2)}${load(1)}${call(CALLEE)}${look(SENDER)}${look(COINBASE)}${look(`0x${'00'.repeat(19)}04`)}` +
      `${look(CALLER)}${look(`0x${'dd'.repeat(20)}`)}`,
    [CALLEE]: `0x${load(7)}`,
  }
  const { accessList, gasUsed } = await created({ from: SENDER, to: CALLER }, code)
  expect(accessList).toEqual([
    { address: CALLER, storageKeys: [word(1), word(2)] },
    { address: CALLEE, storageKeys: [word(7)] },
    { address: `0x${'dd'.repeat(20)}`, storageKeys: [] },
  ])
  // With the list, no access is cold: the same call uses the reported gas and yields the same list.
  const again = await created({ from: SENDER, to: CALLER, accessList }, code)
  expect(again).toEqual({ accessList, gasUsed })
})

test('includes accesses of a failed frame, and reports the failure of the call', async () => {
  const inner = { [CALLER]: `0x${call(CALLEE)}`, [CALLEE]: `0x${load(3)}5f5ffd` }
  expect((await created({ to: CALLER }, inner)).accessList).toEqual([{ address: CALLEE, storageKeys: [word(3)] }])
  const outer = await created({ to: CALLEE }, inner)
  expect(outer).toMatchObject({
    accessList: [{ address: CALLEE, storageKeys: [word(3)] }],
    error: 'execution reverted',
  })
  expect(await created({ to: CALLEE }, { [CALLEE]: '0xfe' })).toMatchObject({ error: 'invalid opcode: INVALID' })
})

test('repeats the call with its list until nothing is added', async () => {
  // Reads slot 1 and, if less gas is left than after a cold load, slot 2. A list with slot 1 costs 4300 gas in advance.
  const bound = (100_000 - 21_000 - 3_000).toString(16).padStart(6, '0')
  const code = `0x${load(1)}62${bound}5a10600e57005b${load(2)}00`
  const { accessList } = await created({ to: CALLER, gas: '0x186a0' }, { [CALLER]: code })
  expect(accessList).toEqual([{ address: CALLER, storageKeys: [word(1), word(2)] }])
})

test('lists slots of a contract created by the call', async () => {
  const { accessList } = await created({ from: SENDER, input: `0x${load(9)}${bytesToHex(initCode('00')).slice(2)}` })
  expect(accessList).toMatchObject([{ storageKeys: [word(9)] }])
})

test('rejects a request that cannot be executed', async () => {
  const { error } = await node.request('eth_createAccessList', { to: CALLER, gas: '0x5207' }, 'latest')
  expect(error).toMatchObject({ code: -32000, message: expect.stringContaining('intrinsic gas too low') })
  const poor = await node.request(
    'eth_createAccessList',
    { from: CALLEE, to: CALLER, gasPrice: '0xffffffff' },
    'latest',
  )
  expect(poor.error).toMatchObject({ code: -32000, message: expect.stringContaining('insufficient funds') })
})
