import { encodeFunctionData } from 'viem'
import { preConfirmedAt, sealed } from '../feeds.mjs'

export const unsubscribing = {
  title: 'No message arrives after unsubscribing',
  async run({ report, main, feeds, artifact, transfer, accounts: { minter, recipient } }) {
    if (transfer === undefined) throw new Error('the token was not deployed: no log can be emitted')
    report.check('eth_unsubscribe answers true', await feeds.logs.unsubscribe(), true)
    const before = feeds.logs.messages.length
    const data = encodeFunctionData({ abi: artifact.abi, functionName: 'transfer', args: [recipient.address, 1n] })
    const serializedTransaction = await main.sign(minter, { to: transfer.token, data, gas: 200_000n })
    const receipt = await main.wallet.sendRawTransactionSync({ serializedTransaction })
    report.check('another transfer has a log', [receipt.status, receipt.logs.length], ['success', 1])
    await preConfirmedAt(feeds, receipt.transactionHash)
    await sealed(feeds, Number(receipt.blockNumber))
    report.check('which pendingLogs does not deliver', feeds.logs.messages.length - before, 0)
    for (const [name, feed] of Object.entries({
      newFlashblockTransactions: feeds.transactions,
      newHeads: feeds.heads,
    })) {
      report.check(`${name} ends too`, await feed.unsubscribe(), true)
    }
  },
}
