import { type Address, bytesToHex } from '../primitives/hex.ts'
import type { Rpc } from './create-rpc.ts'

/** Rounds after which V8 has compiled the code of these requests. */
const ROUNDS = 150
/** Calls of `LOOP`, 66,000 gas each, after which V8 optimises the EVM interpreter on another thread. */
const COMPUTING_CALLS = 4

/** Addresses whose code is set by state overrides. */
const TARGET = `0x${'77'.repeat(20)}`
const TOKEN = `0x${'78'.repeat(20)}`
/** A contract of the chain: it takes another code path than code of an override. */
const WETH = '0x4200000000000000000000000000000000000006'
/** An account that has sent, with a balance above 64 bits. */
const ACCOUNT = { balance: '0x56bc75e2d63100000', nonce: '0x9' }

/** Code that adds, multiplies, hashes, reads and writes storage and memory in a loop, logs and returns. */
const CODE = bytesToHex(
  Buffer.from('60105b806020526020602020548060010190556020600020600052600190038060025760206000a060206000f3', 'hex'),
)

/** Loop of 256 rounds with the instructions of calculations: arithmetic, remainders of products and sums, hashes. */
const LOOP = bytesToHex(
  Buffer.from(
    `${'6101005b'}${'801981028060111c18'}${'8119818009'}${'8219908208'}${'818104016000526020'}` +
      `${'5260406000206000511835506001900380600357'}`,
    'hex',
  ),
)

/** Code of a token transfer: writes the balances of sender and recipient, logs both, returns true. */
const TOKEN_CODE = bytesToHex(
  Buffer.from(
    `${'33600052'}${'604060002080546001019055'}${'600435600052'}${'604060002080546001019055'}` +
      `${'6004353360dd60206000a3'}${'600160005260206000f3'}`,
    'hex',
  ),
)

export interface WarmUpDeps {
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Lets other work run. */
  readonly yieldTurn: () => Promise<void>
  /** Ends the warm-up before its next request. */
  readonly signal: AbortSignal
}

/**
 * Handles requests so that V8 compiles what they use, and the first call of a client is not much slower than later
 * ones. Yields before each request: clients and flashblocks wait for one at most. Changes nothing in the node.
 *
 * @param options.limitMs milliseconds of requests after which it ends in any case
 * @param options.requests texts of JSON-RPC, such as `computingRequests` and `walletRequests`
 */
export async function warmUp(
  rpc: Pick<Rpc, 'handle'>,
  { limitMs, requests }: { readonly limitMs: number; readonly requests: Iterable<string> },
  { now, yieldTurn, signal }: WarmUpDeps,
): Promise<void> {
  let usedMs = 0
  for (const text of requests) {
    await yieldTurn()
    if (signal.aborted || usedMs >= limitMs) return
    const start = now()
    await rpc.handle(text)
    usedMs += now() - start
  }
}

/** Calls that compute for a few milliseconds, after which V8 optimises the EVM interpreter on another thread. */
export function* computingRequests(): Generator<string> {
  const text = requestText('eth_call', { to: TARGET }, 'latest', { [TARGET]: { code: LOOP } })
  for (let count = 0; count < COMPUTING_CALLS; count++) yield text
}

/**
 * The first requests of wallets, as often as V8 needs to compile the code that serves them.
 *
 * @param contracts accounts whose code is loaded, such as those of the genesis
 */
export function* walletRequests(contracts: readonly Address[]): Generator<string> {
  for (const to of contracts) yield requestText('eth_call', { to }, 'latest')
  const texts = warmingRequests()
  for (let round = 0; round < ROUNDS; round++) yield* texts
}

/** Requests of one round: short ones without side effects. */
function warmingRequests(): readonly string[] {
  const overrides = { [TARGET]: { code: CODE } }
  const texts = [
    ['eth_chainId'],
    ['eth_blockNumber'],
    ['eth_getBalance', TARGET, 'latest'],
    ['eth_getTransactionCount', TARGET, 'pending'],
    ['eth_getBlockByNumber', 'pending', true],
    ['eth_getLogs', { fromBlock: 'latest', toBlock: 'latest', address: TARGET }],
    ['eth_call', { to: TARGET }, 'latest', overrides],
    ['eth_estimateGas', { to: TARGET }, 'latest', overrides],
  ].map(([method, ...params]) => requestText(String(method), ...params))
  return [...texts, OVERRIDDEN, requestText('eth_simulateV1', simulation(WETH), 'pending')]
}

/** Simulation of an account and a token that exist in state overrides only. */
const OVERRIDDEN = requestText(
  'eth_simulateV1',
  simulation(TOKEN, { [TARGET]: ACCOUNT, [TOKEN]: { code: TOKEN_CODE } }),
  'latest',
)

/** Three transfers of a token, as wallets simulate them before signing. */
function simulation(token: string, stateOverrides?: object): object {
  const recipient = `${'0'.repeat(24)}${'79'.repeat(20)}`
  const call = { from: TARGET, to: token, data: `0xa9059cbb${recipient}${'0'.repeat(64)}` }
  return { blockStateCalls: [{ stateOverrides, calls: [call, call, call] }] }
}

function requestText(method: string, ...params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}
