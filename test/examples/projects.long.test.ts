import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { runNode } from '../support/compiled-program.ts'
import {
  installedDevelopmentPeers,
  startAutominingAnvil,
  startAutominingHardhat,
  startAutominingOurs,
} from './development-nodes.ts'
import { expectSuccess, hardhatProject, runOn, TIMEOUT, viemProject } from './project-run.ts'

// All runs of the projects are in one file: files run at the same time, and would install the same packages twice.

const MAIN = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url))
const ARTIFACTS = fileURLToPath(new URL('../../examples/hardhat/artifacts', import.meta.url))

describe('an unchanged Hardhat project', () => {
  test('passes every test on our node, which reports its gas and coverage', { timeout: TIMEOUT }, async (context) => {
    const report = (name: string, url: string) => runNode([MAIN, name, '--rpc-url', url, '--abi', ARTIFACTS, '--json'])
    let gas: Awaited<ReturnType<typeof runNode>> | undefined
    let coverage: typeof gas
    const result = await runOn(context, hardhatProject, startAutominingOurs, {}, async (url) => {
      gas = await report('gas-report', url)
      coverage = await report('coverage', url)
    })

    expectSuccess(result)
    expect(result.skipped, result.output).toBe(0)
    // loadFixture reverts to the deployments, and the last file resets the chain.
    const { contracts, incomplete } = JSON.parse(gas!.output)
    expect(incomplete).toBeUndefined()
    const named = (name: string) => contracts.find(({ contract }: { contract?: string }) => contract === name)
    expect(named('contracts/Vault.sol:Vault')).toMatchObject({
      deployments: { count: 5 },
      functions: [
        { function: 'receive', calls: 1 },
        { function: 'withdraw()', calls: 2 },
      ],
    })
    expect(named('contracts/Probe.sol:Probe').functions).toContainEqual(
      expect.objectContaining({ function: 'failReason(bool)', calls: 1, reverted: 1 }),
    )
    const { files } = JSON.parse(coverage!.output)
    const vault = files.find(({ path }: { path: string }) => path === 'contracts/Vault.sol')
    // Its ten statements stand on a line each.
    expect(vault.lines).toEqual({ hit: 10, found: 10 })
  })
})

describe('an unchanged viem project', () => {
  test('passes every test on our node in mode anvil', { timeout: TIMEOUT }, async (context) => {
    const result = await runOn(context, viemProject, startAutominingOurs, { TEST_CLIENT_MODE: 'anvil' })

    expectSuccess(result)
    expect(result.skipped, result.output).toBe(0)
  })

  test('passes on our node with --compat hardhat', { timeout: TIMEOUT }, async (context) => {
    const start = () => startAutominingOurs(['--compat', 'hardhat', '--client-version', 'HardhatNetwork/tickertape'])

    expectSuccess(await runOn(context, viemProject, start))
  })
})

describe('the other nodes', () => {
  const isInstalled = (name: 'anvil' | 'hardhat') => {
    if (installedDevelopmentPeers()[name]) return true
    console.warn(`skipped: the example projects on ${name} (npm run bench:peers installs it)`)
    return false
  }

  describe.runIf(isInstalled('anvil'))('Anvil', () => {
    test('passes the Hardhat project', { timeout: TIMEOUT }, async (context) => {
      expectSuccess(await runOn(context, hardhatProject, startAutominingAnvil))
    })

    test('passes the viem project', { timeout: TIMEOUT }, async (context) => {
      expectSuccess(await runOn(context, viemProject, startAutominingAnvil))
    })
  })

  describe("Hardhat's node", () => {
    // Part of the packages of the Hardhat project.
    test('passes the Hardhat project', { timeout: TIMEOUT }, async (context) => {
      expectSuccess(await runOn(context, hardhatProject, startAutominingHardhat))
    })

    test('passes the viem project', { timeout: TIMEOUT }, async (context) => {
      await hardhatProject.install()
      expectSuccess(await runOn(context, viemProject, startAutominingHardhat))
    })
  })
})
