import fc from 'fast-check'

/** Options of `anvil_reset`. */
export const resets = fc.record({
  forking: fc.option(fc.dictionary(fc.string(), fc.string()), { nil: undefined }),
})

/** Transactions of `anvil_reorg`, signed ones and requests. */
export function reorganizations<Request>(request: fc.Arbitrary<Request>) {
  const transaction = fc.oneof(fc.record({ raw: fc.uint8Array({ maxLength: 40 }) }), fc.record({ request }))
  return fc.array(fc.record({ transaction, block: fc.maxSafeNat() }), { maxLength: 3 })
}

/** Durations of `evm_setIntervalMining`. */
export const durationRanges = fc.tuple(fc.nat(), fc.nat()).map(([min, more]) => ({ min, max: min + more }))

export const fixedDurations = fc.nat().map((value) => ({ min: value, max: value }))
