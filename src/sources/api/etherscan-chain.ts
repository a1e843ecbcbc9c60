import type { Hex } from '../../primitives/hex.ts'
import { codeAt, deploymentOf, type NodeRequest } from '../chain/node-requests.ts'
import { VerificationError } from '../source-error.ts'
import { addressOf } from './api-request.ts'

type Parameters = Readonly<Record<string, string>>
type ChainAction = (parameters: Parameters, request: NodeRequest) => Promise<unknown>

/** Addresses in one request, as at Etherscan. */
const MAX_ADDRESSES = 20
/** Contracts in one request, as at Etherscan: each needs a trace. */
const MAX_CREATIONS = 5
/** Transactions of a page. */
const MAX_TRANSACTIONS = 1_000
/** Selector of `totalSupply()`, and of `balanceOf(address)`. */
const TOTAL_SUPPLY = '0x18160ddd'
const BALANCE_OF = '0x70a08231'

/** Actions that read the chain, by `module.action`. */
export const CHAIN_ACTIONS: Readonly<Record<string, ChainAction>> = {
  'account.balance': async ({ address = '' }, request) => decimal(await balanceOf(address, request)),
  'account.balancemulti': async ({ address = '' }, request) =>
    Promise.all(
      address.split(',', MAX_ADDRESSES).map(async (account) => ({
        account,
        balance: decimal(await balanceOf(account, request)),
      })),
    ),
  'account.tokenbalance': async ({ contractaddress = '', address = '' }, request) => {
    const data = `${BALANCE_OF}${addressOf(address).slice(2).padStart(64, '0')}`
    return decimal(await request('eth_call', { to: addressOf(contractaddress), data }, 'latest'))
  },
  'account.txlist': transactionList,
  'stats.tokensupply': async ({ contractaddress = '' }, request) =>
    decimal(await request('eth_call', { to: addressOf(contractaddress), data: TOTAL_SUPPLY }, 'latest')),
  'contract.getcontractcreation': creations,
  'logs.getLogs': logs,
  'transaction.getstatus': async ({ txhash = '' }, request) => {
    const hasFailed = (await receiptOf(txhash, request))?.status === '0x0'
    return { isError: hasFailed ? '1' : '0', errDescription: hasFailed ? 'execution reverted' : '' }
  },
  'transaction.gettxreceiptstatus': async ({ txhash = '' }, request) => {
    const receipt = await receiptOf(txhash, request)
    return { status: receipt === undefined ? '' : decimal(receipt.status) }
  },
  'block.getblocknobytime': blockByTime,
}

async function balanceOf(address: string, request: NodeRequest): Promise<unknown> {
  return request('eth_getBalance', addressOf(address), 'latest')
}

function decimal(quantity: unknown): string {
  return typeof quantity === 'string' && quantity !== '0x' ? BigInt(quantity).toString() : '0'
}

interface WireReceipt {
  readonly status: Hex
  readonly gasUsed: Hex
  readonly cumulativeGasUsed: Hex
  readonly contractAddress: string | null
  readonly timestamp: number | Hex
}

async function receiptOf(hash: string, request: NodeRequest): Promise<WireReceipt | undefined> {
  return ((await request('eth_getTransactionReceipt', hash)) as WireReceipt | null) ?? undefined
}

async function creations({ contractaddresses = '' }: Parameters, request: NodeRequest): Promise<unknown> {
  const found = await Promise.all(
    contractaddresses.split(',', MAX_CREATIONS).map(async (text) => {
      const contractAddress = addressOf(text)
      const deployment = await deploymentOf(request, {
        address: contractAddress,
        code: await codeAt(request, contractAddress),
      })
      if (deployment === undefined) return []
      const { transactionHash: txHash, deployer: contractCreator, blockNumber, creationCode } = deployment
      return [
        { contractAddress, contractCreator, txHash, blockNumber: `${blockNumber}`, creationBytecode: creationCode },
      ]
    }),
  )
  return found.flat()
}

interface WireTransaction extends Readonly<Record<string, string | null>> {
  readonly from: string
  readonly blockNumber: string
  readonly input: string
}

interface SearchPage {
  readonly txs: readonly WireTransaction[]
  readonly receipts: readonly WireReceipt[]
  /** Whether it has the newest transaction, and the oldest one. */
  readonly firstPage: boolean
  readonly lastPage: boolean
}

interface Entry {
  readonly transaction: WireTransaction
  readonly receipt: WireReceipt
}

/** Transactions that an address sent or received, oldest first unless `sort` is `desc`. */
async function transactionList(parameters: Parameters, request: NodeRequest): Promise<unknown> {
  const { address = '', sort = 'asc', page = '1', offset = '100', startblock = '0', endblock } = parameters
  const account = addressOf(address)
  const size = Math.min(positive(offset, 'offset'), MAX_TRANSACTIONS)
  const end = positive(page, 'page') * size
  if (end > MAX_TRANSACTIONS) throw invalid(`page times offset may be ${MAX_TRANSACTIONS} at most`)
  const first = blockNumber(startblock, 'startblock')
  const last = endblock === undefined ? UNBOUNDED_BLOCK : blockNumber(endblock, 'endblock')
  const search = sort === 'desc' ? searchBefore(account, last, request) : searchAfter(account, first, request)
  const found: Entry[] = []
  for await (const entry of search) {
    const number = Number(entry.transaction.blockNumber)
    if (sort === 'desc' ? number < first : number > last) break
    // The search also finds inner calls.
    if (number >= first && number <= last && isPartOf(entry, account)) found.push(entry)
    if (found.length === end) break
  }
  return found.slice(end - size).map(({ transaction, receipt }) => transactionEntry(transaction, receipt))
}

