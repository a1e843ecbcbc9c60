import fc from 'fast-check'
import { type Abi, type AbiFunction, type AbiParameter, encodeFunctionData, toFunctionSelector } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { conformanceJson, hasConformanceData } from '../../../../test/support/conformance-data.ts'
import { address, callTo, executed, NO_CHECKS, openSession } from '../../../../test/support/engine-fixture.ts'
import { propertyRuns } from '../../../../test/support/runs.ts'
import type { Session } from '../../../engine/types.ts'
import { type Address, bytesToHex, type Hex, hexToBytes, type Slot, toAddress } from '../../../primitives/hex.ts'
import { DEPOSITOR_ADDRESS } from '../../system-transactions/l1-attributes.ts'
import feeVault from './fee-vault.json' with { type: 'json' }
import l1BlockNumber from './l1-block-number.json' with { type: 'json' }
import messenger from './l2-cross-domain-messenger.json' with { type: 'json' }
import bridge from './l2-standard-bridge.json' with { type: 'json' }
import messagePasser from './l2-to-l1-message-passer.json' with { type: 'json' }
import operatorFeeVault from './operator-fee-vault.json' with { type: 'json' }
import proxyAdmin from './proxy-admin.json' with { type: 'json' }
import sequencerFeeVault from './sequencer-fee-vault.json' with { type: 'json' }
import weth from './weth.json' with { type: 'json' }

const PREDEPLOYS = 'op-stack/execution/predeploys.json'
const CASES = 10_000
const CALLS_IN_CASE = 20

interface DeployedAccount {
  readonly code: Hex
  readonly storage: Readonly<Record<Slot, Hex>>
}

const hasDeployed = hasConformanceData(
  PREDEPLOYS,
  'comparison with the deployed bridge, messenger, message passer, WETH and vaults',
)
const deployed = hasDeployed
  ? (conformanceJson(PREDEPLOYS) as { accounts: Readonly<Record<Address, DeployedAccount>> }).accounts
  : {}

const CONTRACTS = [
  [0x06, weth],
  [0x07, messenger],
  [0x10, bridge],
  [0x11, sequencerFeeVault],
  [0x13, l1BlockNumber],
  [0x16, messagePasser],
  [0x18, proxyAdmin],
  [0x19, feeVault],
  [0x1a, feeVault],
  [0x1b, operatorFeeVault],
] as const
const SUPPORTING = [0x0f, 0x15]

const wide = (value: bigint) => toAddress(`0x${value.toString(16).padStart(40, '0')}`)
const predeployAt = (number: number) => wide((0x42n << 152n) + BigInt(number))
const implementationOf = (number: number) => `0x${'c0d3'.repeat(9)}${number.toString(16).padStart(4, '0')}` as Address
/** Where the code of a predeploy is: only WETH has no proxy. */
const placeOf = (number: number) => (number === 0x06 ? predeployAt(number) : implementationOf(number))

/** The admin's owner and the other sides of messenger and bridge, in the storage of the deployed contracts. */
const addressIn = (number: number, slot: number): Address => {
  const word = deployed[predeployAt(number)]?.storage[`0x${slot.toString(16).padStart(64, '0')}` as Slot] ?? '0x0'
  return wide(BigInt(word) & (2n ** 160n - 1n))
}
const OWNER = addressIn(0x18, 0)
const ALIASED_MESSENGER = wide((BigInt(addressIn(0x07, 0xcf)) + (0x1111n << 144n) + 0x1111n) % 2n ** 160n)
const SENDERS = [OWNER, ALIASED_MESSENGER, predeployAt(0x18), DEPOSITOR_ADDRESS, address(0xbeef), address(1)]
/** Mintable by the bridge, with `remoteToken` 0xa0. */
const MINTABLE = address(0x7001)
const ETHER = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000' as Address
/** Reverts with the word 1, and returns it. */
const [REVERTING, RETURNING] = [address(0x7002), address(0x7003)]
/** Stores a word: needs more than the 2,300 gas that come with ether. */
const STORING = address(0x7004)

const functions = (abi: Abi): readonly AbiFunction[] => abi.filter((item) => item.type === 'function')
const SELECTORS = CONTRACTS.flatMap(([, { abi }]) => functions(abi as Abi).map((item) => toFunctionSelector(item)))

