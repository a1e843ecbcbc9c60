import { afterAll, beforeAll, expect, test } from 'vitest'
import { initCode } from '../../../../test/support/contracts.ts'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'
import { createAddress } from '../../../chain/transaction/contract-address.ts'
import { type Address, bytesToHex } from '../../../primitives/hex.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const RECIPIENT = `0x${'ab'.repeat(20)}` as Address
/** Sends 2 wei to the recipient, then creates an empty contract with CREATE and one with CREATE2, without value. */
const SPENDER = createAddress(SENDER, 0n)
/** Calls the spender with 5 wei, then reverts with the word 7. */
const REVERTER = createAddress(SENDER, 1n)

/** Code that calls a contract with some wei, as one digit, and drops the outcome. */
const transfer = (to: string, value: string) => `6000600060006000600${value}73${to.slice(2)}5af150`

let node: RpcNode
const hashes: string[] = []
beforeAll(async () => {
  node = await startRpcNode()
  await send(0n, null, initCode(`${transfer(RECIPIENT, '2')}600060006000f0506001600060006000f55000`))
  await send(1n, null, initCode(`${transfer(SPENDER, '5')}60075f5260205ffd`))
  await send(2n, SPENDER, new Uint8Array(0), 10n)
  await send(3n, REVERTER, new Uint8Array(0), 10n)
  await send(4n, RECIPIENT, new Uint8Array(0), 0n)
  await node.nextBlock()
})
afterAll(() => node.stop())

async function send(nonce: bigint, to: Address | null, data: Uint8Array, value = 0n): Promise<void> {
  const transaction = signTransfer({ nonce, to, value, data, gasLimit: 300_000n })
  hashes.push(transaction.hash)
  await node.result('eth_sendRawTransaction', bytesToHex(transaction.raw))
}

test('lists transfers, the own one included, and creations, also those without value', async () => {
  expect(await node.result('ots_getInternalOperations', hashes[2])).toEqual([
    { type: 0, from: SENDER, to: SPENDER, value: '0xa' },
    { type: 0, from: SPENDER, to: RECIPIENT, value: '0x2' },
    { type: 2, from: SPENDER, to: createAddress(SPENDER, 1n), value: '0x0' },
    { type: 3, from: SPENDER, to: expect.stringMatching(/^0x/), value: '0x0' },
  ])
})

test('leaves out reverted operations and calls without value', async () => {
  expect(await node.result('ots_getInternalOperations', hashes[3])).toEqual([])
  expect(await node.result('ots_getInternalOperations', hashes[4])).toEqual([])
})

test('ots_traceTransaction lists calls and creations with their depth, reverted ones too', async () => {
  const calls = (await node.result('ots_traceTransaction', hashes[3])) as unknown as Record<string, unknown>[]

  expect(calls.map(({ type, depth, to }) => [type, depth, to])).toEqual([
    ['CALL', 0, REVERTER],
    ['CALL', 1, SPENDER],
    ['CALL', 2, RECIPIENT],
    ['CREATE', 2, createAddress(SPENDER, 3n)],
    ['CREATE2', 2, expect.stringMatching(/^0x/)],
  ])
  expect(calls[0]).toEqual({
    type: 'CALL',
    depth: 0,
    from: SENDER,
    to: REVERTER,
    value: '0xa',
    input: '0x',
    output: `0x${'7'.padStart(64, '0')}`,
  })
})

test('ots_getTransactionError is the revert data of a failed transaction only', async () => {
  expect(await node.result('ots_getTransactionError', hashes[3])).toBe(`0x${'7'.padStart(64, '0')}`)
  expect(await node.result('ots_getTransactionError', hashes[2])).toBe('0x')
  expect(await node.result('ots_getTransactionError', `0x${'11'.repeat(32)}`)).toBe('0x')
})

test('ots_getContractCreator finds the creating transaction and the direct creator', async () => {
  const creator = await node.result('ots_getContractCreator', SPENDER)
  expect(creator).toEqual({ hash: hashes[0], creator: SENDER })

  // Its code is empty, so that it is no contract.
  expect(await node.result('ots_getContractCreator', createAddress(SPENDER, 1n))).toBeNull()
  expect(await node.result('ots_getContractCreator', SENDER)).toBeNull()
})

test('ots_getContractCreator passes over a creation whose caller failed later', async () => {
  const factory = createAddress(SENDER, 5n)
  const failing = createAddress(SENDER, 6n)
  // CREATE2 of a contract whose code is one STOP.
  await send(5n, null, initCode('6360015ff35f525f6004601c5ff550'))
  await send(6n, null, initCode(`${transfer(factory, '0')}5f5ffd`))
  await send(7n, failing, new Uint8Array(0))
  await send(8n, factory, new Uint8Array(0))
  await node.nextBlock()
  const [created] = (await node.result('ots_getInternalOperations', hashes[8])) as unknown as { to: string }[]

  expect(await node.result('ots_getContractCreator', created!.to)).toEqual({ hash: hashes[8], creator: factory })
})
