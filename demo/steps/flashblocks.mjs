import { updateTimes } from '../feeds.mjs'

/** Milliseconds: "about every 200 ms". */
const INTERVAL = 200
const TOLERANCE = 50

export const flashblocks = {
  title: 'The pending block was updated about every 200 ms throughout',
  async run({ report, feeds }) {
    const times = updateTimes(feeds)
    const gaps = times.slice(1).map((at, index) => at - times[index])
    const median = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? Number.NaN
    report.holds(
      'the median time between updates',
      median <= INTERVAL + TOLERANCE,
      `${median.toFixed(1)} ms over ${times.length} updates`,
      `at most ${INTERVAL + TOLERANCE} ms`,
    )
    const hashes = feeds.flashblocks.messages.map(({ data }) => `${data.number} ${data.hash}`)
    const changed = feeds.flashblocks.messages.map(({ data }) => `${data.number} ${data.transactions.length}`)
    report.holds(
      'a block with more transactions has another hash',
      new Set(hashes).size >= new Set(changed).size,
      `${new Set(hashes).size} hashes of ${hashes.length} flashblocks`,
    )
    const { messages } = feeds.heads
    const links = messages.slice(1).filter(({ data }, index) => data.parentHash !== messages[index].data.hash)
    report.check('the sealed blocks of newHeads link by parentHash', links.length, 0)
    report.check('newFlashblocks ends', await feeds.flashblocks.unsubscribe(), true)
  },
}
