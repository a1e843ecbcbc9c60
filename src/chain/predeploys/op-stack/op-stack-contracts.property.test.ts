import fc from 'fast-check'
import { toFunctionSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import { conformanceJson, hasConformanceData } from '../../../../test/support/conformance-data.ts'
import { address, executed, NO_CHECKS, openSession } from '../../../../test/support/engine-fixture.ts'
import { propertyRuns } from '../../../../test/support/runs.ts'
import type { Session } from '../../../engine/types.ts'
import { type Address, type Bytes, bytesToHex, hexToBytes, ZERO_ADDRESS } from '../../../primitives/hex.ts'
import { bigintToSlot, bigintToWord } from '../../../primitives/quantity.ts'
import { DEPOSITOR_ADDRESS } from '../../system-transactions/l1-attributes.ts'
import gasPriceOracle from './gas-price-oracle.json' with { type: 'json' }
import l1Block from './l1-block.json' with { type: 'json' }
import { OP_STACK_CONTRACTS, PREDEPLOY_PROXY_CODE } from './op-stack-contracts.ts'
import predeployProxy from './predeploy-proxy.json' with { type: 'json' }

const PREDEPLOYS = 'op-stack/execution/predeploys.json'
const IMPLEMENTATION_SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbcn
const ADMIN_SLOT = 0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103n
const PROXY_ADMIN = '0x4200000000000000000000000000000000000018' as Address
const CASES = 10_000
const CALLS_IN_CASE = 20

const hasDeployed = hasConformanceData(PREDEPLOYS, 'comparison with the deployed predeploys')
const deployed = hasDeployed
  ? (conformanceJson(PREDEPLOYS) as { accounts: Readonly<Record<Address, { code: string }>> }).accounts
  : {}

/** The other ones are compared by `bridge-contracts.property.test.ts`. */
const COMPARED = ['L1Block', 'GasPriceOracle']
const compared = OP_STACK_CONTRACTS.filter(
  ({ name, implementation }) => COMPARED.includes(name) && deployed[implementation]?.code !== undefined,
)

/** Selectors of every function of contract and proxy. */
const SELECTORS = [l1Block, gasPriceOracle, predeployProxy].flatMap(({ abi }) =>
  abi.filter(({ type }) => type === 'function').map((item) => toFunctionSelector(item as never)),
)

interface RandomCall {
  readonly to: Address
  readonly from: Address
  readonly value: bigint
  readonly data: Bytes
}

const word = fc.oneof(
  fc.bigInt({ min: 0n, max: 300n }),
  fc.bigInt({ min: 0n, max: 2n ** 64n }),
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc.constantFrom(2n ** 256n - 1n, 2n ** 255n, 32n),
)

/** The ABI encoding of one `bytes`, compressible or not. */
const bytesArgument = fc
  .oneof(
    fc.uint8Array({ maxLength: 600 }),
    fc.array(fc.constantFrom(0, 1, 2, 255), { maxLength: 900 }).map((list) => Uint8Array.from(list)),
  )
  .map((content) => {
    const padded = new Uint8Array(64 + Math.ceil(content.length / 32) * 32)
    padded.set(bigintToWord(32n))
    padded.set(bigintToWord(BigInt(content.length)), 32)
    padded.set(content, 64)
    return padded
  })

const argumentBytes = fc.oneof(
  bytesArgument,
  fc.array(word, { maxLength: 9 }).map((words) => Buffer.concat(words.map(bigintToWord))),
  fc.uint8Array({ minLength: 160, maxLength: 180 }),
)

const randomCall: fc.Arbitrary<RandomCall> = fc.record({
  to: fc.constantFrom(...compared.map(({ address: position }) => position), ZERO_ADDRESS),
  from: fc.constantFrom(DEPOSITOR_ADDRESS, DEPOSITOR_ADDRESS, PROXY_ADMIN, ZERO_ADDRESS, address(0xbeef)),
  value: fc.constantFrom(0n, 0n, 0n, 1n),
  data: fc
    .tuple(fc.constantFrom(...SELECTORS), argumentBytes)
    .map(([selector, content]) => Buffer.concat([hexToBytes(selector), content])),
})

/** A chain with the predeploys, ours or the deployed ones. */
function openWith(
  codes: (contract: (typeof compared)[number]) => { readonly proxy: string; readonly code: string },
): Session {
  const code: Record<Address, string> = {}
  for (const contract of compared) {
    const both = codes(contract)
    code[contract.address] = both.proxy
    code[contract.implementation] = both.code
  }
  const ether = Object.fromEntries(
    [DEPOSITOR_ADDRESS, PROXY_ADMIN, ZERO_ADDRESS, address(0xbeef)].map((who) => [who, 10n ** 18n]),
  )
  const session = openSession({ code, balances: ether, env: { gasLimit: 10n ** 9n } })
  const storage = compared.map(
    ({ address: position, implementation }) =>
      [
        position,
        new Map([
          [bigintToSlot(IMPLEMENTATION_SLOT), BigInt(implementation)],
          [bigintToSlot(ADMIN_SLOT), BigInt(PROXY_ADMIN)],
        ]),
      ] as const,
  )
  const accounts = compared.map(
    ({ address: position }) => [position, { account: session.state.account(position), storageCleared: false }] as const,
  )
  session.apply({ accounts: new Map(accounts), storage: new Map(storage), code: new Map() })
  return session
}

const openOurs = () => openWith(({ code }) => ({ proxy: bytesToHex(PREDEPLOY_PROXY_CODE), code: bytesToHex(code) }))
const openDeployed = () =>
  openWith(({ address: position, implementation }) => ({
    proxy: deployed[position]!.code,
    code: deployed[implementation]!.code,
  }))

async function outcomeOf(session: Session, { from, to, value, data }: RandomCall) {
  const call = {
    from,
    to,
    value,
    data,
    gasLimit: 10n ** 8n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
  }
  const { status, output, logs } = executed(await session.call(call, NO_CHECKS))
  return { status, output: bytesToHex(output), logs }
}

/** Changed slots. Accounts differ by code hash. */
function storageOf(session: Session) {
  return session.takeDiff().storage
}

describe.skipIf(!hasDeployed)('the predeploys of OP-stack chains', () => {
  it('are compared with those that are deployed', () => {
    expect(compared.map(({ name }) => name)).toEqual(['L1Block', 'GasPriceOracle'])
  })

  it('answer every call as the deployed contracts do, and store the same', { timeout: 600_000 }, async () => {
    const calls = fc.array(randomCall, { minLength: CALLS_IN_CASE, maxLength: CALLS_IN_CASE })
    await fc.assert(
      fc.asyncProperty(calls, async (sequence) => {
        const [ours, theirs] = [openOurs(), openDeployed()]
        try {
          for (const call of sequence) expect(await outcomeOf(ours, call)).toEqual(await outcomeOf(theirs, call))
          expect(storageOf(ours)).toEqual(storageOf(theirs))
        } finally {
          ours.close()
          theirs.close()
        }
      }),
      { numRuns: Math.ceil(propertyRuns(CASES) / CALLS_IN_CASE) },
    )
  })

  it('have the same getters', async () => {
    const [ours, theirs] = [openOurs(), openDeployed()]
    let successes = 0
    for (const { address: to } of compared) {
      for (const selector of SELECTORS) {
        const call = { from: address(0xbeef), to, value: 0n, data: hexToBytes(selector) }
        const expected = await outcomeOf(theirs, call)
        expect([to, selector, await outcomeOf(ours, call)]).toEqual([to, selector, expected])
        if (expected.status === 'success') successes += 1
      }
    }
    // Getters of L1Block and of the oracle.
    expect(successes).toBeGreaterThan(30)
  })
})
