import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { B20_FACTORY_ADDRESS, POLICY_REGISTRY_ADDRESS } from '../../src/chain/b20/addresses.ts'
import {
  AAPLC,
  ALLOWLIST,
  ASSET,
  BASE_ACCOUNTS,
  type BaseNode,
  BUYER,
  HOLDER,
  ISSUER,
  startBaseChain,
  startBaseFork,
} from '../support/base-chain.ts'
import { propertyRuns } from '../support/runs.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { assetParams, encodeCall, idOf } from '../support/stock-chain.ts'
import { testSeed } from '../support/test-seed.ts'

type Operation = readonly [from: Hex, functionName: string, args: readonly unknown[], to?: Hex]

/** Later than any block of the test. */
const LATER = 4_000_000_000n
const SCOPES = [
  'TRANSFER_SENDER',
  'TRANSFER_RECEIVER',
  'TRANSFER_EXECUTOR',
  'MINT_RECEIVER',
  'SEIZE_EXEMPT',
  'SEIZE_RECEIVER',
]
const ROLES = ['MINT', 'BURN', 'BURN_BLOCKED', 'SEIZE', 'PAUSE', 'UNPAUSE', 'METADATA', 'OPERATOR']
const INVERTED = 1n << 63n

class Operations {
  readonly #random: () => number
  #salts = 0

  constructor(seed: number) {
    this.#random = seededRandom(seed)
  }

  next(): Operation {
    const groups = [this.#transfers, this.#transfers, this.#supply, this.#rights, this.#policies, this.#asset]
    return this.#one(this.#one(groups).call(this))()
  }

  #transfers(): readonly (() => Operation)[] {
    const [one, other, amount] = [this.#account(), this.#account(), this.#amount()]
    const token = this.#one([ASSET, ASSET, AAPLC])
    const memo = idOf(`memo ${amount}`)
    return [
      () => [one, 'transfer', [this.#one([other, other, ASSET]), amount], token],
      () => [one, 'approve', [other, amount * 3n], token],
      () => [one, 'transferFrom', [other, this.#account(), amount], token],
      () => [one, 'transferWithMemo', [other, amount, memo], token],
      () => [one, 'transferFromWithMemo', [other, this.#account(), amount, memo], token],
    ]
  }

  #supply(): readonly (() => Operation)[] {
    const [issuer, account, amount] = [this.#issuer(), this.#account(), this.#amount()]
    return [
      () => [issuer, 'mint', [account, amount]],
      () => [
        issuer,
        'batchMint',
        [
          [account, HOLDER],
          [amount, 1n],
        ],
      ],
      () => [issuer, 'burn', [amount]],
      () => [issuer, 'burnBlocked', [account, amount]],
      () => [issuer, 'seizeWithMemo', [account, this.#account(), amount, idOf('seized')]],
      () => [issuer, 'updateSupplyCap', [this.#one([2n ** 128n - 1n, 10n ** 15n, amount])]],
    ]
  }

  #rights(): readonly (() => Operation)[] {
    const role = idOf(`${this.#one(ROLES)}_ROLE`)
    const features = [0, 1, 2, 3].filter(() => this.#random() < 0.3)
    return [
      () => [this.#issuer(), 'grantRole', [role, this.#account()]],
      () => [this.#issuer(), 'revokeRole', [role, this.#one([HOLDER, BUYER])]],
      () => [this.#issuer(), 'pause', [features]],
      // More often than pauses, so that most operations are not paused.
      () => [ISSUER, 'unpause', [[0, 1, 2, 3]]],
      () => [ISSUER, 'unpause', [[0, 1, 2, 3]]],
    ]
  }

  #policies(): readonly (() => Operation)[] {
    const [issuer, accounts] = [this.#issuer(), BASE_ACCOUNTS.filter(() => this.#random() < 0.6)]
    const registry = POLICY_REGISTRY_ADDRESS
    const scope = idOf(`${this.#one(SCOPES)}_POLICY`)
    return [
      () => [issuer, 'createPolicyWithAccounts', [issuer, this.#one([0, 1]), accounts], registry],
      () => [issuer, 'updateAllowlist', [ALLOWLIST, this.#random() < 0.7, accounts], registry],
      () => [issuer, 'updateBlocklist', [this.#policy(), this.#random() < 0.5, accounts], registry],
      () => [issuer, 'createCompositePolicy', [issuer, this.#one([2, 3]), [this.#policy(), this.#policy()]], registry],
      () => [issuer, 'updatePolicy', [scope, this.#policy()]],
      () => [issuer, 'updatePolicy', [scope, 0n]],
    ]
  }

  #asset(): readonly (() => Operation)[] {
    const [issuer, multiplier] = [this.#issuer(), this.#amount() * 10n ** 12n]
    const number = this.#salts++
    const announced = [encodeCall('mint', [HOLDER, 1n])]
    return [
      () => [issuer, 'updateUIMultiplier', [multiplier, LATER]],
      () => [issuer, 'cancelUIMultiplierUpdate', []],
      () => [issuer, 'updateExtraMetadata', ['isin', `ZZ${number}`]],
      () => [issuer, 'updateName', [`Stand-in ${'plc '.repeat(number % 12)}`]],
      () => [issuer, 'announce', [announced, `id ${number % 20}`, 'a description', 'https://example.com']],
      () => [issuer, 'createB20', [0, idOf(`${number % 30}`), assetParams({ admin: issuer }), []], B20_FACTORY_ADDRESS],
    ]
  }

  #one<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)]!
  }

  #account(): Hex {
    return this.#one(BASE_ACCOUNTS)
  }

  /** Most often the account with all roles. */
  #issuer(): Hex {
    return this.#random() < 0.8 ? ISSUER : this.#account()
  }

  #amount(): bigint {
    return BigInt(Math.floor(this.#random() * 10 ** Math.ceil(this.#random() * 12)))
  }

  /** Of the first policies that exist, one that may not, or an inverted one. */
  #policy(): bigint {
    const counter = BigInt(Math.floor(this.#random() * 12))
    const type = this.#one([0n, 0n, 1n, 2n, 3n]) << 56n
    return (type | counter) ^ (this.#random() < 0.2 ? INVERTED : 0n)
  }
}

const READS: readonly (readonly [string, readonly unknown[]])[] = [
  ...BASE_ACCOUNTS.map((account) => ['balanceOf', [account]] as const),
  ...['name', 'totalSupply', 'supplyCap', 'pausedFeatures', 'multiplier', 'newUIMultiplier'].map(
    (name) => [name, []] as const,
  ),
  ...SCOPES.map((scope) => ['policyId', [idOf(`${scope}_POLICY`)]] as const),
]

const readAll = (node: BaseNode) => Promise.all(READS.map(([name, args]) => node.read(name, args)))

test('property: random operations have the same results on a fork of Base and on Base itself', async () => {
  const base = await startBaseChain()
  const fork = await startBaseFork(base)
  const operations = new Operations(testSeed)
  const statuses = { success: 0, reverted: 0 }

  for (let number = 0; number < propertyRuns(1_000); number++) {
    const operation = operations.next()
    const [from, name, args, to] = operation
    const [onFork, onBase] = [await fork.act(from, name, args, to), await base.act(from, name, args, to)]
    expect({ number, operation, ...onFork }).toEqual({ number, operation, ...onBase })
    statuses[onBase.status] += 1
  }

  expect(await readAll(fork)).toEqual(await readAll(base))
  expect(Math.min(statuses.success, statuses.reverted)).toBeGreaterThan(20)
  await fork.close()
  await base.close()
})
