import { concat, type Hex, keccak256, numberToHex, pad, stringToHex, toHex } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ADMIN, ALICE, BOB, idOf, START, type StockChain, startStockChain } from '../support/stock-chain.ts'

// The storage layout of the B20 asset standard.
const TOKEN = 0xc78b71fee795ddd74aff64ea9b2474194c938c3196430e10bb5f01ed48434000n
const ASSET = 0xfdc6d4552d1286ade4d9facdbf0fb50d2ec9b89a90e104f26fd277585e374b00n
const BLOCKED = (1n << 56n) | 1n

let chain: StockChain
beforeEach(async () => {
  chain = await startStockChain()
})
afterEach(() => chain.close())

function entry(key: Hex, slot: bigint): bigint {
  return BigInt(keccak256(concat([pad(key), numberToHex(slot, { size: 32 })])))
}

function textEntry(key: string, slot: bigint): bigint {
  return BigInt(keccak256(concat([stringToHex(key), numberToHex(slot, { size: 32 })])))
}

/** A short string in its slot: left-aligned, twice its length in the lowest byte. */
function shortText(text: string): bigint {
  return BigInt(pad(stringToHex(text), { dir: 'right' })) | BigInt(2 * text.length)
}

/** ERC-7201. */
function rootOf(namespace: string): bigint {
  const inner = BigInt(keccak256(stringToHex(namespace))) - 1n
  return BigInt(keccak256(numberToHex(inner, { size: 32 }))) & ~0xffn
}

test('the storage roots are those of ERC-7201', () => {
  expect(toHex(rootOf('base.b20'))).toBe(toHex(TOKEN))
  expect(toHex(rootOf('base.b20.asset'))).toBe(toHex(ASSET))
})

test("the token's variables are at the locations of the standard", async () => {
  await chain.send(ADMIN, 'updateContractURI', ['uri:x'])
  await chain.send(ADMIN, 'updateSupplyCap', [1_000n])
  await chain.send(ADMIN, 'mint', [ALICE, 70n])
  await chain.send(ALICE, 'approve', [BOB, 9n])
  await chain.send(ADMIN, 'setRoleAdmin', [idOf('MINT_ROLE'), idOf('BURN_ROLE')])
  await chain.send(ADMIN, 'pause', [[1, 3]])
  for (const scope of ['TRANSFER_RECEIVER', 'MINT_RECEIVER', 'SEIZE_RECEIVER']) {
    await chain.send(ADMIN, 'updatePolicy', [idOf(`${scope}_POLICY`), BLOCKED])
  }
  const at = (offset: bigint) => chain.storageAt(TOKEN + offset)
  expect([at(0n), at(1n), at(2n)]).toEqual(['Test Stock', 'TESTd', 'uri:x'].map(shortText))
  expect(at(3n)).toBe(70n)
  expect(chain.storageAt(entry(ALICE, TOKEN + 4n))).toBe(70n)
  expect(chain.storageAt(entry(BOB, entry(ALICE, TOKEN + 5n)))).toBe(9n)
  expect(chain.storageAt(entry(ADMIN, entry(idOf('MINT_ROLE'), TOKEN + 6n)))).toBe(1n)
  expect(chain.storageAt(entry(idOf('MINT_ROLE'), TOKEN + 7n))).toBe(BigInt(idOf('BURN_ROLE')))
  expect(at(8n)).toBe(1n)
  expect(at(9n)).toBe(BLOCKED << 64n)
  expect(at(10n)).toBe(BLOCKED)
  expect(at(11n)).toBe(0b1010n)
  expect(at(12n)).toBe(1_000n)
  expect(at(14n)).toBe(BLOCKED << 64n)
  expect(at(15n)).toBe(1n)
})

test('the additional variables of an asset are at the locations of the standard', async () => {
  await chain.send(ADMIN, 'updateMultiplier', [5n])
  await chain.send(ADMIN, 'updateUIMultiplier', [7n, START + 9n])
  await chain.send(ADMIN, 'announce', [[], 'one', '', ''])
  await chain.send(ADMIN, 'updateExtraMetadata', ['isin', 'ZZ0000HLCYN8'])
  expect(chain.storageAt(ASSET)).toBe(18n)
  expect(chain.storageAt(ASSET + 1n)).toBe(5n)
  expect(chain.storageAt(textEntry('one', ASSET + 2n))).toBe(1n)
  expect(chain.storageAt(textEntry('isin', ASSET + 3n))).toBe(shortText('ZZ0000HLCYN8'))
  expect(chain.storageAt(ASSET + 4n)).toBe(((START + 9n) << 128n) | 7n)
})
