// Records what clients received from either node, and checks that the chain contains it.
import { WebSocket } from 'ws'
import { listen, result, results } from '../crash/client.mjs'

/** Milliseconds between polls. */
const LOOK_INTERVAL = 20

export class Witness {
  #acknowledged = new Set()
  /** Block hash of each flashblock, by block and index; and those that were not checked yet. */
  #flashblocks = new Map()
  #unchecked = new Map()
  #checkedBlock = 0
  /** Times at which new flashblocks arrived from any node. */
  arrivals = []
  /** Times at which each node sent a flashblock, by name. */
  #arrivalsAt = new Map()
  faults = []
  checkedFlashblocks = 0
  checkedBlocks = 0

  #hasFlashblocks

  /** @param {{ hasFlashblocks: boolean }} options without flashblocks, whole blocks are watched */
  constructor({ hasFlashblocks }) {
    this.#hasFlashblocks = hasFlashblocks
  }

  get acknowledged() {
    return this.#acknowledged.size
  }

  arrivalsAt(name) {
    return this.#arrivalsAt.get(name) ?? []
  }

  acknowledge(hash) {
    this.#acknowledged.add(hash)
  }

  /** Watches a node for as long as it runs. Every flashblock, or block, must arrive once, in order. */
  watch(name, { ws }) {
    if (this.#hasFlashblocks) this.#watchFeed(name, ws)
    else this.#watchHeads(name, ws)
  }

  #watchHeads(name, ws) {
    let before
    const see = ({ number, hash }) => {
      const height = Number(number)
      if (before !== undefined && height !== before + 1) this.faults.push(`${name}: ${height} came after ${before}`)
      before = height
      this.#see(name, `${height}`, height, hash)
    }
    void listen(ws, [[['newHeads'], see]])
  }

  #watchFeed(name, ws) {
    const socket = new WebSocket(`${ws}/feed`)
    let before
    socket.on('message', (data) => {
      const { index, metadata, diff } = JSON.parse(data.toString())
      const { block_number: number } = metadata
      const follows =
        before === undefined
          ? index === 0
          : (number === before.number && index === before.index + 1) || (number === before.number + 1 && index === 0)
      if (!follows) this.faults.push(`${name}: ${number}/${index} came after ${before?.number}/${before?.index}`)
      before = { number, index }
      this.#see(name, `${number}/${index}`, number, diff.block_hash)
    })
    socket.on('error', () => {})
  }

  #see(name, position, number, hash) {
    const arrivals = this.#arrivalsAt.get(name) ?? []
    this.#arrivalsAt.set(name, arrivals)
    arrivals.push(performance.now())
    const known = this.#flashblocks.get(position)
    if (known === undefined) {
      this.arrivals.push(performance.now())
      this.#flashblocks.set(position, hash)
      this.#unchecked.set(position, { number, hash })
    } else if (known !== hash) this.faults.push(`${name}: ${position} was ${known}, is ${hash}`)
  }

  /**
   * Resolves when flashblocks arrive regularly again.
   *
   * @returns milliseconds from `begun` to the end of the longest pause since
   */
  async pauseSince(begun, { steadyFor, limit }) {
    for (;;) {
      const now = performance.now()
      const since = this.arrivals.filter((time) => time >= begun)
      const isSteady =
        now - begun > steadyFor && since.filter((time) => time > now - steadyFor).length >= steadyFor / 400
      if (isSteady) {
        const gaps = since.map((time, index) => ({ end: time - begun, length: time - (since[index - 1] ?? begun) }))
        return gaps.reduce((longest, gap) => (gap.length > longest.length ? gap : longest)).end
      }
      if (now - begun > limit) return undefined
      await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL))
    }
  }

  /** Checks that all nodes have one chain that contains everything received. */
  async check(nodes) {
    await this.checkFlashblocks(nodes)
    for (const { rpc, name } of nodes) await this.#checkTransactions(rpc, name)
  }

  /** Checks that all nodes have one chain that contains the flashblocks received since the last check. */
  async checkFlashblocks(nodes) {
    const heights = await Promise.all(nodes.map(({ rpc }) => result(rpc, 'eth_blockNumber')))
    const common = Math.min(...heights.map(Number))
    await this.#checkBlocks(nodes, common)
    const due = [...this.#unchecked].filter(([, { number }]) => number <= common)
    for (const { rpc, name } of nodes) {
      const found = await results(
        rpc,
        'eth_getBlockByHash',
        due.map(([, { hash }]) => [hash, false]),
      )
      for (const [index, [position, { number, hash }]] of due.entries()) {
        if (Number(found[index]?.number ?? -1) !== number) this.faults.push(`withdrawn on ${name}: ${position} ${hash}`)
      }
    }
    for (const [position] of due) this.#unchecked.delete(position)
    this.checkedFlashblocks += due.length
  }

  async #checkBlocks(nodes, common) {
    const first = this.#checkedBlock + 1
    const numbers = Array.from({ length: common - first + 1 }, (_, index) => [
      `0x${(first + index).toString(16)}`,
      false,
    ])
    const chains = await Promise.all(nodes.map(({ rpc }) => results(rpc, 'eth_getBlockByNumber', numbers)))
    for (const [index, [number]] of numbers.entries()) {
      const hashes = new Set(chains.map((blocks) => blocks[index]?.hash))
      if (hashes.size !== 1) this.faults.push(`block ${number} is ${[...hashes].join(' and ')}`)
    }
    this.#checkedBlock = common
    this.checkedBlocks += numbers.length
  }

  async #checkTransactions(rpc, name) {
    const hashes = [...this.#acknowledged]
    const found = await results(
      rpc,
      'eth_getTransactionByHash',
      hashes.map((hash) => [hash]),
    )
    for (const [index, hash] of hashes.entries()) {
      if (found[index] === null) this.faults.push(`lost on ${name}: acknowledged transaction ${hash}`)
    }
  }

  /** Acknowledged transactions that no block contains yet. */
  async waiting(rpc) {
    const hashes = [...this.#acknowledged]
    const receipts = await results(
      rpc,
      'eth_getTransactionReceipt',
      hashes.map((hash) => [hash]),
    )
    return hashes.filter((_, index) => receipts[index] === null)
  }
}
