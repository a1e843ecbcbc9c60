import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodeDeployData, encodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runNode } from '../support/compiled-program.ts'
import { compileMeter, METER_PATH, meterInput } from '../support/measured-project.ts'
import { type NodeProcess, spawnNode } from '../support/node-processes.ts'

const MAIN = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url))
const ACCOUNT = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const directory = mkdtempSync(join(tmpdir(), 'report-commands-'))
const artifacts = join(directory, 'artifacts')
const output = compileMeter()

let node: NodeProcess
beforeAll(async () => {
  mkdirSync(join(artifacts, 'build-info'), { recursive: true })
  const info = { solcLongVersion: '0.8.37', input: meterInput(), output }
  writeFileSync(join(artifacts, 'build-info', 'a.json'), JSON.stringify(info))
  node = await spawnNode(['--ephemeral', '--mining', 'auto', '--log-level', 'error'])
  await rpc('tickertape_startReport')
  const proxy = output.contracts[METER_PATH]!.Proxy!
  const meter = output.contracts[METER_PATH]!.Meter!
  const library = await deployed(`0x${output.contracts[METER_PATH]!.Scale!.evm.bytecode.object}`)
  const code = meter.evm.bytecode.object.replace(/__\$[0-9a-f]{34}\$__/g, library.slice(2))
  const address = await deployed(encodeDeployData({ abi: meter.abi, bytecode: `0x${code}`, args: [5n] }))
  await deployed(encodeDeployData({ abi: meter.abi, bytecode: `0x${code}`, args: [6n] }))
  const snapshot = await rpc('evm_snapshot')
  for (const amount of [1n, 2n]) {
    await sent({ to: address, data: encodeFunctionData({ abi: meter.abi, functionName: 'add', args: [amount] }) })
  }
  await deployed(encodeDeployData({ abi: proxy.abi, bytecode: `0x${proxy.evm.bytecode.object}`, args: [address] }))
  // A suite that leaves nothing on the chain.
  await rpc('evm_revert', snapshot)
})
afterAll(async () => {
  await node.stop()
  rmSync(directory, { recursive: true, force: true })
})

const rpc = (method: string, ...params: readonly unknown[]) => request(node, method, ...params)

async function request(at: NodeProcess, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(at.rpc, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result, error } = (await response.json()) as { readonly result: unknown; readonly error?: object }
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
  return result
}

async function sent(transaction: object, at = node): Promise<{ readonly contractAddress: string }> {
  const hash = await request(at, 'eth_sendTransaction', { from: ACCOUNT, gas: '0x2dc6c0', ...transaction })
  return (await request(at, 'eth_getTransactionReceipt', hash)) as { readonly contractAddress: string }
}

async function deployed(data: string): Promise<string> {
  return (await sent({ data })).contractAddress
}

const run = (...args: readonly string[]) => runNode([MAIN, ...args, '--rpc-url', node.rpc])

describe('tickertape gas-report', () => {
  test('prints a table with the names of the project, of a suite that was reverted', async () => {
    const { status, output: text, errors } = await run('gas-report', '--abi', artifacts)

    expect(status, errors).toBe(0)
    // Two contracts whose codes differ by an immutable.
    expect(text).toMatch(/^src\/Meter\.sol:Meter \(0x[0-9a-f]{40} and 1 more\)$/m)
    expect(text).toMatch(/^ {2}deployment +2 +0( +\d+){4}$/m)
    expect(text).toMatch(/^ {2}add\(uint256\) +2 +0( +\d+){4}$/m)
    expect(text).toMatch(/^ {2}code \d+ bytes, creation code with arguments \d+ bytes$/m)
    expect(text).toMatch(/^6 transactions$/m)
  })

  test('names no functions without a project, and refuses a folder without build information', async () => {
    const { contracts } = JSON.parse((await run('gas-report', '--json')).output)
    expect(contracts[0]).not.toHaveProperty('code')
    expect(contracts.map(({ contract }: { contract?: string }) => contract)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])

    const { status, errors } = await run('gas-report', '--abi', directory)
    expect(status).toBe(2)
    expect(errors).toContain('compile with hardhat build or forge build --build-info')
  })
})

test('a node with --abi verifies the contracts of the project and names them, without an upload', async () => {
  const named = await spawnNode(['--ephemeral', '--mining', 'auto', '--log-level', 'error', '--abi', artifacts])
  try {
    const { abi, evm } = output.contracts[METER_PATH]!.Scale!
    const { contractAddress } = await sent({ data: `0x${evm.bytecode.object}` }, named)
    const data = encodeFunctionData({ abi, functionName: 'twice', args: [2n] })
    await sent({ to: contractAddress, data }, named)

    const response = await fetch(`${named.rpc}/verify/sourcify/v2/contract/31337/${contractAddress}`)
    expect(await response.json()).toMatchObject({ match: 'exact_match' })
    const { output: text } = await runNode([MAIN, 'gas-report', '--rpc-url', named.rpc])
    expect(text).toContain(`${METER_PATH}:Scale (${contractAddress})`)
    expect(text).toMatch(/^ {2}twice\(uint256\) +1 /m)
  } finally {
    await named.stop()
  }
})

describe('tickertape coverage', () => {
  test('prints a table and writes a tracefile', async () => {
    const out = join(directory, 'lcov.info')

    const { status, output: text, errors } = await run('coverage', '--abi', artifacts, '--out', out)

    expect(status, errors).toBe(0)
    expect(text).toMatch(/^src\/Meter\.sol +\d+\.\d % \(\d+\/\d+\) +\d+\.\d % \(\d+\/\d+\) +50\.0 % \(1\/2\)$/m)
    const tracefile = readFileSync(out, 'utf8')
    expect(tracefile).toContain(`SF:${METER_PATH}`)
    expect(tracefile).toContain('FNDA:2,Meter.add')
    expect(tracefile).toContain('FNDA:0,Caller.addThrough')
  })

  test('ends with exit code 1 below a minimum, and 2 without sources', async () => {
    const low = await run('coverage', '--abi', artifacts, '--fail-under', '99.5', '--json')
    expect(low.status).toBe(1)
    expect(JSON.parse(low.output).totals.branches).toEqual({ hit: 1, found: 2 })
    expect((await run('coverage', '--abi', artifacts, '--fail-under', '10')).status).toBe(0)
    expect((await run('coverage', '--fail-under', '101')).status).toBe(2)

    const { status, errors } = await run('coverage')
    expect(status).toBe(2)
    expect(errors).toContain('name its folder with --abi, or verify the contracts')
  })
})
