import fc from 'fast-check'
import { COMPARISONS } from '../../src/chain/transaction/validity.ts'
import { type Address, bytesToHex, type Hash, toAddress, toSlot } from '../../src/primitives/hex.ts'

const word = fc.bigInt(0n, (1n << 256n) - 1n)
const u64 = fc.bigInt(0n, (1n << 64n) - 1n)
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(bytesToHex)
const address = bytes(20).map(toAddress)
const compared = { op: fc.constantFrom(...COMPARISONS), value: word }

/** The predicates of `base_sendRawTransactionValidity`. */
export const validityPredicates = fc.oneof(
  fc.record({ type: fc.constant('balance' as const), address, ...compared }),
  fc.record({
    type: fc.constant('storage' as const),
    address,
    slot: bytes(32).map(toSlot),
    mask: word,
    ...compared,
  }),
  fc.record({ type: fc.constantFrom('block_number' as const, 'flashblock_index' as const), ...compared }),
)

/** Its options. */
export const validityChoices = fc.record({ validity: fc.array(validityPredicates, { maxLength: 4 }) })

/** The parameter of `tickertape_deposit`. */
export const depositRequests = fc.record(
  { from: address, to: address, mint: word, value: word, gas: u64, data: fc.uint8Array({ maxLength: 40 }) },
  { requiredKeys: [] },
)

/** The parameter of `eth_newFilter`. */
export function logFilters<Height>(
  height: fc.Arbitrary<Height>,
  hash: fc.Arbitrary<Hash>,
  from: fc.Arbitrary<Address>,
) {
  return fc.record({
    fromBlock: fc.option(height, { nil: undefined }),
    toBlock: fc.option(height, { nil: undefined }),
    blockHash: fc.option(hash, { nil: undefined }),
    addresses: fc.array(from, { maxLength: 3 }),
    topics: fc.array(fc.array(hash, { maxLength: 2 }), { maxLength: 4 }),
  })
}
