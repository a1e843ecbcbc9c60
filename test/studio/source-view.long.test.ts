import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileHere, inputOf, SOLC_VERSION, SOURCES } from '../support/solidity-sources.ts'
import { hasBrowser, launchBrowser, seriousViolations } from './browser.ts'
import { overflowOf } from './places.ts'
import { prepareStudio } from './prepare-studio.ts'
import { freePort, type StudioNode, startStudioNode } from './studio-node.ts'
import { verifySource } from './verify-source.ts'

let node: StudioNode
let browser: Browser
beforeAll(async () => {
  if (!hasBrowser) return
  prepareStudio()
  node = await startStudioNode(await freePort(), ['--ephemeral', '--mining', 'auto'])
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await node?.stop()
})

/** Deploys the library of the sources. @returns its address */
async function deployShares(): Promise<string> {
  const contract = { path: 'src/Shares.sol', name: 'Shares' }
  const { contract: compiled } = await compileHere({ input: inputOf(), contract })
  const [from] = (await node.request('eth_accounts')) as readonly string[]
  const hash = await node.request('eth_sendTransaction', [{ from, data: `0x${compiled.bytecode.object}` }])
  const receipt = (await node.request('eth_getTransactionReceipt', [hash])) as { readonly contractAddress: string }
  return receipt.contractAddress
}

describe.skipIf(!hasBrowser)('the sources of an account', () => {
  test('are missing before the contract is verified, and shown file by file afterwards', async () => {
    const address = await deployShares()
    const page = await browser.newPage()
    await page.goto(`${node.url}/studio#/account/${address}?tab=source`)
    await page.getByText('No source of this contract is verified on this node').waitFor()

    await verifySource(node, address, {
      input: inputOf(),
      version: SOLC_VERSION.slice(1),
      contract: 'src/Shares.sol:Shares',
    })
    await page.reload()

    await page.getByText('src/Shares.sol:Shares').waitFor()
    await page.getByText('exact match').waitFor()
    expect(await page.locator('details[open] pre').textContent()).toBe(SOURCES['src/Shares.sol'])
    expect(await seriousViolations(page)).toEqual([])
    await page.setViewportSize({ width: 380, height: 700 })
    expect(await overflowOf(page)).toBe(0)
    await page.close()
  })
})
