import {
  depositFault,
  GAS_PER_BYTE_BEFORE_ISTHMUS,
  MAX_DEPOSIT_GAS,
  type UserDeposit,
} from '../../chain/system-transactions/user-deposit.ts'
import { ForkError } from '../../fork/source/fork-error.ts'
import { invalid, quantityValue, ReplyObject } from '../../fork/source/reply-fields.ts'
import type { DepositLog, L1Block, L1Reader } from '../../node/layer1/l1-chain.ts'
import { type Address, type Bytes, type Hash, toAddress, ZERO_HASH } from '../../primitives/hex.ts'
import { bytesToBigint, MAX_UINT64, toQuantity } from '../../primitives/quantity.ts'
import type { Transport } from '../../upstream/http-transport.ts'
import { decodeReply, encodeCall, type RpcCall } from '../../upstream/rpc-reply.ts'
import { UpstreamError } from '../../upstream/upstream-failure.ts'

/** A tag of layer 1, below which blocks may become origins. */
export type L1Tag = 'finalized' | 'safe' | 'latest'

export interface L1ReaderOptions {
  readonly tag: L1Tag
  /** OptimismPortal, whose events are deposits. Default: none are derived. */
  readonly portal?: Address | undefined
  /** Milliseconds for each request. */
  readonly timeoutMs: number
}

/** TransactionDeposited(address indexed from, address indexed to, uint256 indexed version, bytes opaqueData) */
const DEPOSITED = '0xb3813568d9991fc951961fcb4c784893574240a28925604d09fc577c55bb7c32'
/** mint, value, gas limit, and whether a contract is created; the calldata follows. */
const FIXED_BYTES = 32 + 32 + 8 + 1
/** Position and length of the only argument, `bytes`. */
const ABI_BYTES = 64
/** The L1 attributes have 8 bytes each for number and timestamp of the origin. */

/** Reads blocks and deposits of layer 1 over JSON-RPC. */
export class HttpL1Reader implements L1Reader {
  readonly #options: L1ReaderOptions
  readonly #transport: Transport

  constructor(options: L1ReaderOptions, { transport }: { readonly transport: Transport }) {
    this.#options = options
    this.#transport = transport
  }

  newest(): Promise<bigint> {
    return checked(() => this.#newest())
  }

  block(number: bigint): Promise<L1Block | undefined> {
    return checked(() => this.#block(number))
  }

  chainId(): Promise<bigint> {
    return checked(async () => quantityValue(await this.#call('eth_chainId'), 'chain id of layer 1'))
  }

  async #newest(): Promise<bigint> {
    const { tag } = this.#options
    const header = await this.#call('eth_getBlockByNumber', tag, false)
    if (header === null) throw invalid(`block ${tag}`, 'there is none yet')
    return uint64Of(new ReplyObject(header, `block ${tag}`), 'number', `block ${tag}`)
  }

  async #block(number: bigint): Promise<L1Block | undefined> {
    const subject = `block ${number} of layer 1`
    const header = await this.#call('eth_getBlockByNumber', toQuantity(number), false)
    if (header === null) return undefined
    const block = new ReplyObject(header, subject)
    if (block.quantity('number') !== number) throw invalid(subject, 'another number')
    const hash = block.hash('hash')
    return {
      number,
      hash,
      parentHash: block.hash('parentHash'),
      timestamp: uint64Of(block, 'timestamp', subject),
      baseFee: block.optionalQuantity('baseFeePerGas') ?? 0n,
      blobBaseFee: block.has('excessBlobGas') ? await this.#blobBaseFee(number) : 1n,
      prevRandao: block.optionalHash('mixHash') ?? ZERO_HASH,
      parentBeaconBlockRoot: block.optionalHash('parentBeaconBlockRoot') ?? ZERO_HASH,
      deposits: await this.#deposits(hash),
    }
  }

  /** By the blob schedule of layer 1, which only its nodes know. */
  async #blobBaseFee(number: bigint): Promise<bigint> {
    const history = await this.#call('eth_feeHistory', '0x1', toQuantity(number), [])
    const fees = new ReplyObject(history, 'fee history of layer 1').list('baseFeePerBlobGas')
    return quantityValue(fees[0], 'blob base fee of layer 1')
  }

  async #deposits(blockHash: Hash): Promise<readonly DepositLog[]> {
    const { portal } = this.#options
    if (portal === undefined) return []
    const subject = `deposits in block ${blockHash}`
    const logs = await this.#call('eth_getLogs', { blockHash, address: portal, topics: [DEPOSITED] })
    if (!Array.isArray(logs)) throw invalid(subject, 'not a list')
    const deposits = logs.map((log) => depositOf(new ReplyObject(log, subject), { portal, blockHash }, subject))
    checkTogether(deposits, subject)
    return deposits.sort((a, b) => (a.logIndex < b.logIndex ? -1 : 1))
  }

