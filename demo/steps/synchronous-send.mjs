import { isHash, parseEther } from 'viem'
import { preConfirmedAt, sealed, updateTimes } from '../feeds.mjs'

/** Repeats: timers of a busy machine can be late once; a slow node is slow every time. */
const TRIES = 3
/** A transaction must be in one of this many updates of the pending block. */
const UPDATES = 2

export const synchronousSend = {
  title: 'eth_sendRawTransactionSync returns the receipt of the flashblock',
  async run({ report, main, feeds, accounts: { minter, recipient } }) {
    let sent
    for (let tries = 1; ; tries++) {
      const serializedTransaction = await main.sign(minter, {
        to: recipient.address,
        value: parseEther('0.1'),
        gas: 21_000n,
      })
      const sentAt = performance.now()
      const receipt = await main.wallet.sendRawTransactionSync({ serializedTransaction })
      const respondedAt = performance.now()
      const seenAt = await preConfirmedAt(feeds, receipt.transactionHash)
      const updates = updateTimes(feeds).filter((at) => at > sentAt && at <= Math.max(respondedAt, seenAt)).length
      sent = { receipt, sentAt, respondedAt, seenAt, updates }
      if (updates <= UPDATES || tries === TRIES) break
      report.note(`it took ${updates} updates: trying again`)
    }
    const { receipt, sentAt, respondedAt, seenAt, updates } = sent
    report.check('the receipt has status success', receipt.status, 'success')
    report.check('it is of this transaction', [receipt.from, receipt.to], [minter, recipient].map(lowerCase))
    report.holds('it has a block hash', isHash(receipt.blockHash) && BigInt(receipt.blockHash) > 0n, receipt.blockHash)
    report.holds(
      'it arrived within two updates of the pending block',
      updates <= UPDATES,
      `${(respondedAt - sentAt).toFixed(0)} ms, ${updates} ${updates === 1 ? 'update' : 'updates'}`,
      `at most ${UPDATES} updates`,
    )
    const balance = await main.client.getBalance({ address: recipient.address, blockTag: 'pending' })
    report.holds('the funds are visible at pending', balance >= parseEther('0.1'), `${balance} wei`)
    const { at } = await sealed(feeds, Number(receipt.blockNumber))
    report.time('synchronous send', {
      acknowledged: respondedAt - sentAt,
      preConfirmed: seenAt - sentAt,
      sealed: at - sentAt,
    })
  },
}

function lowerCase({ address }) {
  return address.toLowerCase()
}
