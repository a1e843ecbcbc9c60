import fc from 'fast-check'
import { COMPARISONS } from '../../src/chain/transaction/validity.ts'
import { type Address, bytesToHex, type Hash, toAddress, toHash, toSlot } from '../../src/primitives/hex.ts'

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

/** Predicates of transactions in the pool: also those into which conditions are turned. */
export const poolPredicates = fc.oneof(
  validityPredicates,
  fc.record({ type: fc.constant('timestamp' as const), ...compared }),
  fc.record({ type: fc.constant('storage_root' as const), address, ...compared }),
)

/** The conditions of `eth_sendRawTransactionConditional`. */
export const conditionalChoices = fc.record(
  {
    knownAccounts: fc.uniqueArray(
      fc.oneof(
        fc.record({ address, storageRoot: bytes(32).map(toHash) }),
        fc.record({
          address,
          slots: fc.uniqueArray(fc.tuple(bytes(32).map(toSlot), word), { maxLength: 3, selector: ([slot]) => slot }),
        }),
      ),
      { maxLength: 3, selector: (account) => account.address },
    ),
    blockNumberMin: word,
    blockNumberMax: word,
    timestampMin: u64,
    timestampMax: u64,
  },
  { requiredKeys: ['knownAccounts'] },
)

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
