import { describe, expect, test } from 'vitest'
import { WalletError, Wallets } from './wallets.ts'

const ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const HASH = `0x${'ab'.repeat(32)}`

interface Request {
  readonly method: string
  readonly params?: readonly unknown[]
}

/** A page with a wallet on a chain, whose answers the test can replace. */
function pageWith(answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {}, chain = '0x1') {
  const events = new EventTarget()
  const asked: Request[] = []
  const state = { chain }
  const listeners: ((accounts: unknown) => void)[] = []
  const provider = {
    async request({ method, params = [] }: Request): Promise<unknown> {
      asked.push({ method, params })
      const answer = answers[method]
      if (answer !== undefined) return answer(params)
      switch (method) {
        case 'eth_requestAccounts':
          return [ACCOUNT]
        case 'eth_chainId':
          return state.chain
        case 'wallet_switchEthereumChain':
          state.chain = (params[0] as { chainId: string }).chainId
          return null
        case 'eth_sendTransaction':
          return HASH
        default:
          return null
      }
    },
    on: (_: string, listener: (accounts: unknown) => void) => listeners.push(listener),
  }
  const announce = (uuid = 'a', name = 'Fake') => {
    const event = new Event('eip6963:announceProvider')
    events.dispatchEvent(Object.assign(event, { detail: { info: { uuid, name }, provider } }))
  }
  const wallets = new Wallets({ events })
  return { wallets, events, announce, asked, listeners, methods: () => asked.map(({ method }) => method) }
}

const fails =
  (code: number, message = 'no') =>
  () => {
    throw { code, message }
  }

describe('Wallets', () => {
  test('asks wallets to announce themselves, and lists each once', () => {
    const { wallets, events, announce, methods } = pageWith()
    events.addEventListener('eip6963:requestProvider', () => announce())
    wallets.start()
    announce()
    announce('b', 'Second')
    expect(wallets.found.value.map(({ name }) => name)).toEqual(['Fake', 'Second'])
    expect(methods()).toEqual([])
  })

  test('ignores what is no announcement, and bounds names and wallets', () => {
    const { wallets, events, announce } = pageWith()
    wallets.start()
    for (const detail of [
      undefined,
      null,
      7,
      {},
      { info: { uuid: 1, name: 'x' } },
      { info: { uuid: 'u', name: 'x' } },
    ]) {
      events.dispatchEvent(Object.assign(new Event('eip6963:announceProvider'), { detail }))
    }
    expect(wallets.found.value).toEqual([])
    for (let index = 0; index < 50; index += 1) announce(`id ${index}`, 'x'.repeat(500))
    expect(wallets.found.value).toHaveLength(20)
    expect(wallets.found.value[0]!.name).toHaveLength(60)
  })

  test('connects a wallet and follows its accounts', async () => {
    const { wallets, announce, listeners } = pageWith()
    wallets.start()
    announce()
    listeners[0]!([ACCOUNT])
    expect(wallets.found.value[0]!.accounts).toEqual([])
    await wallets.connect('a')
    expect(wallets.found.value[0]!.accounts).toEqual([ACCOUNT.toLowerCase()])
    listeners[0]!([])
    expect(wallets.found.value[0]!.accounts).toEqual([])
  })

  test('says what the user decided', async () => {
    const { wallets, announce } = pageWith({ eth_requestAccounts: fails(4001) })
    wallets.start()
    announce()
    await expect(wallets.connect('a')).rejects.toThrow('The request was rejected in the wallet.')
  })

  test('adds the network of the node and switches to it', async () => {
    const { wallets, announce, asked } = pageWith()
    wallets.start()
    announce()
    await wallets.addNetwork('a', { chainId: 8453n, name: 'Mine', rpcUrl: 'http://127.0.0.1:8545/' })
    expect(asked).toEqual([
      {
        method: 'wallet_addEthereumChain',
        params: [
          {
            chainId: '0x2105',
            chainName: 'Mine',
            rpcUrls: ['http://127.0.0.1:8545/'],
            nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
          },
        ],
      },
      { method: 'wallet_switchEthereumChain', params: [{ chainId: '0x2105' }] },
    ])
  })

  test('sends on the chain of the page only', async () => {
    const { wallets, announce, asked } = pageWith()
    wallets.start()
    announce()
    await wallets.connect('a')
    const from = ACCOUNT.toLowerCase()
    expect(await wallets.send(from, { to: '0xaa', data: '0x' }, 5n)).toBe(HASH)
    expect(asked.slice(1).map(({ method }) => method)).toEqual([
      'eth_chainId',
      'wallet_switchEthereumChain',
      'eth_chainId',
      'eth_sendTransaction',
    ])
    expect(asked.at(-1)!.params).toEqual([{ from, to: '0xaa', data: '0x', chainId: '0x5' }])
  })

  test.each([
    ['does not know the chain', { wallet_switchEthereumChain: fails(4902) }, 'does not know chain 5'],
    ['stays on another chain', { wallet_switchEthereumChain: () => null }, 'switch it to chain 5'],
    ['refuses', { eth_sendTransaction: fails(-32000, 'insufficient funds') }, 'insufficient funds'],
    ['returns no hash', { eth_sendTransaction: () => '<img>' }, 'returned no transaction hash'],
  ])('says when the wallet %s', async (_, answers, message) => {
    const { wallets, announce, methods } = pageWith(answers)
    wallets.start()
    announce()
    await wallets.connect('a')
    const sending = wallets.send(ACCOUNT.toLowerCase(), { to: '0xaa' }, 5n)
    await expect(sending).rejects.toThrow(message)
    await expect(sending).rejects.toBeInstanceOf(WalletError)
    if (message.includes('chain 5')) expect(methods()).not.toContain('eth_sendTransaction')
  })

  test('refuses an account that is no longer connected', async () => {
    const { wallets } = pageWith()
    await expect(wallets.send(ACCOUNT, {}, 1n)).rejects.toThrow('connect it')
  })
})