const anyAddress = fc.constantFrom(
  ...SENDERS,
  ...CONTRACTS.map(([number]) => predeployAt(number)),
  implementationOf(0x19),
  MINTABLE,
  REVERTING,
  RETURNING,
  ETHER,
  address(0xa0),
  address(0),
)

const integer = (bits: number) =>
  fc.oneof(
    fc.bigInt({ min: 0n, max: 3n < 2n ** BigInt(bits) ? 3n : 1n }),
    fc.bigInt({ min: 0n, max: 2n ** BigInt(Math.min(bits, 20)) - 1n }),
    fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }),
  )

/** Calldata for targets: nothing, `version()`, a large payload. */
const bytes = fc.oneof(
  fc.constantFrom<Hex>('0x', '0x54fd4d50'),
  fc.uint8Array({ maxLength: 300 }).map((content) => bytesToHex(content)),
)

function argumentOf({ type }: AbiParameter): fc.Arbitrary<unknown> {
  if (type === 'address') return anyAddress
  if (type === 'bool') return fc.boolean()
  if (type === 'bytes') return bytes
  if (type === 'string') return fc.string({ maxLength: 40 })
  if (type === 'bytes32')
    return fc.bigInt({ min: 0n, max: 3n }).map((value) => `0x${value.toString(16).padStart(64, '0')}`)
  if (type === 'uint8') return fc.constantFrom(0, 1, 2)
  const bits = Number(type.slice('uint'.length))
  // The version of a message is in the upper two bytes of its nonce.
  const versioned = fc.bigInt({ min: 0n, max: 3n }).map((nonce) => nonce + (1n << 240n))
  const value = bits === 256 ? fc.oneof(versioned, integer(256)) : integer(bits)
  return bits <= 48 ? value.map(Number) : value
}

interface RandomCall {
  readonly to: Address
  readonly from: Address
  readonly value: bigint
  readonly data: Hex
}

const wellFormed = fc
  .constantFrom(...CONTRACTS.flatMap(([number, { abi }]) => functions(abi as Abi).map((item) => ({ number, item }))))
  .chain(({ number, item }) =>
    fc.record({
      to: fc.constantFrom(predeployAt(number), predeployAt(number), predeployAt(number), implementationOf(number)),
      data: fc
        .tuple(...item.inputs.map(argumentOf))
        .map((args) => encodeFunctionData({ abi: [item], functionName: item.name, args })),
    }),
  )
const malformed = fc.record({
  to: fc.constantFrom(...CONTRACTS.map(([number]) => predeployAt(number))),
  data: fc
    .tuple(fc.constantFrom<Hex>(...SELECTORS, '0x'), fc.uint8Array({ maxLength: 200 }))
    .map(([selector, content]) => `${selector}${Buffer.from(content).toString('hex')}` as Hex),
})
/** A message from layer 1, which its messenger sends to a token, to the bridge or elsewhere. */
const relayed = fc
  .record({ nonce: integer(16), target: anyAddress, value: integer(2), gas: integer(40), message: bytes })
  .map(({ nonce, target, value, gas, message }) => ({
    from: ALIASED_MESSENGER,
    to: predeployAt(0x07),
    value,
    data: encodeFunctionData({
      abi: messenger.abi as Abi,
      functionName: 'relayMessage',
      args: [nonce + (1n << 240n), address(0xbeef), target, value, gas, message],
    }),
  }))
const finalized = fc
  .record({ token: anyAddress, to: anyAddress, amount: integer(4), extra: bytes, isEther: fc.boolean() })
  .map(({ token, to, amount, extra, isEther }) => ({
    from: ALIASED_MESSENGER,
    to: predeployAt(0x07),
    value: isEther ? amount : 0n,
    data: encodeFunctionData({
      abi: messenger.abi as Abi,
      functionName: 'relayMessage',
      args: [
        1n << 240n,
        addressIn(0x10, 4),
        predeployAt(0x10),
        isEther ? amount : 0n,
        0n,
        encodeFunctionData({
          abi: bridge.abi as Abi,
          ...(isEther
            ? { functionName: 'finalizeBridgeETH', args: [address(0xbeef), to, amount, extra] }
            : {
                functionName: 'finalizeBridgeERC20',
                args: [token, address(0xa0), address(0xbeef), to, amount, extra],
              }),
        }),
      ],
    }),
  }))

