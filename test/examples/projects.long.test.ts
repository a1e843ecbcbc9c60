import { describe, expect, test } from 'vitest'
import {
  installedDevelopmentPeers,
  startAutominingAnvil,
  startAutominingHardhat,
  startAutominingOurs,
} from './development-nodes.ts'
import { expectSuccess, hardhatProject, runOn, TIMEOUT, viemProject } from './project-run.ts'

// All runs of the projects are in one file: files run at the same time, and would install the same packages twice.

describe('an unchanged Hardhat project', () => {
  test('passes every test on our node', { timeout: TIMEOUT }, async (context) => {
    const result = await runOn(context, hardhatProject, startAutominingOurs)

    expectSuccess(result)
    expect(result.skipped, result.output).toBe(0)
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
