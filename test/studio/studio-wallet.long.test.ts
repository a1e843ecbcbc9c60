import type { Browser, Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser, type Scheme, seriousViolations, type WatchedPage, watchedPage } from './browser.ts'
import { RECIPIENT, STOCK } from './places.ts'
import { prepareStudio } from './prepare-studio.ts'
import { freePort, type StudioNode, startStudioNode } from './studio-node.ts'

const WALLET = privateKeyToAccount(generatePrivateKey())
const NAME = '<img src=x> Wallet'

/** A wallet on another chain, as an extension injects it. The test decides and signs: `walletDecides`. */
const INJECTED_WALLET = `
  let chainId = '0x1'
  const known = new Set([chainId])
  const refuse = (code, message) => { throw Object.assign(new Error(message), { code }) }
  const provider = {
    on() {},
    async request({ method, params }) {
      const decision = await globalThis.walletDecides(method, params ?? [])
      if (decision.isRejected) refuse(4001, 'User rejected the request.')
      if (method === 'eth_chainId') return chainId
      if (method === 'wallet_addEthereumChain') return void known.add(params[0].chainId)
      if (method === 'wallet_switchEthereumChain') {
        if (!known.has(params[0].chainId)) refuse(4902, 'Unrecognized chain ID.')
        chainId = params[0].chainId
        return null
      }
      return decision.result
    },
  }
  const uuid = '350670db-19fa-4704-a166-e52e178b59d2'
  const info = { uuid, name: ${JSON.stringify(NAME)}, icon: 'data:,', rdns: 'test' }
  const announce = () =>
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
  addEventListener('eip6963:requestProvider', announce)
  announce()
`

let node: StudioNode
let browser: Browser
beforeAll(async () => {
  if (!hasBrowser) return
  prepareStudio()
  node = await startStudioNode(await freePort(), ['--ephemeral'])
  await node.request('anvil_setBalance', [WALLET.address, '0xde0b6b3a7640000'])
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await node?.stop()
})

interface Call {
  readonly from: string
  readonly to: `0x${string}`
  readonly data: `0x${string}`
}

/** Signs a call as a wallet does, and sends it to the node. */
async function signAndSend({ to, data }: Call): Promise<unknown> {
  const nonce = Number(await node.request('eth_getTransactionCount', [WALLET.address, 'pending']))
  const chainId = Number(await node.request('eth_chainId'))
  const fees = { gas: 200_000n, maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n }
  return node.request('eth_sendRawTransaction', [await WALLET.signTransaction({ chainId, nonce, to, data, ...fees })])
}

/** The page of a stock in a browser with a wallet. */
async function openWithWallet(scheme: Scheme = 'light') {
  const watched = await watchedPage(browser, scheme)
  const { page } = watched
  const asked: (readonly [method: string, params: readonly unknown[]])[] = []
  const rejected = new Set<string>()
  await page.exposeFunction('walletDecides', async (method: string, params: readonly unknown[]) => {
    asked.push([method, params])
    if (rejected.has(method)) return { isRejected: true }
    if (method === 'eth_requestAccounts') return { result: [WALLET.address] }
    return { result: method === 'eth_sendTransaction' ? await signAndSend(params[0] as Call) : null }
  })
  await page.addInitScript(INJECTED_WALLET)
  await page.goto(`${node.url}/studio#/account/${STOCK}`)
  await page.locator('strong').filter({ hasText: NAME }).waitFor()
  return { watched, page, asked, rejected }
}

/** The form of `approve`, filled. */
async function approvalForm(page: Page) {
  await page.getByText('approve(address spender, uint256 amount)').click()
  const form = page.locator('details[open]').filter({ hasText: 'approve(address spender' })
  await form.getByLabel('spender address').fill(RECIPIENT)
  await form.getByLabel('amount uint256').fill('7')
  return form
}

async function closed({ page, problems, addresses }: WatchedPage): Promise<void> {
  expect(problems).toEqual([])
  expect([...new Set(addresses.map((address) => new URL(address).host))]).toEqual([new URL(node.url).host])
  await page.close()
}

