import { encodeAbiParameters, toFunctionSelector } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { conformanceJson, hasConformanceData } from '../../../../test/support/conformance-data.ts'
import { address, callTo, executed, NO_CHECKS, openSession } from '../../../../test/support/engine-fixture.ts'
import type { Session } from '../../../engine/types.ts'
import { type Address, type Bytes, bytesToHex, type Hex, hexToBytes, type Slot } from '../../../primitives/hex.ts'
import { bigintToSlot } from '../../../primitives/quantity.ts'
import type { Upgrade } from '../../forks/upgrades.ts'
import { BASE_TIME_ADDRESS } from '../../system-transactions/base-time.ts'
import { DEPOSITOR_ADDRESS } from '../../system-transactions/l1-attributes.ts'
import { contractStorage } from '../contract-storage.ts'
import l1Block from './l1-block.json' with { type: 'json' }
import { opStackPredeploys } from './op-stack-contracts.ts'

const L1_BLOCK = '0x4200000000000000000000000000000000000015' as Address
const ORACLE = '0x420000000000000000000000000000000000000f' as Address
const [PREDEPLOYS, VECTORS] = ['op-stack/execution/predeploys.json', 'op-stack/execution/l1-fee-vectors.json']
const TIMESTAMP = 1_700_000_000n

interface OracleVector {
  readonly call: string
  readonly fork: Upgrade
  readonly arg: string
  readonly result: string
  readonly [parameter: string]: string
}

const hasVectors = hasConformanceData(VECTORS, 'vectors of GasPriceOracle')
const vectors = hasVectors ? (conformanceJson(VECTORS) as { gasPriceOracle: readonly OracleVector[] }) : undefined
const hasDeployed = hasConformanceData(PREDEPLOYS, 'gas of the deployed L1Block')

let session: Session
afterEach(() => session.close())

/** A session on the predeploys of a chain that begins with an upgrade. */
function openPredeploys(
  upgrade: Upgrade,
  stored: ReadonlyMap<Slot, bigint> = new Map(),
  deployed: Readonly<Record<Address, { readonly code: string }>> = {},
): void {
  const contracts = opStackPredeploys(upgrade, { reservesBaseTime: false, owner: address(1) })
  const code: Record<Address, string> = {}
  for (const contract of contracts) {
    code[contract.address] = deployed[contract.address]?.code ?? bytesToHex(contract.code)
  }
  session = openSession({ code, env: { gasLimit: 10n ** 9n, timestamp: TIMESTAMP } })
  const storage = new Map(
    contracts.map((contract) => [
      contract.address,
      new Map(contract.address === L1_BLOCK ? [...contract.storage, ...stored] : contract.storage),
    ]),
  )
  const accounts = contracts.map(
    ({ address: where }) => [where, { account: session.state.account(where), storageCleared: false }] as const,
  )
  session.apply({ accounts: new Map(accounts), storage, code: new Map() })
}

async function run(to: Address, data: Bytes | Hex, from: Address = address(0xbeef)) {
  const bytes = typeof data === 'string' ? hexToBytes(data) : data
  const { status, output, gasUsed } = executed(await session.call(callTo(to, { from, data: bytes }), NO_CHECKS))
  return { status, output: bytesToHex(output), gasUsed }
}

/** A variable of L1Block in a vector. */
const VARIABLES: Readonly<Record<string, string>> = {
  l1BaseFee: 'basefee',
  l1BlobBaseFee: 'blobBaseFee',
  overhead: 'l1FeeOverhead',
  scalar: 'l1FeeScalar',
}

function l1BlockStorage(vector: OracleVector): ReadonlyMap<Slot, bigint> {
  const labels = new Set(l1Block.storageLayout.map(({ label }) => label))
  const values = Object.entries(vector)
    .map(([name, value]) => [VARIABLES[name] ?? name, value] as const)
    .filter(([label]) => labels.has(label))
  return contractStorage(
    l1Block.storageLayout,
    Object.fromEntries(values.map(([label, value]) => [label, BigInt(value)])),
  )
}

describe.skipIf(!hasVectors)('GasPriceOracle', () => {
  it.each(vectors?.gasPriceOracle ?? [])('answers $call in $fork with $result', async (vector) => {
    openPredeploys(vector.fork, l1BlockStorage(vector))
    const type = vector.call.slice(vector.call.indexOf('(') + 1, -1)
    const argument = type === 'bytes' ? vector.arg : BigInt(vector.arg)
    const encoded = encodeAbiParameters([{ type }], [argument])

    const { status, output } = await run(ORACLE, `${toFunctionSelector(vector.call)}${encoded.slice(2)}`)

    expect([status, BigInt(output)]).toEqual(['success', BigInt(vector.result)])
  })
})

