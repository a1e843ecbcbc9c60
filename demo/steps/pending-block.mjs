import { encodeDeployData, encodeFunctionData, getContractAddress, isHash, numberToHex, parseEther } from 'viem'
import { preConfirmedAt } from '../feeds.mjs'
import { without } from '../json-members.mjs'
import { toNumber } from '../network.mjs'

const MINTED = parseEther('1000')
export const TRANSFERRED = parseEther('12.5')

/** On a busy machine the block may be sealed before it is read; the step then repeats with another transfer. */
const TRIES = 3

export const pendingBlock = {
  title: 'A token is deployed, minted and transferred, and visible before its block is sealed',
  async run(context) {
    const { report, feeds } = context
    let seen
    for (let tries = 1; ; tries++) {
      // Right after a seal, most of the next block's time is left.
      await feeds.heads.next('a block to be sealed')
      const transfer = await deployMintTransfer(context)
      seen = { ...transfer, ...(await look(context, transfer)) }
      if (seen.latest < toNumber(seen.receipt.blockNumber) || tries === TRIES) break
      report.note('the block was sealed before it could be read: trying again')
    }
    context.transfer = seen
    checkPosition(context, seen)
    checkContent(context, seen)
    await checkPartialHash(context, seen)
  },
}

/** Sends all three in one batch, so that they enter the pool and the block together. */
async function deployMintTransfer({ main, feeds, artifact, accounts: { minter, recipient } }) {
  const nonce = await main.client.getTransactionCount({ address: minter.address, blockTag: 'pending' })
  const token = getContractAddress({ from: minter.address, nonce: BigInt(nonce) }).toLowerCase()
  const { abi, bytecode } = artifact
  const fees = await main.fees()
  const call = (functionName, args) => ({ to: token, data: encodeFunctionData({ abi, functionName, args }) })
  const transactions = [
    { data: encodeDeployData({ abi, bytecode }), gas: 3_000_000n },
    { ...call('mint', [minter.address, MINTED]), gas: 200_000n },
    { ...call('transfer', [recipient.address, TRANSFERRED]), gas: 200_000n },
  ]
  const signed = await Promise.all(
    transactions.map((transaction, index) => main.sign(minter, { ...fees, ...transaction, nonce: nonce + index })),
  )
  const sentAt = performance.now()
  const hashes = await main.batch(signed.map((raw) => ['eth_sendRawTransaction', [raw]]))
  const acknowledgedAt = performance.now()
  const { at, data: announcedLog } = await feeds.logs.first(
    ({ transactionHash }) => transactionHash === hashes[2],
    'the log of the transfer in pendingLogs',
  )
  return { token, hashes, sentAt, acknowledgedAt, announcedLog, logAt: at }
}

/** Reads all views of the transfer at `pending` in one batch, from one view of the chain. */
async function look({ main, artifact, accounts: { recipient } }, { token, hashes }) {
  const data = encodeFunctionData({ abi: artifact.abi, functionName: 'balanceOf', args: [recipient.address] })
  const [latest, deployed, minted, receipt, block, balance, logs, code, codeAtLatest, [simulated]] = await main.batch([
    ['eth_blockNumber'],
    ...hashes.map((hash) => ['eth_getTransactionReceipt', [hash]]),
    ['eth_getBlockByNumber', ['pending', true]],
    ['eth_call', [{ to: token, data }, 'pending']],
    ['eth_getLogs', [{ address: token, fromBlock: 'pending', toBlock: 'pending' }]],
    ['eth_getCode', [token, 'pending']],
    ['eth_getCode', [token, 'latest']],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [{ to: token, data }] }] }, 'pending']],
  ])
  if (receipt === null) throw new Error(`pendingLogs reported transaction ${hashes[2]}, but it has no receipt`)
  return {
    latest: toNumber(latest),
    receipt,
    receipts: [deployed, minted, receipt],
    block,
    balance,
    logs,
    code,
    codeAtLatest,
    simulatedBalance: simulated.calls[0].returnData,
  }
}

function checkPosition({ report }, { latest, receipt, receipts, block, token }) {
  const number = toNumber(receipt.blockNumber)
  report.holds(
    'the block is not sealed yet',
    latest < number,
    `latest ${latest}, pending ${number}`,
    `latest < ${number}`,
  )
  report.check('the receipt is of the pending block', receipt.blockNumber, block.number)
  report.check('its blockHash is the hash of the partial block', receipt.blockHash, block.hash)
  report.holds('which is a real hash', isHash(block.hash) && BigInt(block.hash) > 0n, block.hash, '32 bytes, not zero')
  report.check(
    'the contract was deployed in the same block',
    { block: receipts[0]?.blockNumber, contract: receipts[0]?.contractAddress },
    { block: receipt.blockNumber, contract: token },
  )
  report.check('deploy, mint and transfer succeeded', statuses(receipts), ['0x1', '0x1', '0x1'])
  const position = block.transactions.findIndex(({ hash }) => hash === receipt.transactionHash)
  report.check('the pending block lists the transaction at its index', position, toNumber(receipt.transactionIndex))
  const { nonce, difficulty, uncles, withdrawals } = block
  report.check(
    'the pending block has the fixed members',
    { nonce, difficulty, uncles, withdrawals },
    { nonce: '0x0000000000000000', difficulty: '0x0', uncles: [], withdrawals: [] },
  )
}

function statuses(receipts) {
  return receipts.map((receipt) => receipt?.status)
}

function checkContent({ report, artifact }, seen) {
  const { receipt, logs, balance, code, codeAtLatest, announcedLog, token, simulatedBalance } = seen
  const found = logs.find(({ transactionHash }) => transactionHash === receipt.transactionHash)
  report.check('eth_getLogs from pending to pending returns its log', found, receipt.logs[0])
  report.check(
    'the log is complete',
    { address: found?.address, removed: found?.removed, blockNumber: found?.blockNumber, data: found?.data },
    {
      address: token,
      removed: false,
      blockNumber: receipt.blockNumber,
      data: numberToHex(TRANSFERRED, { size: 32 }),
    },
  )
  report.check('and the timestamp of its block', found?.blockTimestamp, seen.block.timestamp)
  report.check('pendingLogs delivered the same log', without(announcedLog, 'blockHash'), without(found, 'blockHash'))
  report.check("the recipient's balance at pending", BigInt(balance), TRANSFERRED)
  report.check('and in a simulation on pending', BigInt(simulatedBalance), TRANSFERRED)
  report.check('eth_getCode at pending returns the new contract', code, artifact.deployedBytecode)
  report.check('eth_getCode at latest returns nothing', codeAtLatest, '0x')
}

async function checkPartialHash({ report, main, feeds }, { receipt, hashes, sentAt, acknowledgedAt }) {
  const block = await main.request('eth_getBlockByHash', [receipt.blockHash, false])
  report.check('eth_getBlockByHash finds the partial block', block?.hash, receipt.blockHash)
  report.check('with the transaction', block?.transactions.includes(receipt.transactionHash), true)
  const { status } = await main.request('base_transactionStatus', [receipt.transactionHash])
  report.check('base_transactionStatus knows it', status, 'Known')
  const { status: unknown } = await main.request('base_transactionStatus', [`0x${'5a'.repeat(32)}`])
  report.check('and does not find another hash', unknown, 'Unknown')
  const times = await Promise.all(hashes.map((hash) => preConfirmedAt(feeds, hash)))
  report.note(
    `pre-confirmed ${(Math.max(...times) - sentAt).toFixed(0)} ms after sending, ` +
      `${(Math.max(...times) - acknowledgedAt).toFixed(0)} ms after the node's response`,
  )
}
