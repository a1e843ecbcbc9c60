import { describe, test } from 'vitest'
import { installedDevelopmentPeers, startAutominingAnvil, startAutominingHardhat } from './development-nodes.ts'
import { expectSuccess, hardhatProject, runOn, TIMEOUT, viemProject } from './project-run.ts'

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
