import { domainSeparator, type Hex, parseSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { bytesToHex } from '../../src/primitives/hex.ts'
import { ADMIN, ALICE, BOB, CAROL, START, type StockChain, startStockChain, ZERO } from '../support/stock-chain.ts'

const DEADLINE = START + 60n
const TYPES = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const
const SIGNER = privateKeyToAccount(bytesToHex(DEVELOPMENT_ACCOUNTS[1]!.privateKey))

let chain: StockChain
beforeEach(async () => {
  chain = await startStockChain()
})
afterEach(() => chain.close())

function domain(name = 'Test Stock') {
  return { name, version: '1', chainId: 31_337n, verifyingContract: chain.stock }
}

interface Permit {
  readonly owner: Hex
  readonly spender: Hex
  readonly value: bigint
  readonly nonce: bigint
  readonly deadline: bigint
}

/** Arguments of `permit`, signed by ALICE for the token's domain. */
async function signed(fields: Partial<Permit> = {}, name?: string): Promise<unknown[]> {
  const message = { owner: ALICE, spender: BOB, value: 9n, nonce: 0n, deadline: DEADLINE, ...fields }
  const signature = await SIGNER.signTypedData({ domain: domain(name), types: TYPES, primaryType: 'Permit', message })
  const { r, s, v } = parseSignature(signature)
  return [message.owner, message.spender, message.value, message.deadline, Number(v), r, s]
}

test('a viem signature is valid once, for any submitter', async () => {
  const permit = await signed()
  expect((await chain.send(CAROL, 'permit', permit)).events).toEqual([['Approval', ALICE, BOB, 9n]])
  expect(await chain.read('allowance', [ALICE, BOB])).toBe(9n)
  expect(await chain.read('nonces', [ALICE])).toBe(1n)
  const [error, , owner] = await chain.refusal(CAROL, 'permit', permit)
  expect([error, owner]).toEqual(['InvalidSigner', ALICE])
  expect((await chain.send(CAROL, 'permit', await signed({ nonce: 1n, value: 3n }))).events).toEqual([
    ['Approval', ALICE, BOB, 3n],
  ])
})

describe('a permit', () => {
  test('is valid in the second of its deadline; expiry is checked before the signature', async () => {
    const permit = await signed()
    chain.moveTo(DEADLINE + 1n)
    expect(await chain.refusal(CAROL, 'permit', permit)).toEqual(['ExpiredSignature', DEADLINE])
    expect(await chain.refusal(CAROL, 'permit', [CAROL, ...permit.slice(1)])).toEqual(['ExpiredSignature', DEADLINE])
    chain.moveTo(DEADLINE)
    expect((await chain.send(CAROL, 'permit', permit)).events).toHaveLength(1)
  })

  test("rejects another account's signature", async () => {
    const permit = await signed({ owner: CAROL })
    expect(await chain.refusal(BOB, 'permit', permit)).toEqual(['InvalidSigner', ALICE, CAROL])
  })

  test('rejects a signature from which no address recovers', async () => {
    const [owner, spender, value, deadline, , r, s] = await signed()
    const damaged = [spender, value, deadline, 99, r, s]
    expect(await chain.refusal(BOB, 'permit', [owner, ...damaged])).toEqual(['InvalidSigner', ZERO, ALICE])
    expect(await chain.refusal(BOB, 'permit', [ZERO, ...damaged])).toEqual(['InvalidSigner', ZERO, ZERO])
  })

  test('rejects a signature over another amount', async () => {
    const [owner, spender, , ...rest] = await signed()
    const [error, , claimed] = await chain.refusal(BOB, 'permit', [owner, spender, 10n, ...rest])
    expect([error, claimed]).toEqual(['InvalidSigner', ALICE])
  })
})

describe('the domain', () => {
  test('is EIP-712 over name, version 1, chain and token (ERC-5267)', async () => {
    const separator = domainSeparator({ domain: domain() })
    expect(await chain.read('DOMAIN_SEPARATOR')).toBe(separator)
    expect(await chain.read('eip712Domain')).toEqual([
      '0x0f',
      'Test Stock',
      '1',
      31_337n,
      chain.stock,
      `0x${'00'.repeat(32)}`,
      [],
    ])
  })

  test('follows the name: signatures for the old name become invalid', async () => {
    const old = await signed()
    await chain.send(ADMIN, 'updateName', ['Another Name'])
    expect(await chain.read('DOMAIN_SEPARATOR')).toBe(domainSeparator({ domain: domain('Another Name') }))
    expect((await chain.refusal(BOB, 'permit', old))[0]).toBe('InvalidSigner')
    expect((await chain.send(BOB, 'permit', await signed({}, 'Another Name'))).events).toHaveLength(1)
  })
})
