import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  address,
  COINBASE,
  callTo,
  deposit,
  ENV,
  executed,
  NO_CHECKS,
  openSession,
  VAULT,
} from '../../../test/support/engine-fixture.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import { bigintToWord, MAX_UINT256 } from '../../primitives/quantity.ts'
import { creditDiff } from '../block/block-credits.ts'
import type { Session } from '../types.ts'

const ALICE = address(0xa1)
const BOB = address(0xb0)
/** Calls an address with value, both from calldata, and returns whether that succeeded. */
const FORWARDER = address(0xf0)
/** Creates an account with a value from calldata, and returns its address or zero. */
const CREATOR = address(0xc0)
/** Destroys itself in favour of an address from calldata. */
const DESTROYER = address(0xd5)
const CODE = {
  [FORWARDER]: '0x5f5f5f5f6020355f355af15f5260205ff3',
  [CREATOR]: '0x5f5f5f35f05f5260205ff3',
  [DESTROYER]: '0x5f35ff',
}
const STEPS = 12
/** The addresses at which `CREATOR` creates, one for each step at most. */
const CREATED = Array.from({ length: STEPS }, (_, index) => createAddress(CREATOR, BigInt(index + 1)))
const ACCOUNTS = [ALICE, BOB, FORWARDER, CREATOR, DESTROYER, COINBASE, VAULT, ...CREATED] as const
const FEES = { maxFeePerGas: 100n, maxPriorityFeePerGas: 7n, gasLimit: 100_000n }

const account = fc.constantFrom(...ACCOUNTS)
/**
 * A transaction uses a nonce of its sender, which the model does not know: one of an account in `CREATED` would prevent
 * its creation (EIP-684), and one of `CREATOR` would move its next creation to another address.
 */
