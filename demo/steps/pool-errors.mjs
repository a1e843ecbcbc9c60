import { keccak256, numberToHex, parseEther, parseGwei } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { refusalOf } from '../network.mjs'

const GAS = 21_000n
/** Fees of the pooled transaction, and the minimum fees of a replacement. */
const FEES = { maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: parseGwei('1') }
const RAISED = { maxFeePerGas: parseGwei('11'), maxPriorityFeePerGas: parseGwei('1.1') }

export const poolErrors = {
  title: 'The pool refuses with the four promised errors',
  async run(context) {
    await nonceTooLow(context)
    await insufficientFunds(context)
    await waitingTransaction(context)
  },
}

async function nonceTooLow({ report, main, accounts: { minter } }) {
  const next = await main.client.getTransactionCount({ address: minter.address, blockTag: 'pending' })
  const raw = await main.sign(minter, { to: minter.address, value: 1n, gas: GAS, nonce: next - 1 })
  report.check('nonce too low', await send(main, raw), {
    code: -32000,
    message: 'nonce too low',
    data: { nextNonce: numberToHex(next), transactionNonce: numberToHex(next - 1) },
  })
}

async function insufficientFunds({ report, main }) {
  const pauper = privateKeyToAccount(generatePrivateKey())
  const cost = numberToHex(GAS * FEES.maxFeePerGas + 1n)
  const raw = await main.sign(pauper, { to: pauper.address, value: 1n, gas: GAS, nonce: 0, ...FEES })
  report.check('insufficient funds', await send(main, raw), {
    code: -32000,
    message: 'insufficient funds for gas * price + value',
    data: { balance: '0x0', cost, queuedCost: '0x0', overshot: cost },
  })
}

/** A transaction with nonce 1 stays queued until nonce 0 arrives. */
async function waitingTransaction({ report, main, accounts: { minter } }) {
  const sender = privateKeyToAccount(generatePrivateKey())
  const funding = await main.sign(minter, { to: sender.address, value: parseEther('0.01'), gas: GAS })
  await main.wallet.sendRawTransactionSync({ serializedTransaction: funding })
  const transaction = { to: minter.address, value: 1n, gas: GAS, nonce: 1, ...FEES }
  const waiting = await main.sign(sender, transaction)
  report.check('a transaction behind a nonce gap is accepted', await send(main, waiting), {
    result: keccak256(waiting),
  })
  const { code, message } = await send(main, waiting)
  report.check('already known', { code, message }, { code: -32000, message: 'already known' })

  const underpriced = {
    code: -32000,
    message: 'replacement transaction underpriced',
    data: {
      replaced: keccak256(waiting),
      requiredMaxFeePerGas: numberToHex(RAISED.maxFeePerGas),
      requiredMaxPriorityFeePerGas: numberToHex(RAISED.maxPriorityFeePerGas),
    },
  }
  const oneWeiShort = { ...RAISED, maxFeePerGas: RAISED.maxFeePerGas - 1n }
  const short = await main.sign(sender, { ...transaction, ...oneWeiShort })
  report.check('replacement transaction underpriced, one wei below 10 %', await send(main, short), underpriced)
  const oneField = await main.sign(sender, { ...transaction, maxFeePerGas: RAISED.maxFeePerGas })
  report.check('and with one of the two fees raised', await send(main, oneField), underpriced)
  const replacing = await main.sign(sender, { ...transaction, ...RAISED })
  report.check('10 % on both fees replaces', await send(main, replacing), { result: keccak256(replacing) })

  // Restores the pool.
  const filling = await main.sign(sender, { ...transaction, nonce: 0 })
  await main.wallet.sendRawTransactionSync({ serializedTransaction: filling })
  const receipt = await main.client.waitForTransactionReceipt({ hash: keccak256(replacing), timeout: 10_000 })
  report.check('and is included once the gap is filled', receipt.status, 'success')
}

function send(main, raw) {
  return refusalOf(main.request('eth_sendRawTransaction', [raw]))
}