const randomCall: fc.Arbitrary<RandomCall> = fc.oneof(
  { arbitrary: relayed, weight: 1 },
  { arbitrary: finalized, weight: 2 },
  {
    arbitrary: fc
      .record({
        from: fc.constantFrom(...SENDERS, OWNER, address(0xbeef)),
        value: fc.constantFrom(0n, 0n, 0n, 1n, 10n ** 19n),
        call: fc.oneof({ arbitrary: wellFormed, weight: 9 }, { arbitrary: malformed, weight: 1 }),
      })
      .map(({ call, ...rest }) => ({ ...rest, ...call })),
    weight: 6,
  },
)

/** Code of a mintable token, created by the deployed factory. */
let mintableCode: Hex

/** A chain with the predeploys, ours or the deployed ones, and the storage of the deployed ones. */
function openWith(codeOf: (number: number, ours: string) => string): Session {
  const code: Record<Address, string> = {
    [MINTABLE]: mintableCode ?? '0x',
    [REVERTING]: '0x60015f5260205ffd',
    [RETURNING]: '0x60015f5260205ff3',
    [STORING]: '0x60015f55',
  }
  const numbers = [...CONTRACTS.map(([number]) => number), ...SUPPORTING]
  for (const number of numbers) {
    const ours = CONTRACTS.find(([other]) => other === number)?.[1].deployedBytecode
    code[predeployAt(number)] = deployed[predeployAt(number)]!.code
    const theirs = deployed[placeOf(number)]!.code
    code[placeOf(number)] = ours === undefined ? theirs : codeOf(number, ours)
  }
  const balances = Object.fromEntries([...SENDERS, STORING, REVERTING, RETURNING].map((sender) => [sender, 10n ** 24n]))
  const session = openSession({ code, balances, env: { gasLimit: 10n ** 9n } })
  const stored = Object.entries(deployed).filter(([where]) => code[where as Address] !== undefined)
  session.apply({
    accounts: new Map(
      stored.map(([where]) => [
        where as Address,
        { account: session.state.account(where as Address), storageCleared: false },
      ]),
    ),
    storage: new Map(
      stored.map(([where, { storage }]) => [
        where as Address,
        new Map(Object.entries(storage).map(([slot, value]) => [slot as Slot, BigInt(value)])),
      ]),
    ),
    code: new Map(),
  })
  session.takeDiff()
  return session
}

const openOurs = () => openWith((_, ours) => ours)
const openDeployed = () => openWith((number) => deployed[placeOf(number)]!.code)

async function outcomeOf(session: Session, { from, to, value, data }: RandomCall) {
  const call = callTo(to, { from, value, data: hexToBytes(data), gasLimit: 10n ** 8n })
  const { status, output, logs } = executed(await session.call(call, NO_CHECKS))
  return { status, output: bytesToHex(output), logs }
}

/** Changed slots and balances. Accounts differ by code hash. */
function changesOf(session: Session) {
  const { storage, accounts } = session.takeDiff()
  return { storage, balances: new Map([...accounts].map(([who, { account }]) => [who, account?.balance])) }
}

