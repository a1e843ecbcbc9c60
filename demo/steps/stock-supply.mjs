import { encodeFunctionData, formatUnits, parseAbi } from 'viem'
import { DEMO_STOCKS } from '../../dist/chain/predeploys/demo-stocks.js'
import { preConfirmedAt, sealed } from '../feeds.mjs'

const ABI = parseAbi(['function totalSupply() view returns (uint256)', 'function mint(address to, uint256 value)'])
/** The stock with 6 decimals. */
const MINTED_STOCK = DEMO_STOCKS[1]
const MINTED = 12_345_678n

export const stockSupply = {
  title: 'REST reports the supply of the demonstration stocks, before and after a mint',
  async run(context) {
    const { report, main, accounts } = context
    for (const stock of DEMO_STOCKS) await checkSupply(context, stock, await totalSupply(main, stock))
    const before = await totalSupply(main, MINTED_STOCK)
    await mint(context)
    const after = await totalSupply(main, MINTED_STOCK)
    report.check(`${MINTED_STOCK.symbol}: the supply includes the mint`, after - before, MINTED)
    await checkSupply(context, MINTED_STOCK, after)
    await checkStatus(context, accounts.recipient.address, { status: 404, code: 5 })
    await checkStatus(context, '0x12', { status: 400, code: 3 })
  },
}

/** Waits until the block is sealed, because REST reads at latest. */
async function mint({ report, main, feeds, accounts: { stockOwner, recipient } }) {
  const data = encodeFunctionData({ abi: ABI, functionName: 'mint', args: [recipient.address, MINTED] })
  const serializedTransaction = await main.sign(stockOwner, { to: MINTED_STOCK.address, data, gas: 200_000n })
  const sentAt = performance.now()
  const hash = await main.wallet.sendRawTransaction({ serializedTransaction })
  const acknowledged = performance.now() - sentAt
  const receipt = await main.client.waitForTransactionReceipt({ hash, timeout: 10_000 })
  report.check(
    `${MINTED_STOCK.symbol}: viem's waitForTransactionReceipt sees the mint succeed`,
    receipt.status,
    'success',
  )
  const { at } = await sealed(feeds, Number(receipt.blockNumber))
  const preConfirmed = (await preConfirmedAt(feeds, hash)) - sentAt
  report.time('mint of a stock', { acknowledged, preConfirmed, sealed: at - sentAt })
}

async function checkSupply({ report, main }, { symbol, address, decimals }, supply) {
  const { response, text } = await get(main, address)
  const expected = formatUnits(supply, decimals)
  report.holds(
    `${symbol}: a bare JSON number, the nearest double`,
    response.status === 200 && isJson(response) && /^\d/.test(text) && JSON.parse(text) === Number(expected),
    `${text} (${response.status}; on the chain ${expected})`,
    `${expected} (200)`,
  )
}

async function checkStatus({ report, main }, address, { status, code }) {
  const { response, text } = await get(main, address)
  const body = isJson(response) ? JSON.parse(text) : text
  report.holds(
    `REST rejects ${address} with an rpcStatus of code ${code}`,
    response.status === status && body.code === code && typeof body.message === 'string' && Array.isArray(body.details),
    `${response.status} ${text}`,
    `${status} with code ${code}, message and details`,
  )
}

async function get({ urls }, address) {
  const signal = AbortSignal.timeout(10_000)
  const response = await fetch(`${urls.rest}/v1/tokenized-stocks/total-supply/${address}`, { signal })
  return { response, text: await response.text() }
}

function isJson(response) {
  return response.headers.get('content-type')?.startsWith('application/json') === true
}

function totalSupply(main, { address }) {
  return main.client.readContract({ address, abi: ABI, functionName: 'totalSupply', blockTag: 'latest' })
}
