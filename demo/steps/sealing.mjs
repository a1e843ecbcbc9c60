import { encodeFunctionData } from 'viem'
import { preConfirmedAt, sealed } from '../feeds.mjs'
import { without } from '../json-members.mjs'
import { toNumber } from '../network.mjs'
import { TRANSFERRED } from './pending-block.mjs'

export const sealing = {
  title: 'Sealing the block changes nothing that was visible, except blockHash',
  async run(context) {
    const { report, main, feeds, artifact, accounts, transfer } = context
    if (transfer === undefined) throw new Error('the transfer was not visible at pending: nothing to compare')
    const number = transfer.receipt.blockNumber
    const { at: sealedAt } = await sealed(feeds, toNumber(number))
    await recordTimes(context, sealedAt)

    const data = encodeFunctionData({
      abi: artifact.abi,
      functionName: 'balanceOf',
      args: [accounts.recipient.address],
    })
    const [receipt, block, balance, code] = await main.batch([
      ['eth_getTransactionReceipt', [transfer.hashes[2]]],
      ['eth_getBlockByNumber', [number, true]],
      ['eth_call', [{ to: transfer.token, data }, 'latest']],
      ['eth_getCode', [transfer.token, 'latest']],
    ])
    const logs = await main.request('eth_getLogs', [{ address: transfer.token, blockHash: block.hash }])
    report.check('the receipt names the sealed block', receipt.blockHash, block.hash)
    report.check(
      'and is otherwise as at pending',
      without(receipt, 'blockHash'),
      without(transfer.receipt, 'blockHash'),
    )
    report.check('so are the logs', without(logs, 'blockHash'), without(transfer.logs, 'blockHash'))
    report.check(
      'and their blockHash is the sealed one',
      [...new Set(logs.map(({ blockHash }) => blockHash))],
      [block.hash],
    )
    report.check(
      'so are the transactions, in their order',
      without(block.transactions.slice(0, transfer.block.transactions.length), 'blockHash'),
      without(transfer.block.transactions, 'blockHash'),
    )
    report.check('the balance is visible at latest', BigInt(balance), TRANSFERRED)
    report.check('the code is visible at latest', code, artifact.deployedBytecode)
    const partial = await main.request('eth_getBlockByHash', [transfer.receipt.blockHash, false])
    report.check('the partial hash still finds the block', partial?.number, number)
    const head = feeds.heads.messages.find((message) => message.data.number === number)
    report.check('newHeads delivered the sealed hash', head?.data.hash, block.hash)
  },
}

async function recordTimes({ report, feeds, transfer }, sealedAt) {
  const { sentAt, acknowledgedAt, hashes } = transfer
  for (const [index, transaction] of ['deploy', 'mint', 'transfer'].entries()) {
    report.time(transaction, {
      acknowledged: acknowledgedAt - sentAt,
      preConfirmed: (await preConfirmedAt(feeds, hashes[index])) - sentAt,
      sealed: sealedAt - sentAt,
    })
  }
}
