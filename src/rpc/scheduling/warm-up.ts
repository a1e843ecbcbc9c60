import { type Address, bytesToHex } from '../../primitives/hex.ts'
import type { Rpc } from '../create-rpc.ts'

/** Rounds after which a request is as fast as it will be: V8 has compiled what it takes. */
const ROUNDS = 150

/** Where the contracts of the rounds are pretended to be. */
const TARGET = `0x${'77'.repeat(20)}`
const TOKEN = `0x${'78'.repeat(20)}`
/** Transfers nothing to whoever asks, where the chain has it; code of the chain takes another way than code of a request. */
const WETH = '0x4200000000000000000000000000000000000006'
/** Who has sent before, and has more than fits 64 bits. */
const ACCOUNT = { balance: '0x56bc75e2d63100000', nonce: '0x9' }

/**
 * Adds, multiplies, hashes, reads and writes storage and memory in a loop, logs and returns: what contracts are made of.
 */
const CODE = bytesToHex(
  Buffer.from('60105b806020526020602020548060010190556020600020600052600190038060025760206000a060206000f3', 'hex'),
)

/** What a transfer does: writes the slots that belong to caller and recipient, logs with both of them, returns true. */
const TOKEN_CODE = bytesToHex(
  Buffer.from(
    `${'33600052'}${'604060002080546001019055'}${'600435600052'}${'604060002080546001019055'}` +
      `${'6004353360dd60206000a3'}${'600160005260206000f3'}`,
    'hex',
  ),
)

/**
 * Answers the requests that wallets begin with until they take no longer than usual (issue 4: the first call at most
 * twice the hundredth). Nothing of it changes the node.
 *
 * @param options.limit milliseconds after which it ends in any case
 * @param options.contracts whose code is to be in memory, as that of the genesis
 * @param now milliseconds on the monotonic clock
 */
export async function warmUp(
  rpc: Pick<Rpc, 'answer'>,
  { limit, contracts }: { readonly limit: number; readonly contracts: readonly Address[] },
  now: () => number,
): Promise<void> {
  const end = now() + limit
  for (const to of contracts) {
    if (now() < end) await rpc.answer(requestText('eth_call', { to }, 'latest'))
  }
  const texts = warmingRequests()
  for (let round = 0; round < ROUNDS; round++) {
    for (const text of texts) {
      if (now() >= end) return
      await rpc.answer(text)
    }
  }
}

/** What a round asks: nothing that takes long, and nothing that changes anything. */
export function warmingRequests(): readonly string[] {
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
  return [...texts, PRETENDED, requestText('eth_simulateV1', simulation(WETH), 'pending')]
}

/**
 * What is asked after that, where there is time. A state has an instance of the EVM to itself once it was asked for twice in
 * a row: two have one each, as code that V8 compiled for the functions of one alone is thrown away with the next.
 */
export function idleWarmingRequests(): readonly string[] {
  return [...warmingRequests(), ...burstRequests().flatMap((text) => [text, text])]
}

/** What clients ask many times at once, of two states. */
export function burstRequests(): readonly string[] {
  return [PRETENDED, requestText('eth_simulateV1', simulation(WETH), 'latest')]
}

/** A simulation of an account and a token that the chain does not have. */
const PRETENDED = requestText(
  'eth_simulateV1',
  simulation(TOKEN, { [TARGET]: ACCOUNT, [TOKEN]: { code: TOKEN_CODE } }),
  'latest',
)

/** Three transfers of a token, as a wallet shows them before they are signed. */
function simulation(token: string, stateOverrides?: object): object {
  const recipient = `${'0'.repeat(24)}${'79'.repeat(20)}`
  const call = { from: TARGET, to: token, data: `0xa9059cbb${recipient}${'0'.repeat(64)}` }
  return { blockStateCalls: [{ stateOverrides, calls: [call, call, call] }] }
}

function requestText(method: string, ...params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}