  async #call(method: RpcCall['method'], ...params: readonly unknown[]): Promise<unknown> {
    const { timeoutMs } = this.#options
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const reply = decodeReply(await this.#transport(encodeCall({ method, params }), signal))
      if (reply.kind === 'result') return reply.result
      throw new UpstreamError({ kind: 'refused', code: reply.code, message: reply.message })
    } catch (error) {
      throw signal.aborted ? new UpstreamError({ kind: 'timeout', milliseconds: timeoutMs }) : error
    }
  }
}

/** The checks are those of forks, whose messages name another flag. */
async function checked<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ForkError)) throw error
    throw new Error('the node of --l1-url answers with data of another form', { cause: error })
  }
}

interface WantedLog {
  readonly portal: Address
  readonly blockHash: Hash
}

/** @throws ForkError FORK_DATA_INVALID if the quantity has more than 64 bits */
function uint64Of(reply: ReplyObject, name: string, subject: string): bigint {
  const value = reply.quantity(name)
  if (value > MAX_UINT64) throw invalid(subject, `its ${name} has more than 64 bits`)
  return value
}

/** @throws ForkError FORK_DATA_INVALID for deposits that a portal cannot emit in the same block */
function checkTogether(deposits: readonly DepositLog[], subject: string): void {
  if (new Set(deposits.map(({ logIndex }) => logIndex)).size < deposits.length) {
    throw invalid(subject, 'two events with the same log index')
  }
  const gas = deposits.reduce((sum, { deposit }) => sum + deposit.gasLimit, 0n)
  if (gas > MAX_DEPOSIT_GAS) throw invalid(subject, `${gas} gas, but a portal sells ${MAX_DEPOSIT_GAS} per block`)
}

/** @throws ForkError FORK_DATA_INVALID for another event, another form of its data, or values no portal accepts */
function depositOf(log: ReplyObject, { portal, blockHash }: WantedLog, subject: string): DepositLog {
  const topics = log.list('topics')
  const isWanted = log.address('address') === portal && log.hash('blockHash') === blockHash && topics[0] === DEPOSITED
  if (!isWanted || topics.length !== 4) throw invalid(subject, 'another event')
  if (quantityValue(topics[3], subject) !== 0n) throw invalid(subject, 'an unknown version of deposits')
  const [from, to] = [topics[1], topics[2]].map((topic) => addressIn(topic, subject))
  const deposit = { from: from!, ...membersOf(opaqueData(log.bytes('data'), subject), to!) }
  // The portal may be older than the chain that follows it: the rules are those that every version shares.
  const fault = depositFault(deposit, GAS_PER_BYTE_BEFORE_ISTHMUS)
  if (fault !== undefined) throw invalid(subject, `no portal emits such a deposit (${fault.code})`)
  return { deposit, logIndex: log.quantity('logIndex') }
}

function addressIn(topic: unknown, subject: string): Address {
  const word = quantityValue(topic, subject)
  return toAddress(`0x${(word & (2n ** 160n - 1n)).toString(16).padStart(40, '0')}`)
}

function opaqueData(data: Bytes, subject: string): Bytes {
  const length = data.length < ABI_BYTES ? -1n : bytesToBigint(data.subarray(32, ABI_BYTES))
  if (length < BigInt(FIXED_BYTES) || length > BigInt(data.length - ABI_BYTES)) throw invalid(subject, 'short data')
  return data.subarray(ABI_BYTES, ABI_BYTES + Number(length))
}

/** Packed members (OP-stack specs: deposits, "deposit contract"). */
function membersOf(opaque: Bytes, to: Address): Omit<UserDeposit, 'from'> {
  const isCreation = opaque[FIXED_BYTES - 1] !== 0
  return {
    to: isCreation ? null : to,
    mint: bytesToBigint(opaque.subarray(0, 32)),
    value: bytesToBigint(opaque.subarray(32, 64)),
    gasLimit: bytesToBigint(opaque.subarray(64, 72)),
    data: opaque.subarray(FIXED_BYTES),
  }
}