// The example of Jovian in crates/execution/evm/src/l1.rs of base/base.
const attributes = (sequenceNumber: number) =>
  hexToBytes(
    `0x3db6be2b00000558000c5fc5${sequenceNumber.toString(16).padStart(16, '0')}0000000067a9f7650000000000000029${'6a6d09'.padStart(64, '0')}${'1'.padStart(64, '0')}72fcc8e8886636bdbe96ba0e4baab67ea7e7811633f52b52e8cf7a5123213b6f000000000000000000000000d3f2c5afb2d76f5579f326b0cd7da5f5a4126c3500004e2000000000000001f4dead`,
  )

describe('L1Block', () => {
  it('stores the attributes of Jovian in the slots of the deployed contract', async () => {
    openPredeploys('jovian')

    await run(L1_BLOCK, attributes(4), DEPOSITOR_ADDRESS)

    const slots = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n]
    expect(slots.map((slot) => session.state.storage(L1_BLOCK, bigintToSlot(slot)).toString(16))).toEqual([
      '67a9f7650000000000000029',
      '6a6d09',
      '72fcc8e8886636bdbe96ba0e4baab67ea7e7811633f52b52e8cf7a5123213b6f',
      '558000c5fc50000000000000004',
      'd3f2c5afb2d76f5579f326b0cd7da5f5a4126c35',
      '0',
      '0',
      '1',
      'dead00004e2000000000000001f4',
    ])
  })

  it.skipIf(!hasDeployed)('uses the published gas with the deployed code', async () => {
    const { accounts } = conformanceJson(PREDEPLOYS) as { accounts: Record<Address, { code: string }> }
    openPredeploys('jovian', new Map(), accounts)

    const first = await run(L1_BLOCK, attributes(3), DEPOSITOR_ADDRESS)
    const second = await run(L1_BLOCK, attributes(4), DEPOSITOR_ADDRESS)

    expect([first.gasUsed, second.gasUsed]).toEqual([182_706, 46_206])
  })
})

describe('BaseTime', () => {
  const setter = (millisPart: number) => `0x86bdf394${millisPart.toString(16).padStart(64, '0')}` as Hex

  it.each([
    ['timestampMillisPart()', '0x7b2fea99', 600n],
    ['timestampMs()', '0x5745a677', TIMESTAMP * 1_000n + 600n],
  ])('answers %s under the published selector', async (signature, selector, value) => {
    openPredeploys('denim')
    await run(BASE_TIME_ADDRESS, setter(600), DEPOSITOR_ADDRESS)

    const { status, output } = await run(BASE_TIME_ADDRESS, selector as Hex)

    expect(toFunctionSelector(signature)).toBe(selector)
    expect([status, BigInt(output)]).toEqual(['success', value])
  })

  it('has version 1.0.0', async () => {
    openPredeploys('denim')

    const { output } = await run(BASE_TIME_ADDRESS, '0x54fd4d50')

    expect(Buffer.from(hexToBytes(output)).toString('latin1')).toContain('\u0005' + '1.0.0')
  })

  it.each([
    ['BaseTime_NotDepositor()', '0x3c7b5203', address(0xbeef), 200],
    ['BaseTime_NotDepositor(), the value as well', '0x3c7b5203', address(0xbeef), 801],
    ['BaseTime_InvalidTimestampMillisPart()', '0xceb5df05', DEPOSITOR_ADDRESS, 100],
    ['BaseTime_InvalidTimestampMillisPart()', '0xceb5df05', DEPOSITOR_ADDRESS, 1_000],
  ])('reverts with %s (%#)', async (_, selector, from, millisPart) => {
    openPredeploys('denim')

    const { status, output } = await run(BASE_TIME_ADDRESS, setter(millisPart), from)

    expect([status, output]).toEqual(['revert', selector])
  })

  it('keeps the upper bits of its slot', async () => {
    openPredeploys('denim')
    const upper = 0x1234n << 128n
    session.apply({
      accounts: new Map([
        [BASE_TIME_ADDRESS, { account: session.state.account(BASE_TIME_ADDRESS), storageCleared: false }],
      ]),
      storage: new Map([[BASE_TIME_ADDRESS, new Map([[bigintToSlot(0n), upper + 800n]])]]),
      code: new Map(),
    })

    await run(BASE_TIME_ADDRESS, setter(0), DEPOSITOR_ADDRESS)

    expect(session.state.storage(BASE_TIME_ADDRESS, bigintToSlot(0n))).toBe(upper)
  })
})
