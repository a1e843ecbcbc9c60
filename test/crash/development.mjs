// The client of `--dev`: one client changes state, sends, takes snapshots and reverts, and remembers every value.

import { DEVELOPMENT_ACCOUNTS } from '../../dist/chain/accounts/development-accounts.js'
import { request, result } from './client.mjs'

const ACCOUNTS = ['a1', 'a2', 'a3'].map((byte) => `0x${byte.repeat(20)}`)
const SLOTS = ['0x1', '0x2', '0x3']
const SENDER = DEVELOPMENT_ACCOUNTS[0].address
/** Longest wait for an accepted transaction. */
const TIMEOUT_MS = 60_000

/** Values that the client knows, and what a restarted node must have. */
export class DevelopmentPromises {
  /** Values of all keys after the last acknowledged operation. */
  #values = new Map(keys().map((key) => [key, 0n]))
  /** Values after the operation in progress, if it takes effect. */
  #next
  /** Snapshots of this process, oldest first. */
  #snapshots = []
  acknowledged = 0
  /** Acknowledged reverts. */
  preconfirmed = 0
  logs = 0
  blocks = 0
  lost = []
  withdrawn = []

  /** Checks that each operation took effect as a whole or not at all, and acknowledged ones did. */
  async check(url) {
    this.#snapshots = []
    await settled(url)
    const found = await readAll(url)
    const candidates = [this.#values, this.#next].filter((values) => values !== undefined)
    if (!candidates.some((values) => isSame(values, found))) {
      this.lost.push(`expected ${candidates.map(text).join(' or ')}, found ${text(found)}`)
    }
    this.#values = found
    this.#next = undefined
    this.blocks = Number(await result(url, 'eth_blockNumber'))
  }

  /** Performs random operations until the node stops responding. */
  async load(url, random) {
    try {
      for (;;) await this.#perform(url, this.#choose(random))
    } catch (error) {
      const isGone = error instanceof TypeError || error instanceof SyntaxError || error.name === 'AbortError'
      if (!isGone) throw error
    }
  }

  #choose(random) {
    const pick = (list) => list[Math.floor(random() * list.length)]
    const value = BigInt(Math.floor(random() * 1e6))
    const account = pick(ACCOUNTS)
    const slot = pick(SLOTS)
    const choice = random()
    if (choice < 0.2) return set('anvil_setBalance', [account, hex(value)], `${account} balance`, value)
    if (choice < 0.35) {
      const key = `${account} balance`
      return set('anvil_addBalance', [account, hex(value)], key, this.#values.get(key) + value)
    }
    if (choice < 0.55) {
      const word = `0x${value.toString(16).padStart(64, '0')}`
      return set('anvil_setStorageAt', [account, slot, word], `${account} ${slot}`, value)
    }
    if (choice < 0.7) {
      const key = `${account} balance`
      const transaction = { from: SENDER, to: account, value: hex(value) }
      return set('eth_sendTransactionSync', [transaction], key, this.#values.get(key) + value)
    }
    if (choice < 0.85 || this.#snapshots.length === 0) return { method: 'evm_snapshot', params: [], changes: new Map() }
    const index = Math.floor(random() * this.#snapshots.length)
    return { method: 'evm_revert', params: [this.#snapshots[index].id], revertsTo: index }
  }

  async #perform(url, { method, params, changes, revertsTo }) {
    this.#next = revertsTo === undefined ? new Map([...this.#values, ...changes]) : this.#snapshots[revertsTo].values
    const response = await request(url, method, ...params)
    if (response.error !== undefined || response.result === false) {
      throw new Error(`${method} ${JSON.stringify(params)}: ${JSON.stringify(response)}`)
    }
    this.#values = this.#next
    this.#next = undefined
    this.acknowledged += 1
    if (method === 'evm_snapshot') this.#snapshots.push({ id: response.result, values: this.#values })
    if (revertsTo === undefined) return
    this.#snapshots.length = revertsTo
    this.preconfirmed += 1
    const found = await readAll(url)
    if (!isSame(found, this.#values)) this.withdrawn.push(`after a revert ${text(this.#values)}, found ${text(found)}`)
  }
}

function set(method, params, key, value) {
  return { method, params, changes: new Map([[key, value]]) }
}

function keys() {
  return ACCOUNTS.flatMap((account) => ['balance', ...SLOTS].map((name) => `${account} ${name}`))
}

/** Waits until no transaction waits: one may have been accepted without an answer. */
async function settled(url) {
  const end = performance.now() + TIMEOUT_MS
  for (;;) {
    const { pending } = await result(url, 'txpool_status')
    if (pending === '0x0') return
    if (performance.now() > end) throw new Error('a transaction was not included')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function readAll(url) {
  const found = new Map()
  for (const account of ACCOUNTS) {
    found.set(`${account} balance`, BigInt(await result(url, 'eth_getBalance', account, 'pending')))
    for (const slot of SLOTS) {
      found.set(`${account} ${slot}`, BigInt(await result(url, 'eth_getStorageAt', account, slot, 'pending')))
    }
  }
  return found
}

function isSame(a, b) {
  return [...a].every(([key, value]) => b.get(key) === value)
}

function text(values) {
  return [...values].map(([key, value]) => `${key.slice(0, 4)} ${key.slice(43)} ${value}`).join(', ')
}

function hex(value) {
  return `0x${value.toString(16)}`
}
