import { DEMO_STOCK_OWNER, ORACLE_REGISTRY_ADDRESS, STOCK_MARKET_ADDRESS } from '../../chain/predeploys/demo-stocks.ts'
import { signTransaction } from '../../chain/transaction/transaction-codec.ts'
import type { StocksMarketMode } from '../../flags/development-flags.ts'
import { errorText } from '../../live/request-error.ts'
import { type Address, type Bytes, bytesToHex } from '../../primitives/hex.ts'
import { sessionNumber } from '../../primitives/stocks/market-session.ts'
import { feedFunction, marketFunction, oracleFunction, stockFunction } from '../stock/chain/contracts.ts'
import type { JsonRpc } from '../stock/chain/json-rpc.ts'
import { signerOf } from '../stock/chain/sender.ts'
import { readQuantity, wireHash, wireObject } from '../stock/chain/wire.ts'
import { MARKET_MODES } from './market-modes.ts'
import { readMarket, readMarketStocks, type StockOnChain } from './market-state.ts'
import { type MarketCall, type MarketPlan, nextCalls } from './next-calls.ts'

export interface StocksMarketDeps {
  readonly rpc: JsonRpc
  /** Whether the node builds blocks: a standby must not decide beside the leader. */
  readonly isLeading: () => Promise<boolean>
  /** Called with the reason when calls were refused in many blocks, and when the market ends. */
  readonly onProblem: (problem: string) => void
}

/** Gas of a call; an announcement runs another call. */
const GAS_LIMIT = 500_000n
/** Blocks in a row without success after which a problem is reported. */
const FAILURES_TO_REPORT = 10
/** Blocks after which transactions of an earlier process are in a block, or never will be. */
const BLOCKS_TO_AWAIT = 2

/** What all decisions have in common. */
interface Chain {
  readonly id: bigint
  readonly plan: MarketPlan
  readonly stocks: readonly StockOnChain[]
}

/**
 * Moves the market of the demonstration stocks: once a block, reads it as of the newest sealed block, and sends what
 * brings it where it should be. It keeps nothing that a restart or another leader needs.
 */
export class StocksMarket {
  readonly #mode: StocksMarketMode
  readonly #deps: StocksMarketDeps
  #chain: Chain | undefined
  #newest: string | undefined
  #blocksSeen = 0
  #failures = 0

  constructor(mode: StocksMarketMode, deps: StocksMarketDeps) {
    this.#mode = mode
    this.#deps = deps
  }

  /**
   * Looks at the newest block, and acts if it is a new one. Failures of the node are counted, not thrown.
   *
   * @returns false: the chain has no market, and never will
   */
  async step(): Promise<boolean> {
    try {
      if (!(await this.#deps.isLeading())) {
        // The next leader may have sent calls that are not in a block yet.
        this.#blocksSeen = 0
        return true
      }
      this.#chain ??= await this.#readChain()
      if (this.#chain.stocks.length === 0) {
        this.#deps.onProblem('the chain has no market of demonstration stocks')
        return false
      }
      await this.#act(this.#chain)
      this.#failures = 0
    } catch (error) {
      this.#failures += 1
      if (this.#failures === FAILURES_TO_REPORT) this.#deps.onProblem(errorText(error))
    }
    return true
  }

  async #readChain(): Promise<Chain> {
    const { rpc } = this.#deps
    const [id, first] = await rpc.batch([['eth_chainId'], ['eth_getBlockByNumber', '0x0', false]])
    const seed = wireHash(wireObject(first, 'block 0').hash, 'hash of block 0')
    return {
      id: readQuantity(id, 'chain id'),
      plan: { mode: MARKET_MODES[this.#mode], seed },
      stocks: await readMarketStocks(rpc),
    }
  }

  async #act(chain: Chain): Promise<void> {
    const { rpc } = this.#deps
    const [latest, sealedNonce, nextNonce, tip] = await rpc.batch([
      ['eth_getBlockByNumber', 'latest', false],
      ['eth_getTransactionCount', DEMO_STOCK_OWNER, 'latest'],
      ['eth_getTransactionCount', DEMO_STOCK_OWNER, 'pending'],
      ['eth_maxPriorityFeePerGas'],
    ])
    const block = wireObject(latest, 'newest block')
    const hash = wireHash(block.hash, 'block hash')
    if (hash === this.#newest) return
    // Calls of an earlier process may still be in the pool: deciding again would repeat them.
    if (this.#blocksSeen < BLOCKS_TO_AWAIT && sealedNonce !== nextNonce) {
      this.#newest = hash
      this.#blocksSeen += 1
      return
    }
    const time = Number(readQuantity(block.timestamp, 'time of a block'))
    const state = await readMarket(rpc, chain.stocks, chain.plan.mode, { hash, time })
    this.#newest = hash
    this.#blocksSeen = BLOCKS_TO_AWAIT
    const priorityFee = readQuantity(tip, 'priority fee')
    await this.#send(nextCalls(state, chain.plan), {
      chainId: chain.id,
      nonce: readQuantity(nextNonce, 'nonce'),
      maxPriorityFeePerGas: priorityFee,
      maxFeePerGas: 2n * readQuantity(block.baseFeePerGas, 'base fee') + priorityFee,
    })
  }

  /** In order: a call that is refused ends the round, and the next block decides anew. */
  async #send(calls: readonly MarketCall[], fields: Fields): Promise<void> {
    const { privateKey } = signerOf({ privateKey: undefined, account: 0 })
    for (const [index, call] of calls.entries()) {
      const transaction = {
        ...fields,
        type: 2,
        nonce: fields.nonce + BigInt(index),
        gasLimit: GAS_LIMIT,
        value: 0n,
        accessList: [],
        ...encoded(call),
      } as const
      await this.#deps.rpc.request(['eth_sendRawTransaction', bytesToHex(signTransaction(transaction, privateKey).raw)])
    }
  }
}

interface Fields {
  readonly chainId: bigint
  /** Of the first call. */
  readonly nonce: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerGas: bigint
}

function encoded(call: MarketCall): { readonly to: Address; readonly data: Bytes } {
  switch (call.kind) {
    case 'session':
      return {
        to: STOCK_MARKET_ADDRESS,
        data: marketFunction('setSession').encode(BigInt(sessionNumber(call.session))),
      }
    case 'price':
      return { to: call.feed, data: feedFunction('updateEquityPrice').encode(call.equityPrice) }
    case 'pause': {
      const { token, isPaused } = call
      return {
        to: ORACLE_REGISTRY_ADDRESS,
        data: oracleFunction('setOraclePaused').encode({ token, paused: isPaused }),
      }
    }
    case 'announcement': {
      const { token, id, description, multiplier, effectiveAt } = call
      const schedule = { newMultiplier: multiplier, newEffectiveAt: effectiveAt }
      const internalCalls = [stockFunction('updateUIMultiplier').encode(schedule)]
      return { to: token, data: stockFunction('announce').encode({ internalCalls, id, description, uri: '' }) }
    }
  }
}
