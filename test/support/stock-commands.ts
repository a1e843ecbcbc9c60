import fc from 'fast-check'
import { expect } from 'vitest'
import { ADMIN, ALICE, BOB, CAROL, type StockChain, ZERO } from './stock-chain.ts'
import { type Command, type StockModel, WAD } from './stock-model.ts'

/** Accounts of random sequences. */
export const HOLDERS = [ADMIN, ALICE, BOB, CAROL]

export const holder = fc.constantFrom(...HOLDERS)
export const receiver = fc.oneof({ weight: 9, arbitrary: holder }, { weight: 1, arbitrary: fc.constant(ZERO) })
export const amount = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt(0n, 100n) },
  { weight: 1, arbitrary: fc.constantFrom(2n ** 128n - 1n, 2n ** 128n, 2n ** 256n - 1n) },
)
const minter = fc.oneof({ weight: 9, arbitrary: fc.constant(ADMIN) }, { weight: 1, arbitrary: holder })
const features = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 2 })
const multiplier = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt(1n, 10n * WAD) },
  { weight: 1, arbitrary: fc.constantFrom(0n, 1n, 2n ** 128n - 1n, 2n ** 128n) },
)
const delay = fc.oneof({ weight: 8, arbitrary: fc.bigInt(0n, 20n) }, { weight: 1, arbitrary: fc.constant(2n ** 64n) })
export const kind = <Kind extends string>(name: Kind) => fc.constant(name)

/** A call of a stock token; sequences of them reach every check. */
export const stockCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: kind('transfer'), from: holder, to: receiver, amount }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: kind('transferFrom'), spender: holder, from: receiver, to: receiver, amount }),
  },
  { weight: 4, arbitrary: fc.record({ kind: kind('approve'), from: holder, spender: receiver, amount }) },
  { weight: 6, arbitrary: fc.record({ kind: kind('mint'), from: minter, to: receiver, amount }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind('batchMint'),
      recipients: fc.array(receiver, { maxLength: 3 }),
      amounts: fc.array(amount, { maxLength: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kind('burn'), from: holder, amount }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('pause'), features }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('unpause'), features }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('updateSupplyCap'), cap: fc.bigInt(0n, 600n) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('updateMultiplier'), multiplier }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('updateUIMultiplier'), multiplier, delay }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('cancelUIMultiplierUpdate') }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('wait'), seconds: fc.bigInt(1n, 12n) }) },
)

/** Compares everything that a token shows with the model. */
export async function expectSameState(chain: StockChain, model: StockModel): Promise<void> {
  const balances = await Promise.all(HOLDERS.map((account) => chain.read('balanceOf', [account])))
  expect(balances).toEqual(HOLDERS.map((account) => model.balance(account)))
  expect(balances.reduce<bigint>((sum, balance) => sum + (balance as bigint), 0n)).toBe(model.supply)
  expect({
    totalSupply: await chain.read('totalSupply'),
    supplyCap: await chain.read('supplyCap'),
    pausedFeatures: await chain.read('pausedFeatures'),
    multiplier: await chain.read('multiplier'),
    newUIMultiplier: await chain.read('newUIMultiplier'),
    effectiveAt: await chain.read('effectiveAt'),
    totalSupplyUI: await chain.read('totalSupplyUI'),
  }).toEqual({
    totalSupply: model.supply,
    supplyCap: model.cap,
    pausedFeatures: [...model.paused].sort(),
    multiplier: model.multiplier,
    newUIMultiplier: model.newMultiplier,
    effectiveAt: model.effectiveAt,
    totalSupplyUI: (model.supply * model.multiplier) / WAD,
  })
}
