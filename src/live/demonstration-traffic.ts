import { errorText } from './request-error.ts'
import { readStocks, type StockRecord } from './stock-list.ts'
import { Store } from './store.ts'

/** Traffic as a page or a terminal shows it. */
export interface TrafficState {
  readonly isRunning: boolean
  /** Transactions that the node accepted. */
  readonly sent: number
  /** Why it ended by itself, or why the last transaction was refused. */
  readonly problem: string | undefined
}

export interface TrafficDeps {
  readonly client: {
    request(method: string, params?: readonly unknown[]): Promise<unknown>
    read(path: string): Promise<{ readonly status: number; readonly text: string }>
  }
  readonly after: (milliseconds: number, action: () => void) => () => void
}

/** Between rounds; the number of transactions of a round rises and falls. */
const ROUND_MS = 250
const TRANSFER = '0xa9059cbb'
const BALANCE_OF = '0x70a08231'
const TRANSFER_GAS = '0x249f0'
const TENTH_OF_ETHER = 10n ** 17n
/** Refusals one after the other that end the traffic. */
const MAX_REFUSALS = 10

interface Parties {
  readonly accounts: readonly string[]
  /** Stocks that the first account holds. */
  readonly stocks: readonly StockRecord[]
}

interface Call {
  readonly from: string
  readonly to: string
  readonly value?: string
  readonly data?: string
  readonly gas?: string
}

/**
 * Sends transactions between the accounts that a development node signs for, until it is stopped: the first account
 * distributes its stocks, and all of them send ether in turn. It is for people who look at a chain: some transactions a
 * second, in waves.
 */
export class DemonstrationTraffic {
  readonly state = new Store<TrafficState>({ isRunning: false, sent: 0, problem: undefined })
  readonly #deps: TrafficDeps
  #cancel: (() => void) | undefined
  /** The run of the newest start; a run that awaited something while it was stopped must not go on beside the next. */
  #run: object | undefined
  #round = 0
  #index = 0
  #refusals = 0

  constructor(deps: TrafficDeps) {
    this.#deps = deps
  }

  /** Does nothing while it runs. Without two accounts to send between it ends at once and says so. */
  async start(): Promise<void> {
    if (this.state.value.isRunning) return
    const run = {}
    this.#run = run
    this.#refusals = 0
    this.state.update((before) => ({ ...before, isRunning: true, problem: undefined }))
    try {
      const parties = await this.#parties()
      if (parties.accounts.length < 2) throw new Error('The node signs for fewer than two accounts.')
      if (this.#run === run) this.#schedule(parties, run)
    } catch (error) {
      if (this.#run === run) this.#end(errorText(error))
    }
  }

  stop(): void {
    this.#end(undefined)
  }

  #end(problem: string | undefined): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#run = undefined
    this.state.update((before) => ({ ...before, isRunning: false, problem }))
  }

  async #parties(): Promise<Parties> {
    const { client } = this.#deps
    const found = await client.request('eth_accounts')
    const accounts = (Array.isArray(found) ? found : []).filter((one) => typeof one === 'string')
    const [holder] = accounts
    // A chain without the service of stocks still has ether to send.
    const stocks = holder === undefined ? [] : await readStocks(client).catch(() => [])
    const held = await Promise.all(stocks.map((stock) => this.#isHeld(stock, holder!)))
    return { accounts, stocks: stocks.filter((_, position) => held[position]) }
  }

  async #isHeld({ address }: StockRecord, holder: string): Promise<boolean> {
    const call = { to: address, data: `${BALANCE_OF}${word(holder)}` }
    const balance = await this.#deps.client.request('eth_call', [call, 'pending']).catch(() => '0x')
    return typeof balance === 'string' && /^0x0*[1-9a-f]/i.test(balance)
  }

  #schedule(parties: Parties, run: object): void {
    this.#cancel = this.#deps.after(ROUND_MS, () => void this.#send(parties, run))
  }

  async #send(parties: Parties, run: object): Promise<void> {
    const wave = 1.6 + 1.4 * Math.sin(this.#round / 9) + 0.8 * Math.sin(this.#round / 2.3)
    this.#round += 1
    for (let count = Math.round(wave); count > 0 && this.#run === run; count -= 1) {
      const index = this.#index
      this.#index += 1
      await this.#sendOne(index, parties, run)
    }
    if (this.#run !== run) return
    if (this.#refusals >= MAX_REFUSALS) this.#end(this.state.value.problem)
    else this.#schedule(parties, run)
  }

  async #sendOne(index: number, parties: Parties, run: object): Promise<void> {
    try {
      await this.#deps.client.request('eth_sendTransaction', [callAt(index, parties)])
      this.state.update((before) => ({ ...before, sent: before.sent + 1 }))
      if (this.#run !== run) return
      this.#refusals = 0
      this.state.update((before) => ({ ...before, problem: undefined }))
    } catch (error) {
      if (this.#run !== run) return
      this.#refusals += 1
      this.state.update((before) => ({ ...before, problem: errorText(error) }))
    }
  }
}

/** The n-th transaction: every third one sends ether, the others stocks of the first account. */
function callAt(index: number, { accounts, stocks }: Parties): Call {
  const turn = Math.floor(index / 3)
  const isEther = index % 3 === 0 || stocks.length === 0
  const sender = isEther ? turn % accounts.length : 0
  const recipient = accounts[(sender + 1 + (index % (accounts.length - 1))) % accounts.length]!
  if (isEther) {
    return { from: accounts[sender]!, to: recipient, value: hex((BigInt(index % 4) + 1n) * TENTH_OF_ETHER) }
  }
  const { address, decimals } = stocks[turn % stocks.length]!
  // Quarters of a token; a token without decimals has none.
  const amount = ((BigInt((index * 13) % 97) + 1n) * 10n ** BigInt(decimals)) / 4n || 1n
  const data = `${TRANSFER}${word(recipient)}${word(hex(amount))}`
  return { from: accounts[0]!, to: address, data, gas: TRANSFER_GAS }
}

function word(digits: string): string {
  return digits.slice(2).toLowerCase().padStart(64, '0')
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`
}