function isPartOf({ transaction: { from, to } }: Entry, account: string): boolean {
  return from === account || to === account
}

/** Clients send 99999999 for no end. */
const UNBOUNDED_BLOCK = 99_999_999
/** Transactions of one search; searches of one request. */
const SEARCHED = 1_000
const MAX_SEARCHES = 10

/** Transactions in which an address appears, the oldest first. */
async function* searchAfter(account: string, first: number, request: NodeRequest): AsyncGenerator<Entry> {
  let after = Math.max(first - 1, 0)
  for (let searches = 0; searches < MAX_SEARCHES; searches++) {
    const found = (await request('ots_searchTransactionsAfter', account, after, SEARCHED)) as SearchPage
    const entries = entriesOf(found).reverse()
    yield* entries
    if (found.firstPage || entries.length === 0) return
    after = Number(entries.at(-1)!.transaction.blockNumber)
  }
  throw tooMany('startblock')
}

/** Transactions in which an address appears, the newest first. */
async function* searchBefore(account: string, last: number, request: NodeRequest): AsyncGenerator<Entry> {
  let before = last < UNBOUNDED_BLOCK ? last + 1 : 0
  for (let searches = 0; searches < MAX_SEARCHES; searches++) {
    const found = (await request('ots_searchTransactionsBefore', account, before, SEARCHED)) as SearchPage
    const entries = entriesOf(found)
    yield* entries
    if (found.lastPage || entries.length === 0) return
    before = Number(entries.at(-1)!.transaction.blockNumber)
  }
  throw tooMany('endblock')
}

function tooMany(limit: string): VerificationError {
  return invalid(`the address appears in more than ${MAX_SEARCHES * SEARCHED} transactions here: set ${limit}`)
}

/** The search returns the newest transaction of a page first. */
function entriesOf({ txs, receipts }: SearchPage): Entry[] {
  return txs.map((transaction, index) => ({ transaction, receipt: receipts[index]! }))
}

function transactionEntry(transaction: WireTransaction, receipt: WireReceipt) {
  const { hash, blockHash, from, to, input } = transaction
  const number = (name: string) => decimal(transaction[name])
  return {
    blockNumber: number('blockNumber'),
    timeStamp: `${Number(receipt.timestamp)}`,
    hash,
    nonce: number('nonce'),
    blockHash,
    transactionIndex: number('transactionIndex'),
    from,
    to: to ?? '',
    value: number('value'),
    gas: number('gas'),
    gasPrice: number('gasPrice'),
    isError: receipt.status === '0x0' ? '1' : '0',
    txreceipt_status: decimal(receipt.status),
    input,
    contractAddress: receipt.contractAddress ?? '',
    cumulativeGasUsed: decimal(receipt.cumulativeGasUsed),
    gasUsed: decimal(receipt.gasUsed),
    methodId: input.slice(0, 10),
    functionName: '',
  }
}

interface WireLog {
  readonly blockTimestamp?: string
  readonly removed?: boolean
}

async function logs(parameters: Parameters, request: NodeRequest): Promise<unknown> {
  const { address, fromBlock = '0', toBlock = 'latest', page = '1', offset = '1000' } = parameters
  const isOr = Object.entries(parameters).some(([name, value]) => /^topic\d_\d_opr$/.test(name) && value !== 'and')
  if (isOr) throw invalid('topics are combined with the operator and only')
  const topics = [0, 1, 2, 3].map((index) => parameters[`topic${index}`] ?? null)
  const filter = {
    ...(address !== undefined && { address: addressOf(address) }),
    fromBlock: blockOf(fromBlock),
    toBlock: blockOf(toBlock),
    topics: topics.slice(0, topics.findLastIndex((topic) => topic !== null) + 1),
  }
  const found = (await request('eth_getLogs', filter)) as readonly WireLog[]
  const size = positive(offset, 'offset')
  const start = (positive(page, 'page') - 1) * size
  return found.slice(start, start + size).map(({ blockTimestamp, removed: _, ...log }) => ({
    ...log,
    timeStamp: blockTimestamp,
  }))
}

function blockOf(text: string): string {
  return /^\d+$/.test(text) ? `0x${Number(text).toString(16)}` : text
}

async function blockByTime({ timestamp = '', closest = 'before' }: Parameters, request: NodeRequest): Promise<string> {
  const wanted = positive(timestamp, 'timestamp')
  const timeOf = async (number: number | 'latest') => {
    const block = typeof number === 'number' ? `0x${number.toString(16)}` : number
    const found = (await request('eth_getBlockByNumber', block, false)) as {
      readonly timestamp: Hex
      readonly number: Hex
    }
    return { time: Number(found.timestamp), number: Number(found.number) }
  }
  const latest = await timeOf('latest')
  // The first block later than the time is in (low, high].
  let [low, high] = [-1, latest.number + 1]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if ((await timeOf(middle)).time > wanted) high = middle
    else low = middle
  }
  const hasExact = low >= 0 && (await timeOf(low)).time === wanted
  const number = closest === 'after' && !hasExact ? high : low
  if (number < 0 || number > latest.number) throw invalid('Error! No closest block found')
  return `${number}`
}

function positive(text: string, name: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw invalid(`Error! ${name} must be a positive number`)
}

function blockNumber(text: string, name: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw invalid(`Error! ${name} must be the number of a block`)
}

function invalid(message: string): VerificationError {
  return new VerificationError('invalid_parameter', message)
}