const sender = fc.constantFrom(...ACCOUNTS.filter((one) => one !== CREATOR && !CREATED.includes(one)))
const wei = fc.oneof(
  fc.bigInt(0n, 5n),
  fc.bigInt(MAX_UINT256 - 5n, MAX_UINT256),
  fc.bigInt(MAX_UINT256 / 2n - 2n, MAX_UINT256 / 2n + 2n),
  fc.constant(10n ** 18n),
)
const step = fc.record({
  kind: fc.constantFrom('transfer', 'inner call', 'creation', 'self-destruct', 'fees', 'deposit'),
  from: sender,
  to: account,
  wei,
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Balances with the rules of revm: a transfer that overflows fails, any other credit saturates. */
class Model {
  readonly balances: Map<Address, bigint>
  #created = 0

  constructor(balances: ReadonlyMap<Address, bigint>) {
    this.balances = new Map(balances)
  }

  of(address: Address): bigint {
    return this.balances.get(address) ?? 0n
  }

  credit(address: Address, wei: bigint): void {
    const sum = this.of(address) + wei
    this.balances.set(address, sum > MAX_UINT256 ? MAX_UINT256 : sum)
  }

  /** @returns whether it succeeds */
  transfer(from: Address, to: Address, wei: bigint): boolean {
    if (this.of(from) < wei || (from !== to && this.of(to) + wei > MAX_UINT256)) return false
    this.balances.set(from, this.of(from) - wei)
    this.balances.set(to, this.of(to) + wei)
    return true
  }

  /** The nonce of the creator is used also if the creation halts, unless it does not even start. */
  create(wei: bigint): boolean {
    if (this.of(CREATOR) < wei) return false
    return this.transfer(CREATOR, CREATED[this.#created++]!, wei)
  }

  destroy(beneficiary: Address): void {
    if (beneficiary === DESTROYER) return
    const all = this.of(DESTROYER)
    this.balances.set(DESTROYER, 0n)
    this.credit(beneficiary, all)
  }
}

function words(...values: readonly (Address | bigint)[]): Bytes {
  return Uint8Array.from(values.flatMap((value) => [...bigintToWord(BigInt(value))]))
}

/** Takes one step in both, and compares its outcome. */
async function take({ kind, from, to, wei }: Step, session: Session, model: Model): Promise<void> {
  const call = async (target: Address, data: Bytes) =>
    executed(await session.call(callTo(target, { from: ALICE, data }), NO_CHECKS))
  switch (kind) {
    case 'transfer': {
      // Without code, so that the transfer is all that happens.
      const target = to in CODE ? BOB : to
      const canPay = model.of(from) >= wei
      const result = await session.call(callTo(target, { from, value: wei }), NO_CHECKS)
      if (!canPay) return expect(result.kind).toBe('invalid')
      const hasMoved = model.transfer(from, target, wei)
      return expect(result).toMatchObject(hasMoved ? { status: 'success' } : { halt: 'overflow payment' })
    }
    case 'inner call': {
      const target = to in CODE ? BOB : to
      const { output } = await call(FORWARDER, words(target, wei))
      return expect(output).toEqual(words(model.transfer(FORWARDER, target, wei) ? 1n : 0n))
    }
    case 'creation': {
      const { output } = await call(CREATOR, words(wei))
      return expect(output.some((byte) => byte !== 0)).toBe(model.create(wei))
    }
    case 'self-destruct':
      await call(DESTROYER, words(to))
      return model.destroy(to)
    case 'fees': {
      const cost = FEES.gasLimit * (ENV.baseFee + FEES.maxPriorityFeePerGas)
      const result = await session.call(callTo(BOB, { from: ALICE, ...FEES }), { ...NO_CHECKS, gasFunds: true })
      if (model.of(ALICE) < FEES.gasLimit * FEES.maxFeePerGas) return expect(result.kind).toBe('invalid')
      const used = BigInt(executed(result).gasUsed)
      model.balances.set(ALICE, model.of(ALICE) - cost)
      model.credit(ALICE, cost - used * (ENV.baseFee + FEES.maxPriorityFeePerGas))
      model.credit(COINBASE, used * FEES.maxPriorityFeePerGas)
      return model.credit(VAULT, used * ENV.baseFee)
    }
    case 'deposit': {
      const value = model.of(BOB) > 5n ? 5n : 0n
      executed(await session.execute(deposit({ from: BOB, to: ALICE, mint: wei, value }), ENV.gasLimit))
      model.credit(BOB, wei)
      model.transfer(BOB, ALICE, value)
    }
  }
}

describe('credits', () => {
  test('property: no balance wraps: a transfer that overflows fails, any other credit saturates', async () => {
    const start = fc.array(wei, { minLength: ACCOUNTS.length, maxLength: ACCOUNTS.length })
    await fc.assert(
      fc.asyncProperty(start, fc.array(step, { maxLength: STEPS }), async (amounts, steps) => {
        const balances = new Map(ACCOUNTS.map((address, index) => [address, amounts[index]!]))
        const session = openSession({ code: CODE, balances: Object.fromEntries(balances) })
        const model = new Model(balances)
        try {
          for (const one of steps) {
            await take(one, session, model)
            const seen = ACCOUNTS.map((address) => session.state.account(address)?.balance ?? 0n)
            expect(seen).toEqual(ACCOUNTS.map((address) => model.of(address)))
          }
        } finally {
          session.close()
        }
      }),
      { numRuns: propertyRuns(400) },
    )
  })

  test('a frame whose value overflows the recipient uses its gas', async () => {
    const session = openSession({ code: CODE, balances: { [ALICE]: 10n, [BOB]: MAX_UINT256, [FORWARDER]: 10n } })
    const gas = { from: ALICE, gasLimit: 50_000n }

    const outer = executed(await session.call(callTo(BOB, { ...gas, value: 1n }), NO_CHECKS))
    const inner = executed(await session.call(callTo(FORWARDER, { ...gas, data: words(BOB, 1n) }), NO_CHECKS))

    expect(outer).toMatchObject({ status: 'halt', halt: 'overflow payment', gasUsed: 50_000 })
    expect(inner).toMatchObject({ status: 'success', output: words(0n) })
    expect(inner.gasUsed).toBeGreaterThan(49_000)
    session.close()
  })

  test('withdrawals and rewards saturate', () => {
    const session = openSession({ balances: { [BOB]: MAX_UINT256 - 1n } })
    const credits = [1n, 5n].map((amount) => ({ address: BOB, wei: amount }))

    const diff = creditDiff(credits, session.state)

    expect(diff.accounts.get(BOB)?.account?.balance).toBe(MAX_UINT256)
    session.close()
  })
})
