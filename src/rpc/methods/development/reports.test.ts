import { describe, expect, test } from 'vitest'
import type { MeasuredProject } from '../../../../test/support/measured-project.ts'
import { contractIn, functionIn, gasReport, measuredScene } from '../../../../test/support/measured-reports.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'
import { selectorOf } from '../../../primitives/abi/abi-signature.ts'
import type { Address } from '../../../primitives/hex.ts'

interface Coverage {
  readonly transactions: number
  readonly codes: readonly {
    readonly kind: string
    readonly code: string
    readonly addresses: readonly string[]
    readonly hits: readonly (readonly [number, number])[]
  }[]
}

/** Gas of a transaction before its first instruction (EIP-2028). */
function intrinsicGas(data: string): number {
  const bytes = Buffer.from(data.slice(2), 'hex')
  return bytes.reduce((sum, byte) => sum + (byte === 0 ? 4 : 16), 21_000)
}

async function coverage({ node }: MeasuredProject, ...params: unknown[]): Promise<Coverage> {
  return (await node.result('tickertape_coverage', ...params)) as unknown as Coverage
}

describe('tickertape_gasReport', () => {
  test('has the gas of receipts without their intrinsic gas, as minimum, mean, median and maximum', async () => {
    const { project, meter } = await measuredScene()
    const used: number[] = []
    for (const amount of [1n, 200n, 2n, 300n]) {
      const { gasUsed, transactionHash } = await project.call(meter, 'Meter', 'add', [amount])
      const { input } = await project.node.result('eth_getTransactionByHash', transactionHash)
      used.push(Number(gasUsed) - intrinsicGas(input as string))
    }

    const report = await gasReport(project)

    const sorted = used.toSorted((a, b) => a - b)
    expect(new Set(sorted).size).toBeGreaterThan(1)
    expect(functionIn(report, 'Meter', 'add(uint256)')).toEqual({
      selector: selectorOf('add(uint256)'),
      function: 'add(uint256)',
      calls: 4,
      reverted: 0,
      gas: {
        min: sorted[0],
        mean: Math.round(used.reduce((sum, gas) => sum + gas) / 4),
        median: Math.round((sorted[1]! + sorted[2]!) / 2),
        max: sorted[3],
      },
    })
    expect(report).toMatchObject({ fromBlock: '0x1', transactions: 6, failedDeployments: 0 })
  })

  test('counts inner calls, and reverted calls apart', async () => {
    const { project, name, meter } = await measuredScene()
    name(await project.deploy('Caller', [meter]), 'Caller')
    const caller = (await gasReport(project)).contracts.find(({ contract }) => contract?.endsWith('Caller'))!
    await project.call(caller.addresses[0] as Address, 'Caller', 'addThrough', [3n])

    const report = await gasReport(project)

    expect(functionIn(report, 'Meter', 'add(uint256)')).toMatchObject({ calls: 3, reverted: 0 })
    const failing = functionIn(report, 'Meter', 'fail()')
    expect(failing).toMatchObject({ calls: 0, reverted: 1 })
    expect(failing.gas).toBeUndefined()
    const outer = functionIn(report, 'Caller', 'addThrough(uint256)')
    expect(outer.gas!.min).toBeGreaterThan(3 * functionIn(report, 'Meter', 'add(uint256)').gas!.mean)
  })

  test('has the calls of a library and through a proxy under the contract whose code runs', async () => {
    const { project, name, meter } = await measuredScene()
    const proxy = name(await project.deploy('Proxy', [meter]), 'Proxy')
    await project.call(proxy, 'Meter', 'addTwice', [4n])

    const report = await gasReport(project)

    const through = functionIn(report, 'Proxy', 'fallback')
    const behind = functionIn(report, 'Meter', 'addTwice(uint256)')
    const library = functionIn(report, 'Scale', 'twice(uint256)')
    expect([through.calls, behind.calls, library.calls]).toEqual([1, 1, 1])
    expect(through.gas!.max).toBeGreaterThan(behind.gas!.max)
    expect(behind.gas!.max).toBeGreaterThan(library.gas!.max)
  })

  test('has the cost and size of deployments, also of one contract with several codes, and counts failed ones', async () => {
    const { project, name, scale, meter } = await measuredScene()
    const second = name(await project.deploy('Meter', [6n], scale), 'Meter')
    await project.send({ data: '0xfe' })

    const report = await gasReport(project)

    const { deployments, addresses, codeHashes } = contractIn(report, 'Meter')
    const code = String(await project.node.result('eth_getCode', meter, 'latest'))
    expect(addresses).toEqual([meter, second])
    expect(codeHashes).toHaveLength(2)
    expect(deployments).toMatchObject({ count: 2, codeBytes: code.length / 2 - 1 })
    // EIP-170: 200 gas for each byte of code.
    expect(deployments!.gas.min).toBeGreaterThan(200 * deployments!.codeBytes)
    expect(report.failedDeployments).toBe(1)
  })

  test('shows the selectors of functions that no ABI names, and no plain transfers', async () => {
    const { project, meter } = await measuredScene()
    await project.send({ to: meter, data: '0x12345678' })
    await project.send({ to: meter, value: '0x1' })
    await project.send({ to: DEVELOPMENT_ACCOUNTS[3]!.address, value: '0x1' })
    const unnamed = await project.deploy('Scale')
    await project.call(unnamed, 'Scale', 'twice', [1n])

    const report = await gasReport(project)

    const { functions } = contractIn(report, 'Meter')
    expect(functions).toMatchObject([
      { selector: '0x12345678', calls: 0, reverted: 1 },
      { selector: '0x', function: 'receive', calls: 1 },
    ])
    expect(functions[0]).not.toHaveProperty('function')
    const [last] = report.contracts.slice(-1)
    expect(last).toMatchObject({
      addresses: [unnamed],
      functions: [{ selector: selectorOf('twice(uint256)'), calls: 1 }],
    })
    expect(last).not.toHaveProperty('contract')
    expect(report.contracts).toHaveLength(3)
  })

  test('covers a range of blocks, and refuses one that does not exist or cannot be replayed', async () => {
    const { project, meter } = await measuredScene()
    const { blockNumber } = await project.call(meter, 'Meter', 'add', [1n])
    await project.call(meter, 'Meter', 'add', [2n])

    const report = await gasReport(project, { fromBlock: blockNumber, toBlock: blockNumber })

    expect(report).toMatchObject({ fromBlock: blockNumber, toBlock: blockNumber, transactions: 1 })
    expect(contractIn(report, 'Meter').functions).toHaveLength(1)
    const refusal = async (range: object) =>
      (await project.node.request('tickertape_gasReport', range)).error?.message ?? 'no error'
    expect(await refusal({ toBlock: '0x99' })).toContain('beyond current head')
    expect(await refusal({ fromBlock: '0x99' })).toContain('beyond current head')
    expect(await refusal({ fromBlock: '0x3', toBlock: '0x2' })).toContain('fromBlock is after toBlock')
    expect(await refusal({ fromBlock: '0x0' })).toContain('the first block that can be is 1')
  })

  test('says how far it came when the time is up', async () => {
    const { project } = await measuredScene({ options: { maxTraceTimeoutMs: -1 } })

    expect((await project.node.request('tickertape_gasReport')).error).toMatchObject({
      code: -32000,
      message: expect.stringMatching(/the report reached block 1; choose fewer blocks with fromBlock and toBlock/),
    })
  })
})

describe('tickertape_coverage', () => {
  test('counts each instruction that ran, of deployed code and of constructors', async () => {
    const { project, meter } = await measuredScene()
    const { transactionHash, blockNumber } = await project.call(meter, 'Meter', 'add', [1n])
    await project.call(meter, 'Meter', 'add', [2n])

    const report = await coverage(project)

    const creations = report.codes.filter(({ kind }) => kind === 'creation')
    expect(creations.map(({ addresses }) => addresses[0])).toContain(meter)
    const runtime = report.codes.find(({ kind, addresses }) => kind === 'runtime' && addresses.includes(meter))!
    expect(runtime.code).toBe(await project.node.result('eth_getCode', meter, 'latest'))
    expect(runtime.hits[0]).toEqual([0, 2])

    const single = await coverage(project, { fromBlock: blockNumber, toBlock: blockNumber })
    const { structLogs } = await project.node.result('debug_traceTransaction', transactionHash)
    const counts = new Map<number, number>()
    for (const { pc } of structLogs as unknown as { pc: number }[]) counts.set(pc, (counts.get(pc) ?? 0) + 1)
    expect(single.codes.map(({ hits }) => hits)).toEqual([[...counts].sort(([a], [b]) => a - b)])
  })
})
