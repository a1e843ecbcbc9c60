import fc from 'fast-check'

const u64 = fc.bigInt(0n, (1n << 64n) - 1n)
const word = fc.bigInt(0n, (1n << 256n) - 1n)

/** The bundles of `eth_callMany`. */
export function bundledCallLists<Call, Block>(call: fc.Arbitrary<Call>, block: fc.Arbitrary<Block>) {
  const bundle = fc.record(
    { transactions: fc.array(call, { maxLength: 2 }), blockOverride: block },
    { requiredKeys: [] },
  )
  return fc.array(bundle, { maxLength: 2 })
}

/** The state context of `eth_callMany`. */
export function stateContexts<Reference>(reference: fc.Arbitrary<Reference>) {
  return fc.record({ blockNumber: reference, transactionIndex: fc.integer({ min: -1 }) }, { requiredKeys: [] })
}

/** The parameter of `eth_callBundle`. */
export function transactionBundles<Height, Address>(height: fc.Arbitrary<Height>, address: fc.Arbitrary<Address>) {
  return fc.record(
    {
      txs: fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 2 }),
      blockNumber: height,
      stateBlockNumber: height,
      coinbase: address,
      timestamp: u64,
      gasLimit: u64,
      baseFee: word,
    },
    { requiredKeys: ['txs', 'blockNumber'] },
  )
}
