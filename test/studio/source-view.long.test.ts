import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileHere, inputOf, SOLC_VERSION, SOURCES } from '../support/solidity-sources.ts'
import { hasBrowser, launchBrowser, seriousViolations } from './browser.ts'
import { overflowOf } from './places.ts'
import { prepareStudio } from './prepare-studio.ts'
import { freePort, type StudioNode, startStudioNode } from './studio-node.ts'

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

async function json(path: string, body?: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' }
  const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
  return (await (await fetch(`${node.url}/verify/sourcify/v2/${path}`, init)).json()) as Record<string, unknown>
}

describe.skipIf(!hasBrowser)('the sources of an account', () => {
  test('are missing before the contract is verified, and shown file by file afterwards', async () => {
    const address = await deployShares()
    const page = await browser.newPage()
    await page.goto(`${node.url}/studio#/account/${address}?tab=source`)
    await page.getByText('No source of this contract is verified on this node').waitFor()

    const chainId = Number(await node.request('eth_chainId'))
    const { verificationId } = await json(`verify/${chainId}/${address}`, {
      stdJsonInput: inputOf(),
      compilerVersion: SOLC_VERSION.slice(1),
      contractIdentifier: 'src/Shares.sol:Shares',
    })
    await expect
      .poll(async () => (await json(`verify/${verificationId}`)).isJobCompleted, { timeout: 60_000 })
      .toBe(true)
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
