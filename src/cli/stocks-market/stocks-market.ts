import { DEMO_STOCK_OWNER, ORACLE_REGISTRY_ADDRESS, STOCK_MARKET_ADDRESS } from '../../chain/predeploys/demo-stocks.ts'
import { signTransaction } from '../../chain/transaction/transaction-codec.ts'
import type { StocksMarketMode } from '../../flags/development-flags.ts'
import { errorText } from '../../live/request-error.ts'
import { type Address, type Bytes, bytesToHex, type Hash } from '../../primitives/hex.ts'
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
  /** Called with the hash of each transaction before it is sent. */
  readonly onTransaction: (hash: Hash) => void
  /** Called with the reason when calls were refused or not included in many blocks, and when the market ends. */
  readonly onProblem: (problem: string) => void
}

/** Gas of a call; an announcement runs another call. */
const GAS_LIMIT = 500_000n
/** Blocks in a row without success after which a problem is reported. */
const FAILURES_TO_REPORT = 10
/** Blocks after which pending transactions are in a block, or wait for a lower base fee. */
const BLOCKS_TO_AWAIT = 2

/** The parameters of all decisions. */
interface Chain {
  readonly id: bigint
  readonly plan: MarketPlan
  readonly stocks: readonly StockOnChain[]
}

/** Calls that were sent together, with consecutive nonces. */
interface Batch {
  /** Nonce of the first call. */
  readonly nonce: bigint
  readonly calls: readonly SentCall[]
}

interface SentCall {
  readonly call: MarketCall
  readonly fees: Fees
}

interface NewestBlock {
  readonly hash: Hash
  /** Unix seconds. */
  readonly time: number
  readonly baseFee: bigint
  /** Nonce of the owner after the block. */
  readonly sealedNonce: bigint
  /** Nonce of the owner after its pending transactions. */
  readonly pendingNonce: bigint
  /** Suggested for the next block. */
  readonly priorityFee: bigint
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
  #sent: Batch | undefined
  /** Blocks since the calls were sent. */
  #blocksPending = 0
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
        this.#sent = undefined
        return true
      }
      this.#chain ??= await this.#readChain()
      if (this.#chain.stocks.length === 0) {
        this.#deps.onProblem('the chain has no market of demonstration stocks')
        return false
      }
      if (await this.#act(this.#chain)) this.#failures = 0
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

  /**
   * @returns whether the calls of a new block were accepted; false: the block was seen before, or calls are pending
   */
  async #act(chain: Chain): Promise<boolean> {
    const block = await this.#readNewest()
    if (block.hash === this.#newest) return false
    // A block counts once, also if a request fails below.
    this.#newest = block.hash
    const { sealedNonce, pendingNonce } = block
    const isPending = sealedNonce < pendingNonce
    if (isPending && this.#sent !== undefined && sealedNonce < this.#sent.nonce + BigInt(this.#sent.calls.length)) {
      this.#blocksPending += 1
      if (this.#blocksPending > BLOCKS_TO_AWAIT) await this.#replaceFirst(chain, this.#sent, block)
      return false
    }
    // Calls of an earlier process may still be in the pool: deciding again would repeat them.
    if (this.#blocksSeen < BLOCKS_TO_AWAIT && isPending) {
      this.#blocksSeen += 1
      return false
    }
    const state = await readMarket(this.#deps.rpc, chain.stocks, chain.plan.mode, block)
    this.#blocksSeen = BLOCKS_TO_AWAIT
    this.#blocksPending = 0
    const calls: SentCall[] = []
    this.#sent = { nonce: pendingNonce, calls }
    const fees = feesOf(block)
    // In order: a call that is refused ends the round, and the next block decides anew.
    for (const call of nextCalls(state, chain.plan)) {
      await this.#send(chain, call, { ...fees, nonce: pendingNonce + BigInt(calls.length) })
      calls.push({ call, fees })
    }
    return true
  }

  async #readNewest(): Promise<NewestBlock> {
    const [latest, sealedNonce, pendingNonce, priorityFee] = await this.#deps.rpc.batch([
      ['eth_getBlockByNumber', 'latest', false],
      ['eth_getTransactionCount', DEMO_STOCK_OWNER, 'latest'],
      ['eth_getTransactionCount', DEMO_STOCK_OWNER, 'pending'],
      ['eth_maxPriorityFeePerGas'],
    ])
    const block = wireObject(latest, 'newest block')
    return {
      hash: wireHash(block.hash, 'block hash'),
      time: Number(readQuantity(block.timestamp, 'time of a block')),
      baseFee: readQuantity(block.baseFeePerGas, 'base fee'),
      sealedNonce: readQuantity(sealedNonce, 'nonce'),
      pendingNonce: readQuantity(pendingNonce, 'pending nonce'),
      priorityFee: readQuantity(priorityFee, 'priority fee'),
    }
  }

  /**
   * Replaces the first pending call if the base fee has risen above its fee cap. The calls behind it follow in later
   * blocks.
   *
   * @throws Error if the base fee is not the reason why the call is not included
   */
  async #replaceFirst(chain: Chain, batch: Batch, block: NewestBlock): Promise<void> {
    const { sealedNonce: nonce, baseFee } = block
    const index = Number(nonce - batch.nonce)
    const first = batch.calls[index]
    if (first === undefined || first.fees.maxFeePerGas >= baseFee) {
      throw new Error(`transaction ${nonce} of account ${DEMO_STOCK_OWNER} is not included`)
    }
    const fees = raisedFees(first.fees, feesOf(block))
    await this.#send(chain, first.call, { ...fees, nonce })
    this.#sent = { ...batch, calls: batch.calls.with(index, { ...first, fees }) }
  }

  async #send(chain: Chain, call: MarketCall, fields: Fees & { readonly nonce: bigint }): Promise<void> {
    const { privateKey } = signerOf({ privateKey: undefined, account: 0 })
    const transaction = {
      ...fields,
      type: 2,
      chainId: chain.id,
      gasLimit: GAS_LIMIT,
      value: 0n,
      accessList: [],
      ...encoded(call),
    } as const
    const { hash, raw } = signTransaction(transaction, privateKey)
    this.#deps.onTransaction(hash)
    await this.#deps.rpc.request(['eth_sendRawTransaction', bytesToHex(raw)])
  }
}

interface Fees {
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerGas: bigint
}

function feesOf({ baseFee, priorityFee }: NewestBlock): Fees {
  return { maxPriorityFeePerGas: priorityFee, maxFeePerGas: 2n * baseFee + priorityFee }
}

/** The wanted fees, or the least that replace the earlier ones: pools require 10 % more of both. */
function raisedFees(earlier: Fees, wanted: Fees): Fees {
  const raised = (before: bigint, now: bigint) => {
    const least = (before * 11n) / 10n + 1n
    return now > least ? now : least
  }
  return {
    maxPriorityFeePerGas: raised(earlier.maxPriorityFeePerGas, wanted.maxPriorityFeePerGas),
    maxFeePerGas: raised(earlier.maxFeePerGas, wanted.maxFeePerGas),
  }
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
