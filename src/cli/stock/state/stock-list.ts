import { STOCK_FACTORY_ADDRESS } from '../../../chain/predeploys/stock-contracts.ts'
import { type Address, isHexBytes, toAddress } from '../../../primitives/hex.ts'
import { factoryFunction, stockFunction } from '../chain/contracts.ts'
import type { JsonRpc } from '../chain/json-rpc.ts'
import { type Read, type ReadBlock, readAll } from '../chain/multicall.ts'
import type { BlockName } from '../terms/block-name.ts'
import { StockError } from '../terms/stock-error.ts'
import { READS_OF_STOCK, read, readsOf, type StockState, stockState } from './stock-state.ts'

export interface StockList {
  readonly block: ReadBlock
  /** In order of creation. */
  readonly stocks: readonly StockState[]
}

export interface FoundStock {
  readonly block: ReadBlock
  readonly stock: StockState
}

const EVERYTHING = 2n ** 64n
/** The list is read again together with its stocks until no stock was created in between. */
const ATTEMPTS = 5

/**
 * All stocks of the factory, list and members read at one block.
 *
 * @throws StockError
 */
export async function listStocks(rpc: JsonRpc, at: BlockName): Promise<StockList> {
  const { block, addresses, values } = await readListed(rpc, at, readsOf)
  const stocks = addresses.map((address, index) => {
    const state = stockState(address, values.slice(index * READS_OF_STOCK, (index + 1) * READS_OF_STOCK), block)
    if (state === undefined) throw new StockError('NODE_ERROR', `stock ${address} of the factory's list cannot be read`)
    return state
  })
  return { block, stocks }
}

/**
 * The stock with this address or symbol.
 *
 * @throws StockError `STOCK_NOT_FOUND`, `STOCK_AMBIGUOUS` with the candidates
 */
export async function findStock(rpc: JsonRpc, name: string, at: BlockName): Promise<FoundStock> {
  const address = /^0x/i.test(name) ? parseAddress(name, 'the stock') : await addressOf(rpc, name, at)
  return readStock(rpc, address, at)
}

/** @throws StockError `STOCK_NOT_FOUND` when the contract is not a stock */
export async function readStock(rpc: JsonRpc, address: Address, at: BlockName): Promise<FoundStock> {
  const { block, values } = await readAll(rpc, at, readsOf(address))
  const stock = stockState(address, values, block)
  if (stock === undefined) throw notFound(`at ${address} there is no stock in block ${block.number}`)
  return { block, stock }
}

/** @throws StockError `INVALID_INPUT` unless it is 20 bytes in hex */
export function parseAddress(text: string, what: string): Address {
  if (!isHexBytes(text) || text.length !== 42) {
    throw new StockError('INVALID_INPUT', `${what} wants an address, 0x and 40 hex digits; got ${text}`)
  }
  return toAddress(text)
}

async function addressOf(rpc: JsonRpc, symbol: string, at: BlockName): Promise<Address> {
  const { addresses, values } = await readListed(rpc, at, (stock) => [read(stock, stockFunction('symbol'))])
  const matching = addresses.filter((_, index) => values[index] === symbol)
  if (matching.length > 1) {
    throw new StockError(
      'STOCK_AMBIGUOUS',
      `${symbol} is the symbol of several stocks: name one by its address, ${matching.join(' or ')}`,
      {
        candidates: matching,
      },
    )
  }
  const [address] = matching
  if (address !== undefined) return address
  const similar = values.filter((value) => String(value).toLowerCase() === symbol.toLowerCase())
  throw notFound(
    similar.length > 0
      ? `no stock has the symbol ${symbol}; ${similar.join(', ')} differs in case only`
      : `no stock of the factory has the symbol ${symbol}`,
  )
}

/** Reads of the factory's list and of all stocks in it. */
async function readListed(
  rpc: JsonRpc,
  at: BlockName,
  readsOf: (stock: Address) => readonly Read[],
): Promise<{ readonly block: ReadBlock; readonly addresses: readonly Address[]; readonly values: readonly unknown[] }> {
  const list = read(STOCK_FACTORY_ADDRESS, factoryFunction('stocksFrom'), { offset: 0n, limit: EVERYTHING })
  let addresses: readonly Address[] = []
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { block, values } = await readAll(rpc, at, [list, ...addresses.flatMap(readsOf)])
    const [listed, ...rest] = values
    if (listed === undefined) {
      throw new StockError(
        'STOCK_NOT_FOUND',
        `this chain has no stock factory at ${STOCK_FACTORY_ADDRESS}: name the stock by its address`,
      )
    }
    const now = (listed as readonly string[]).map(toAddress)
    if (now.join() === addresses.join()) return { block, addresses, values: rest }
    addresses = now
  }
  throw new StockError('NODE_ERROR', 'stocks are created faster than they can be listed: name a block with --block')
}

function notFound(reason: string): StockError {
  return new StockError('STOCK_NOT_FOUND', `${reason}: \`tickertape stock list\` shows all`)
}
