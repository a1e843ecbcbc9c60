import { bigintOf } from '../../live/amount.ts'
import { Store } from '../../live/store.ts'

/** A wallet of the browser that announced itself (EIP-6963). */
export interface Wallet {
  /** Names the wallet until the page closes. */
  readonly uuid: string
  readonly name: string
  /** Accounts that the user connected to this page. */
  readonly accounts: readonly string[]
}

/** The chain as a wallet adds it (EIP-3085). */
export interface WalletNetwork {
  readonly chainId: bigint
  readonly name: string
  readonly rpcUrl: string
}

/** The part of an EIP-1193 provider that is used. */
interface Provider {
  request(request: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
  on?(event: 'accountsChanged', listener: (accounts: unknown) => void): unknown
}

export interface WalletsDeps {
  /** `window`: the announcements are its events. */
  readonly events: EventTarget
}

/** A wallet refused, or it is on another chain. The message says what to do. */
export class WalletError extends Error {
  override readonly name = 'WalletError'
  readonly code: 'REFUSED' | 'WRONG_CHAIN' | 'INVALID_RESPONSE'

  constructor(code: WalletError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** A page with more wallets than this is not one of a user. */
const MAX_WALLETS = 20
const MAX_NAME = 60
/** Error codes of EIP-1193 and EIP-3085. */
const USER_REJECTED = 4001
const UNKNOWN_CHAIN = 4902

/** Wallets of the browser, found by EIP-6963. A wallet sees this page only when the user connects it. */
export class Wallets {
  readonly found = new Store<readonly Wallet[]>([])
  readonly #events: EventTarget
  readonly #providers = new Map<string, Provider>()

  constructor({ events }: WalletsDeps) {
    this.#events = events
  }

  /** Asks wallets to announce themselves; later ones do so when they load. */
  start(): void {
    this.#events.addEventListener('eip6963:announceProvider', (event) => this.#announced((event as CustomEvent).detail))
    this.#events.dispatchEvent(new Event('eip6963:requestProvider'))
  }

  /**
   * Connects a wallet: the user chooses accounts in it.
   *
   * @throws WalletError
   */
  async connect(uuid: string): Promise<void> {
    this.#setAccounts(uuid, await this.#request(uuid, 'eth_requestAccounts'))
    if (this.#wallet(uuid)?.accounts.length === 0) throw new WalletError('REFUSED', 'The wallet connected no account.')
  }

  /**
   * Adds a chain to a wallet, and makes it the current one.
   *
   * @throws WalletError
   */
  async addNetwork(uuid: string, { chainId, name, rpcUrl }: WalletNetwork): Promise<void> {
    const network = {
      chainId: hexOf(chainId),
      chainName: name,
      rpcUrls: [rpcUrl],
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    }
    await this.#request(uuid, 'wallet_addEthereumChain', [network])
    await this.#request(uuid, 'wallet_switchEthereumChain', [{ chainId: hexOf(chainId) }])
  }

  /** The wallet that has an account connected. */
  walletOf(account: string): Wallet | undefined {
    return this.found.value.find(({ accounts }) => accounts.includes(account))
  }

  /**
   * Has a wallet sign and send a transaction, on the chain of the page only.
   *
   * @returns the hash
   * @throws WalletError
   */
  async send(from: string, call: object, chainId: bigint): Promise<string> {
    const wallet = this.walletOf(from)
    if (wallet === undefined) throw new WalletError('REFUSED', `No wallet has ${from} connected any more: connect it.`)
    const { uuid, name } = wallet
    if (bigintOf(await this.#request(uuid, 'eth_chainId')) !== chainId) await this.#switch(uuid, chainId)
    // A wallet may answer the switch before the user has decided.
    if (bigintOf(await this.#request(uuid, 'eth_chainId')) !== chainId) {
      throw new WalletError('WRONG_CHAIN', `${name} is on another chain: switch it to chain ${chainId}.`)
    }
    // The user may switch the wallet to another chain while it asks: with the chain id it refuses there.
    const transaction = { from, ...call, chainId: hexOf(chainId) }
    const hash = await this.#request(uuid, 'eth_sendTransaction', [transaction])
    if (typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash)) return hash
    throw new WalletError('INVALID_RESPONSE', `${name} returned no transaction hash.`)
  }

  async #switch(uuid: string, chainId: bigint): Promise<void> {
    try {
      await this.#provider(uuid).request({
        method: 'wallet_switchEthereumChain',
        params: [{ chainId: hexOf(chainId) }],
      })
    } catch (error) {
      if (codeOf(error) !== UNKNOWN_CHAIN) throw walletError(error)
      const message = `The wallet does not know chain ${chainId}: use “Add network” first.`
      throw new WalletError('WRONG_CHAIN', message)
    }
  }

  #announced(detail: unknown): void {
    const { info, provider } = (detail ?? {}) as { info?: Record<string, unknown>; provider?: Partial<Provider> }
    const { uuid, name } = info ?? {}
    if (typeof uuid !== 'string' || typeof name !== 'string' || typeof provider?.request !== 'function') return
    // Wallets announce themselves again at each request.
    if (this.#providers.has(uuid) || this.#providers.size >= MAX_WALLETS) return
    this.#providers.set(uuid, provider as Provider)
    this.found.update((before) => [...before, { uuid, name: name.slice(0, MAX_NAME), accounts: [] }])
    provider.on?.('accountsChanged', (accounts) => {
      // Only for a page that the user connected.
      if (this.#wallet(uuid)?.accounts.length !== 0) this.#setAccounts(uuid, accounts)
    })
  }

  #setAccounts(uuid: string, accounts: unknown): void {
    const all = (Array.isArray(accounts) ? accounts : []).filter(isAddress).map((one) => one.toLowerCase())
    this.found.update((before) => before.map((one) => (one.uuid === uuid ? { ...one, accounts: all } : one)))
  }

  #wallet(uuid: string): Wallet | undefined {
    return this.found.value.find((one) => one.uuid === uuid)
  }

  #provider(uuid: string): Provider {
    const provider = this.#providers.get(uuid)
    if (provider === undefined) throw new WalletError('REFUSED', 'The wallet is gone: load the page again.')
    return provider
  }

  async #request(uuid: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
    try {
      return await this.#provider(uuid).request({ method, params })
    } catch (error) {
      throw walletError(error)
    }
  }
}

function walletError(error: unknown): WalletError {
  if (error instanceof WalletError) return error
  if (codeOf(error) === USER_REJECTED) return new WalletError('REFUSED', 'The request was rejected in the wallet.')
  const { message } = (error ?? {}) as { message?: unknown }
  return new WalletError('REFUSED', typeof message === 'string' ? message : 'The wallet refused without a message.')
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null | undefined)?.code
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)
}

function hexOf(value: bigint): string {
  return `0x${value.toString(16)}`
}