describe.skipIf(!hasBrowser)('wallets in the studio', () => {
  test('asks a wallet nothing before the user connects it, and shows its name as text', async () => {
    const { watched, page, asked } = await openWithWallet()
    expect(asked).toEqual([])
    expect(await page.locator('#app img').count()).toBe(0)
    await closed(watched)
  })

  test.each(['light', 'dark'] as const)('has no serious fault of accessibility in %s colours', async (scheme) => {
    const { watched, page } = await openWithWallet(scheme)
    expect(await seriousViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.locator(`a[title="${WALLET.address.toLowerCase()}"]`).first().waitFor()
    await page.getByRole('button', { name: 'Add network' }).click()
    await page.getByRole('status').filter({ hasText: 'has chain 31337 now' }).waitFor()
    expect(await seriousViolations(page)).toEqual([])
    await closed(watched)
  })

  test('adds the network of the node to a wallet', async () => {
    const { watched, page, asked } = await openWithWallet()
    await page.getByRole('button', { name: 'Add network' }).click()
    await page.getByRole('status').filter({ hasText: 'has chain 31337 now' }).waitFor()
    expect(asked).toEqual([
      ['wallet_addEthereumChain', [expect.objectContaining({ chainId: '0x7a69', rpcUrls: [`${node.url}/`] })]],
      ['wallet_switchEthereumChain', [{ chainId: '0x7a69' }]],
    ])
    await closed(watched)
  })

  test('has the wallet sign a contract write, which is seen in its flashblock', async () => {
    const { watched, page } = await openWithWallet()
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('button', { name: 'Add network' }).click()
    await page.getByRole('status').filter({ hasText: 'has chain 31337 now' }).waitFor()
    const form = await approvalForm(page)
    expect(await form.getByLabel('From').locator('option:checked').textContent()).toBe(
      `${WALLET.address.toLowerCase()} · ${NAME}`,
    )

    await form.getByRole('button', { name: 'Send transaction' }).click()

    await form.getByText(/pre-confirmed in flashblock \d+ after \d+ ms/).waitFor()
    const hash = await form.getByRole('status').getByRole('link').first().getAttribute('title')
    expect(await node.request('eth_getTransactionByHash', [hash])).toMatchObject({
      from: WALLET.address.toLowerCase(),
      to: STOCK,
    })
    await closed(watched)
  })

  test('still has the node sign for a development account', async () => {
    const { watched, page, asked } = await openWithWallet()
    await page.getByRole('button', { name: 'Connect' }).click()
    const form = await approvalForm(page)
    const [account] = (await node.request('eth_accounts')) as readonly string[]
    await form.getByLabel('From').selectOption(account!)
    await form.getByRole('button', { name: 'Send transaction' }).click()
    const hash = await form.getByRole('status').getByRole('link').first().getAttribute('title')
    expect(await node.request('eth_getTransactionByHash', [hash])).toMatchObject({ from: account })
    expect(asked.map(([method]) => method)).toEqual(['eth_requestAccounts'])
    await closed(watched)
  })

  test('sends nothing on another chain, and says what the user rejected', async () => {
    const { watched, page, asked, rejected } = await openWithWallet()
    await page.getByRole('button', { name: 'Connect' }).click()
    const form = await approvalForm(page)
    await form.getByRole('button', { name: 'Send transaction' }).click()
    await form.getByRole('alert').filter({ hasText: 'does not know chain 31337' }).waitFor()
    expect(asked.map(([method]) => method)).not.toContain('eth_sendTransaction')

    await page.getByRole('button', { name: 'Add network' }).click()
    await page.getByRole('status').filter({ hasText: 'has chain 31337 now' }).waitFor()
    rejected.add('eth_sendTransaction')
    await form.getByRole('button', { name: 'Send transaction' }).click()
    await form.getByRole('alert').filter({ hasText: 'rejected in the wallet' }).waitFor()
    await closed(watched)
  })
})
