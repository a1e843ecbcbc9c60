import { result, results } from './client.mjs'

/** Number of restarts after which a promise is no longer checked at each one; all are checked at the end. */
const CHECKED_RESTARTS = 2

/** Records what a node has sent to its clients, and checks restarted nodes against it. */
export class Promises {
  #restarts = 0
  /** Acknowledged transaction hashes. */
  #acknowledged = new Map()
  /** All sent transactions by sender and nonce, acknowledged or not: one may have replaced the others. */
  #sent = new Map()
  /** Receipts by transaction hash; logs by transaction hash and index; positions by transaction hash. */
  #receipts = new Map()
  #logs = new Map()
  #places = new Map()
  /** Hashes of sealed blocks, by number. */
  #heads = new Map()
  lost = []
  withdrawn = []

  get acknowledged() {
    return this.#acknowledged.size
  }

  /** Transactions seen in a flashblock, through any interface. */
  get preconfirmed() {
    return new Set([...this.#receipts.keys(), ...this.#places.keys()]).size
  }

  get logs() {
    return this.#logs.size
  }

  get blocks() {
    return this.#heads.size
  }

  /** The promises so far, for the check of a backup that begins now. Transactions sent later still count as sent. */
  copy() {
    const copied = new Promises()
    copied.#sent = this.#sent
    copied.#acknowledged = new Map(this.#acknowledged)
    copied.#receipts = new Map(this.#receipts)
    copied.#logs = new Map(this.#logs)
    copied.#places = new Map(this.#places)
    copied.#heads = new Map(this.#heads)
    return copied
  }

  sending(hash, key) {
    this.#sent.set(key, (this.#sent.get(key) ?? new Set()).add(hash))
  }

  acknowledge(hash, key) {
    this.#acknowledged.set(hash, { restarts: this.#restarts, value: key })
  }

  seeReceipt(receipt) {
    this.#see(this.#receipts, receipt.transactionHash, withoutBlockHash(receipt))
    for (const log of receipt.logs) this.seeLog(log)
  }

  seeLog(log) {
    this.#see(this.#logs, `${log.transactionHash} ${log.logIndex}`, withoutBlockHash(log))
  }

  seeTransaction({ hash, blockNumber, transactionIndex }) {
    this.#see(this.#places, hash, JSON.stringify({ blockNumber, transactionIndex }))
  }

  seeHead({ number, hash }) {
    this.#see(this.#heads, number, hash)
  }

  /** Checks a restarted node against everything received before. */
  async check(url, { all = false } = {}) {
    this.#restarts += 1
    const recent = (map) =>
      [...map]
        .filter(([, { restarts }]) => all || this.#restarts - restarts <= CHECKED_RESTARTS)
        .map(([key, { value }]) => [key, value])
    await this.#checkAcknowledged(url, recent(this.#acknowledged))
    await this.#checkIncluded(url, recent(this.#receipts), recent(this.#places))
    await this.#checkLogs(url, recent(this.#logs))
    await this.#checkBlocks(url, recent(this.#heads), all)
  }

  #see(map, key, value) {
    const known = map.get(key)
    if (known === undefined) map.set(key, { restarts: this.#restarts, value })
    else if (known.value !== value) this.withdrawn.push(`${key}: first ${known.value}, then ${value}`)
  }

  async #checkAcknowledged(url, acknowledged) {
    const hashes = acknowledged.map(([hash]) => [hash])
    const found = await results(url, 'eth_getTransactionByHash', hashes)
    const statuses = await results(url, 'base_transactionStatus', hashes)
    for (const [index, [hash, key]] of acknowledged.entries()) {
      const isThere = found[index] !== null
      if (isThere !== (statuses[index].status === 'Known')) this.lost.push(`${hash}: found and status disagree`)
      if (isThere) continue
      const rivals = [...this.#sent.get(key)].filter((rival) => rival !== hash).map((rival) => [rival])
      const others = await results(url, 'eth_getTransactionByHash', rivals)
      if (others.every((other) => other === null)) this.lost.push(`acknowledged transaction ${hash} (${key})`)
    }
  }

  async #checkIncluded(url, receipts, places) {
    const found = await results(
      url,
      'eth_getTransactionReceipt',
      receipts.map(([hash]) => [hash]),
    )
    for (const [index, [hash, seen]] of receipts.entries()) {
      this.#compare(`receipt of ${hash}`, seen, found[index] && withoutBlockHash(found[index]))
    }
    const transactions = await results(
      url,
      'eth_getTransactionByHash',
      places.map(([hash]) => [hash]),
    )
    for (const [index, [hash, seen]] of places.entries()) {
      const now = transactions[index]
      const { blockNumber, transactionIndex } = now ?? {}
      this.#compare(`place of ${hash}`, seen, now && JSON.stringify({ blockNumber, transactionIndex }))
    }
  }

  async #checkLogs(url, logs) {
    if (logs.length === 0) return
    const numbers = logs.map(([, seen]) => Number(JSON.parse(seen).blockNumber))
    const fromBlock = `0x${Math.min(...numbers).toString(16)}`
    const now = await result(url, 'eth_getLogs', { fromBlock, toBlock: 'pending' })
    const found = new Map(now.map((log) => [`${log.transactionHash} ${log.logIndex}`, withoutBlockHash(log)]))
    for (const [key, seen] of logs) this.#compare(`log ${key}`, seen, found.get(key) ?? null)
  }

  /** Checks that sealed blocks are unchanged and linked. */
  async #checkBlocks(url, heads, all) {
    const latest = Number(await result(url, 'eth_blockNumber'))
    const first = all ? 0 : Math.max(0, latest - 5)
    const numbers = Array.from({ length: latest - first + 1 }, (_, index) => `0x${(first + index).toString(16)}`)
    const blocks = await results(
      url,
      'eth_getBlockByNumber',
      numbers.map((number) => [number, false]),
    )
    for (const [index, { parentHash, number }] of blocks.entries()) {
      if (index > 0 && parentHash !== blocks[index - 1].hash) this.withdrawn.push(`block ${number} is not linked`)
    }
    for (const [number, hash] of heads) {
      const block = await result(url, 'eth_getBlockByNumber', number, false)
      this.#compare(`sealed block ${number}`, hash, block?.hash ?? null)
    }
  }

  #compare(what, seen, now) {
    if (now === null) this.lost.push(what)
    else if (now !== seen) this.withdrawn.push(`${what}: was ${seen}, is ${now}`)
  }
}

/** Checks that sealed transactions equal the pre-confirmed ones, except for the block hash. */
function withoutBlockHash(value) {
  return JSON.stringify(value, (key, member) => (key === 'blockHash' ? undefined : member))
}
