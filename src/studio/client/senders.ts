import type { NodeClient } from '../../live/node-client.ts'
import { Store } from '../../live/store.ts'
import type { Wallets } from './wallets.ts'

/** A call that becomes a transaction. */
export interface TransactionCall {
  /** Absent: creates a contract. */
  readonly to?: string
  readonly data: string
  /** Numbers in hex, those of money in wei. Absent ones are chosen by the node. */
  readonly value?: string
  readonly nonce?: string
  readonly gas?: string
  readonly gasPrice?: string
  readonly maxFeePerGas?: string
  readonly maxPriorityFeePerGas?: string
}

export interface SendersDeps {
  readonly client: Pick<NodeClient, 'request'>
  readonly wallets: Pick<Wallets, 'found' | 'walletOf' | 'send'>
  readonly after: (milliseconds: number, action: () => void) => () => void
}

const POLL_MS = 200
/** A transaction that waits longer is followed by its own page. */
const MAX_POLLS = 50

/** The accounts that transactions can be sent from: those that a wallet or the node signs for. */
export class Senders {
  /** Accounts of connected wallets, those of the node, then impersonated ones. */
  readonly accounts = new Store<readonly string[]>([])
  /** Accounts that this page made the node impersonate, newest first. */
  readonly impersonated = new Store<readonly string[]>([])
  readonly #deps: SendersDeps
  #ofNode: readonly string[] = []

  constructor(deps: SendersDeps) {
    this.#deps = deps
    deps.wallets.found.subscribe(() => this.#update())
  }

  /** Reads the accounts of the node; a node without accounts has none. */
  async refresh(): Promise<void> {
    const found = await this.#deps.client.request('eth_accounts').catch(() => [])
    this.#ofNode = (Array.isArray(found) ? found : []).filter((one) => typeof one === 'string')
    this.#update()
  }

  /** @throws RequestError */
  async impersonate(address: string): Promise<void> {
    await this.#deps.client.request('anvil_impersonateAccount', [address])
    this.impersonated.update((before) => [address, ...before.filter((one) => one !== address)])
    this.#update()
  }

  /** @throws RequestError */
  async stopImpersonating(address: string): Promise<void> {
    await this.#deps.client.request('anvil_stopImpersonatingAccount', [address])
    this.impersonated.update((before) => before.filter((one) => one !== address))
    this.#update()
  }

  /** Name of the wallet that signs for an account; `undefined`: the node does. */
  signerOf(account: string): string | undefined {
    return this.#deps.wallets.walletOf(account)?.name
  }

  /**
   * Sends a transaction that a wallet signs, if it has the account connected, or else the node.
   *
   * @returns its hash
   * @throws RequestError, WalletError
   */
  async send(from: string, call: TransactionCall): Promise<string> {
    const { client, wallets } = this.#deps
    if (wallets.walletOf(from) === undefined) {
      return String(await client.request('eth_sendTransaction', [{ from, ...call }]))
    }
    return wallets.send(from, call, BigInt(String(await client.request('eth_chainId'))))
  }

  /** Resolves when a transaction is in a block, or after ten seconds. */
  async included(hash: string): Promise<void> {
    for (let poll = 0; poll < MAX_POLLS; poll += 1) {
      const receipt = await this.#deps.client.request('eth_getTransactionReceipt', [hash]).catch(() => null)
      if (receipt !== null) return
      await new Promise<void>((resolve) => this.#deps.after(POLL_MS, resolve))
    }
  }

  #update(): void {
    const ofWallets = this.#deps.wallets.found.value.flatMap(({ accounts }) => accounts)
    // Wallets write the letters of an address in either case.
    const others = [...this.#ofNode, ...this.impersonated.value].filter((one) => !ofWallets.includes(one.toLowerCase()))
    this.accounts.set([...new Set([...ofWallets, ...others])])
  }
}
