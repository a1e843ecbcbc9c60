import { type Hex, parseTransaction, serializeTransaction, type TransactionSerializable, toRlp } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../src/chain/accounts/development-accounts.ts'
import { bytesToHex } from '../src/primitives/hex.ts'
import { word } from './support/contracts.ts'
import { signFields } from './support/raw-transactions.ts'
import { unchangedServer } from './support/unchanged-server.ts'

const [OWNER, FRIEND] = DEVELOPMENT_ACCOUNTS.map(({ address }) => address)
const ACCOUNT = privateKeyToAccount(bytesToHex(DEVELOPMENT_ACCOUNTS[0]!.privateKey))
const STRANGER = privateKeyToAccount(word(0x51) as Hex)
const BLOB_HASH: Hex = `0x01${'0'.repeat(62)}`
/** Order of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const server = unchangedServer()

const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000n }
const base = { type: 'eip1559', chainId: 31337, nonce: 3, to: FRIEND, gas: 21_000n, ...fees } as const

async function refusal(raw: string): Promise<unknown> {
  const response = await server().request('eth_sendRawTransaction', raw)
  expect(response.result).toBeUndefined()
  const sync = await server().request('eth_sendRawTransactionSync', raw)
  expect(sync.error).toEqual(response.error)
  return response.error
}

test.each([
  ['nothing', '0x'],
  ['one byte', '0x02'],
  ['no list', '0x02ff'],
  ['an empty list', '0x02c0'],
  ['a cut one', '0x02f86c'],
  ['a legacy list that is empty', '0xc0'],
  ['an endless length', '0xfbffffffff'],
  ['an unknown type', '0x7f01'],
])('undecodable: %s', async (_, raw) => {
  expect(await refusal(raw)).toMatchObject({
    code: -32000,
    message: expect.stringMatching(/^(failed to decode|transaction type)/),
  })
})

test('trailing bytes', async () => {
  const raw = await ACCOUNT.signTransaction(base)
  expect(await refusal(`${raw}00`)).toMatchObject({ code: -32000, message: expect.stringMatching(/^failed to decode/) })
})

test('an invalid signature', async () => {
  const signed = parseTransaction(await ACCOUNT.signTransaction(base))
  const bad = [
    { r: word(0) as Hex, s: signed.s!, yParity: signed.yParity! },
    { r: signed.r!, s: word(0) as Hex, yParity: signed.yParity! },
    { r: word(ORDER) as Hex, s: signed.s!, yParity: signed.yParity! },
    // The malleable twin, which EIP-2 forbids.
    { r: signed.r!, s: word(ORDER - BigInt(signed.s!)) as Hex, yParity: 1 - signed.yParity! },
  ]
  for (const signature of bad) {
    const raw = serializeTransaction(base as TransactionSerializable, signature)
    expect(await refusal(raw)).toMatchObject({ code: -32000, message: expect.stringMatching(/^invalid sender: /) })
  }
})

test('another chain id', async () => {
  expect(await refusal(await ACCOUNT.signTransaction({ ...base, chainId: 1 }))).toEqual({
    code: -32000,
    message: 'invalid sender: invalid chain id for signer: have 1 want 31337',
  })
})

test('a legacy transaction without a chain id', async () => {
  const raw = await ACCOUNT.signTransaction({
    type: 'legacy',
    nonce: 3,
    to: FRIEND,
    gas: 21_000n,
    gasPrice: 10n ** 10n,
  })
  expect(await refusal(raw)).toEqual({
    code: -32000,
    message: 'only replay-protected (EIP-155) transactions allowed over RPC',
  })
})

test('type 0x3', async () => {
  const fees: Hex[] = ['0x0f4240', '0x02540be400', '0x5208']
  const raw = await signFields('0x03', ['0x7a69', '0x03', ...fees, FRIEND!, '0x', '0x', [], '0x01', [BLOB_HASH]])
  expect(await refusal(raw)).toEqual({ code: -32000, message: 'transaction type not supported' })
})

test('type 0x7e', async () => {
  // sourceHash, from, to, mint, value, gas, isSystemTx, data
  const fields: Hex[] = [word(1) as Hex, OWNER!, FRIEND!, '0x01', '0x01', '0x5208', '0x', '0x']
  expect(await refusal(`0x7e${toRlp(fields).slice(2)}`)).toEqual({
    code: -32000,
    message: 'transaction type not supported',
  })
})

test.each<[string, Partial<TransactionSerializable>, string]>([
  ['a nonce that was used', { nonce: 0 }, 'nonce too low'],
  ['a nonce that is pre-confirmed', { nonce: 1, value: 7n }, 'nonce too low'],
  ['a nonce that waits', { nonce: 2, value: 7n }, 'replacement transaction underpriced'],
  ['more than it has', { value: 10n ** 30n }, 'insufficient funds for gas * price + value'],
  ['too little gas', { gas: 20_999n }, 'intrinsic gas too low: gas 20999, minimum needed 21000'],
  [
    'gas below the floor of its data',
    { gas: 30_000n, data: `0x${'11'.repeat(300)}` },
    'insufficient gas for floor data gas cost: gas 30000, minimum needed 33000',
  ],
  ['gas above the block', { gas: 400_000_001n }, 'exceeds block gas limit'],
  ['gas above the cap', { gas: 16_777_217n }, 'transaction gas limit too high (cap: 16777216, tx: 16777217)'],
  [
    'initcode above the limit',
    { to: null, gas: 10_000_000n, data: `0x${'00'.repeat(49_153)}` },
    'max initcode size exceeded: code size 49153, limit 49152',
  ],
  [
    'an empty list of authorizations',
    { type: 'eip7702', authorizationList: [], gas: 100_000n } as Partial<TransactionSerializable>,
    'EIP-7702 transaction with empty auth list',
  ],
])('%s', async (_, more, message) => {
  const raw = await ACCOUNT.signTransaction({ ...base, ...more } as TransactionSerializable)
  expect(await refusal(raw)).toMatchObject({ code: -32000, message })
})

test('above 128 KiB', async () => {
  const data: Hex = `0x${'00'.repeat(128 * 1024)}`
  const raw = await ACCOUNT.signTransaction({ ...base, data, gas: 16_000_000n })
  const size = (raw.length - 2) / 2
  expect(await refusal(raw)).toEqual({
    code: -32000,
    message: `oversized data: transaction size ${size}, limit 131072`,
  })
})

test('a nonce of 2^64 - 1', async () => {
  const fees: Hex[] = ['0x01', '0x02540be400', '0x5208']
  const raw = await signFields('0x02', ['0x7a69', '0xffffffffffffffff', ...fees, FRIEND!, '0x', '0x', []])
  expect(await refusal(raw)).toEqual({ code: -32000, message: 'nonce has max value' })
})

test('a tip above its fee', async () => {
  const fees: Hex[] = ['0x989681', '0x989680', '0x5208']
  const raw = await signFields('0x02', ['0x7a69', '0x03', ...fees, FRIEND!, '0x', '0x', []])
  expect(await refusal(raw)).toEqual({
    code: -32000,
    message:
      'max priority fee per gas higher than max fee per gas: maxPriorityFeePerGas: 10000001, maxFeePerGas: 10000000',
  })
})

test('a sender without funds', async () => {
  const raw = await STRANGER.signTransaction({ ...base, nonce: 0 })
  expect(await refusal(raw)).toMatchObject({ code: -32000, message: 'insufficient funds for gas * price + value' })
})