describe.skipIf(!hasDeployed)('messenger, bridge, message passer, WETH, vaults and admin of OP-stack chains', () => {
  beforeAll(async () => {
    mintableCode = await deployedTokenCode()
  })

  it('answer random calls as the deployed contracts do, and store the same', { timeout: 600_000 }, async () => {
    const statuses = new Map<string, number>()
    const sequences = fc.array(randomCall, { minLength: CALLS_IN_CASE, maxLength: CALLS_IN_CASE })
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        const [ours, theirs] = [openOurs(), openDeployed()]
        try {
          for (const call of sequence) {
            const expected = await outcomeOf(theirs, call)
            expect({ call, ...(await outcomeOf(ours, call)) }).toEqual({ call, ...expected })
            statuses.set(expected.status, (statuses.get(expected.status) ?? 0) + 1)
          }
          expect(changesOf(ours)).toEqual(changesOf(theirs))
        } finally {
          ours.close()
          theirs.close()
        }
      }),
      { numRuns: Math.ceil(propertyRuns(CASES) / CALLS_IN_CASE) },
    )
    const calls = Math.ceil(propertyRuns(CASES) / CALLS_IN_CASE) * CALLS_IN_CASE
    expect(statuses.get('success')).toBeGreaterThan(calls / 5)
  })

  it('return wrapped ether, and burn that of withdrawals, as the deployed contracts do', async () => {
    const [ours, theirs] = [openOurs(), openDeployed()]
    const weth98 = weth.abi as Abi
    const calls = [address(0xbeef), REVERTING, RETURNING, STORING].flatMap((from) => [
      { from, to: predeployAt(0x06), value: 5n, data: '0x' as Hex },
      ...[0n, 2n, 4n].map((wad) => ({
        from,
        to: predeployAt(0x06),
        value: 0n,
        data: encodeFunctionData({ abi: weth98, functionName: 'withdraw', args: [wad] }),
      })),
      { from, to: predeployAt(0x16), value: 7n, data: '0x' as Hex },
      { from, to: predeployAt(0x16), value: 0n, data: '0x44df8e70' as Hex },
    ])

    const statuses = []
    for (const call of calls) {
      const expected = await outcomeOf(theirs, call)
      expect({ call, ...(await outcomeOf(ours, call)) }).toEqual({ call, ...expected })
      statuses.push(expected.status)
    }

    expect(new Set(statuses)).toEqual(new Set(['success', 'revert']))
    expect(ours.state.account(predeployAt(0x16))?.balance).toBe(0n)
    expect(changesOf(ours)).toEqual(changesOf(theirs))
    ours.close()
    theirs.close()
  })

  it('revert an upgrade whose proxy does not return bytes, as the deployed admin does', async () => {
    const [ours, theirs] = [openOurs(), openDeployed()]
    const args = [RETURNING, address(0xbeef), '0x']
    const data = encodeFunctionData({ abi: proxyAdmin.abi as Abi, functionName: 'upgradeAndCall', args })
    const call = { from: OWNER, to: predeployAt(0x18), value: 0n, data }

    const expected = await outcomeOf(theirs, call)

    expect(expected.status).toBe('revert')
    expect(await outcomeOf(ours, call)).toEqual(expected)
    ours.close()
    theirs.close()
  })

  it('have the same getters', async () => {
    const [ours, theirs] = [openOurs(), openDeployed()]
    for (const [number, { abi }] of CONTRACTS) {
      const getters = functions(abi as Abi).filter(({ inputs }) => inputs.length === 0)
      for (const getter of getters) {
        const data = toFunctionSelector(getter)
        const call = { from: address(0xbeef), to: predeployAt(number), value: 0n, data }
        expect([number, getter.name, await outcomeOf(ours, call)]).toEqual([
          number,
          getter.name,
          await outcomeOf(theirs, call),
        ])
      }
    }
  })
})

async function deployedTokenCode(): Promise<Hex> {
  const factory = implementationOf(0x12)
  const session = openSession({ code: { [factory]: deployed[factory]!.code }, env: { gasLimit: 10n ** 9n } })
  session.apply({
    accounts: new Map([[factory, { account: session.state.account(factory), storageCleared: false }]]),
    storage: new Map([[factory, new Map([[`0x${'0'.repeat(63)}1` as Slot, BigInt(predeployAt(0x10))]])]]),
    code: new Map(),
  })
  const data = encodeFunctionData({
    abi: [
      {
        type: 'function',
        name: 'createOptimismMintableERC20',
        inputs: [{ type: 'address' }, { type: 'string' }, { type: 'string' }],
        outputs: [{ type: 'address' }],
        stateMutability: 'nonpayable',
      },
    ],
    args: [address(0xa0), 'Token', 'TKN'],
  })
  const result = await outcomeOf(session, { from: address(0xbeef), to: factory, value: 0n, data })
  const token = `0x${result.output.slice(-40)}` as Address
  const account = session.state.account(token)!
  const code = bytesToHex(session.state.code(account.codeHash))
  session.close()
  return code
}
