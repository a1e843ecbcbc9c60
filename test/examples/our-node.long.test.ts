import { describe, expect, test } from 'vitest'
import { startAutominingOurs } from './development-nodes.ts'
import { expectSuccess, hardhatProject, runOn, TIMEOUT, viemProject } from './project-run.ts'

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
