import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { encodeFunctionData } from 'viem'
import { test as base, describe, expect, onTestFinished } from 'vitest'
import { compileMeter, METER_PATH, meterInput } from '../../../test/support/measured-project.ts'
import type { TickertapeNode } from '../create-node.ts'
import { type NodeFixtures, nodeFixtures } from './vitest.ts'

const shared = base.extend<NodeFixtures>(nodeFixtures({ mining: 'auto' }))
const fresh = base.extend<NodeFixtures>(nodeFixtures({ mining: 'auto', fresh: true }))

describe('a shared node', () => {
  const seen = new Set<object>()
  shared('is at block 0 for the first test', async ({ node }) => {
    seen.add(node)
    await node.mine(3)
    expect(await node.request({ method: 'eth_blockNumber' })).toBe('0x3')
  })

  shared('has returned to block 0 for the next test', async ({ node }) => {
    seen.add(node)
    expect(await node.request({ method: 'eth_blockNumber' })).toBe('0x0')
    expect(seen.size).toBe(1)
  })
})

describe('a fresh node', () => {
  const seen = new Set<object>()
  fresh('is another one', async ({ node }) => {
    seen.add(node)
    await node.mine(3)
  })

  fresh('for each test', async ({ node }) => {
    seen.add(node)
    expect(await node.request({ method: 'eth_blockNumber' })).toBe('0x0')
    expect(seen.size).toBe(2)
  })
})

describe('reports', () => {
  base('cover the tests of a file, though the node reverts each of them', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'vitest-reports-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const artifacts = join(directory, 'artifacts')
    const output = compileMeter()
    mkdirSync(join(artifacts, 'build-info'), { recursive: true })
    const info = { solcLongVersion: '0.8.37', input: meterInput(), output }
    writeFileSync(join(artifacts, 'build-info', 'a.json'), JSON.stringify(info))
    const file = (extension: string) =>
      join(directory, 'reports', `${basename(expect.getState().testPath!)}.${extension}`)
    const { sharedNode, node: testNode } = nodeFixtures({
      mining: 'auto',
      reports: () => ({ artifacts, gasReport: file('txt'), lcov: file('info') }),
    })
    const [runFile] = sharedNode
    const runTest = testNode as (fixtures: object, use: (node: TickertapeNode) => Promise<void>) => Promise<void>

    await runFile({}, async (node) => {
      for (const value of [1n, 2n]) await runTest({ sharedNode: node }, () => callTwice(node, output, value))
    })

    expect(readFileSync(file('txt'), 'utf8')).toMatch(/^ {2}twice\(uint256\) +2 +0( +\d+){4}$/m)
    expect(readFileSync(file('info'), 'utf8')).toContain('FNDA:2,Scale.twice')
  })

  base('are refused for nodes of single tests', () => {
    expect(() => nodeFixtures({ fresh: true, reports: { artifacts: 'artifacts' } })).toThrow('leave out fresh')
  })
})

/** Deploys the library of the project and calls its function. */
async function callTwice(node: TickertapeNode, output: ReturnType<typeof compileMeter>, value: bigint): Promise<void> {
  const { abi, evm } = output.contracts[METER_PATH]!.Scale!
  const from = node.accounts[0]!.address
  const send = async (transaction: object) => {
    const hash = await node.request({
      method: 'eth_sendTransaction',
      params: [{ from, gas: '0x2dc6c0', ...transaction }],
    })
    return (await node.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as {
      readonly contractAddress: string
    }
  }
  const { contractAddress } = await send({ data: `0x${evm.bytecode.object}` })
  await send({ to: contractAddress, data: encodeFunctionData({ abi, functionName: 'twice', args: [value] }) })
}
