import { createNames, type Names, NO_NAMES } from '../../live/names/names.ts'
import { readStocks, type StockRecord } from '../../live/stock-list.ts'
import { Store } from '../../live/store.ts'
import { visibleText } from '../model/visible-text.ts'

const MAX_SYMBOL = 24
const MAX_NAME = 80

interface Service {
  read(path: string): Promise<{ readonly status: number; readonly text: string }>
}

/** The listed stocks of the connected node, and the names of addresses that follow from them. */
export class NodeStocks {
  readonly names = new Store<Names>(NO_NAMES)
  readonly stocks = new Store<readonly StockRecord[]>([])
  readonly #node: Service
  /** Connections so far: each may lead to another node. */
  #connections = 0

  constructor(node: Service) {
    this.#node = node
  }

  /** Forgets the stocks of the node before, when a connection begins. */
  reset(): void {
    this.#connections += 1
    this.stocks.set([])
    this.names.set(NO_NAMES)
  }

  /** Reads the stocks. Those that are known stay when the node does not answer. */
  async refresh(): Promise<void> {
    const connections = this.#connections
    const found = await readStocks(this.#node).catch(() => undefined)
    if (found === undefined || this.#connections !== connections) return
    const stocks = found.map(withVisibleTexts)
    this.stocks.set(stocks)
    this.names.set(createNames(stocks))
  }
}

/** Any account may choose the symbol of a stock that it creates. */
function withVisibleTexts(stock: StockRecord): StockRecord {
  return { ...stock, symbol: visibleText(stock.symbol, MAX_SYMBOL), name: visibleText(stock.name, MAX_NAME) }
}
