import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'
import { type Bytes, bytesToHex, type Hash } from '../../../primitives/hex.ts'
import { keccakHash } from '../../../primitives/keccak.ts'
import { data } from '../../../rpc/codecs/bytes.ts'
import { InvalidValueError } from '../../../rpc/codecs/codec.ts'
import { wholeNumber } from '../../../rpc/codecs/small-numbers.ts'
import type { JsonRecord } from '../../../rpc/protocol/json.ts'
import { receiptOf, sendAndAwait } from '../../stock/chain/inclusion.ts'
import { JsonRpcError } from '../../stock/chain/json-rpc.ts'
import { readQuantity, type WireObject, wireHash, wireObject } from '../../stock/chain/wire.ts'
import { StockError } from '../../stock/terms/stock-error.ts'
import { CALL_MEMBERS, type CallInput, wireCallOf } from '../arguments/call-input.ts'
import { described, inputOf, oneOf } from '../arguments/input.ts'
import { optional } from '../names/contracts.ts'
import { defineTool, out, type ToolContext } from './tool.ts'

interface SendInput extends CallInput {
  readonly raw?: Bytes
  readonly waitFor?: 'preconfirmation' | 'seal'
  readonly timeoutMs?: number
}

const DEFAULT_TIMEOUT_MS = 30_000
const MAX_TIMEOUT_MS = 600_000
const POLL_MS = 100

export const sendTool = defineTool({
  name: 'send',
  title: 'Send a transaction',
  description:
    'Sends a transaction and waits until a flashblock pre-confirms it or its block is sealed. Either a signed one (raw), ' +
    'or one of an account whose key the node has: a development account (default: the first) or an impersonated one. A ' +
    'transaction that would fail is refused before it is sent, unless gas is given. Simulate first.',
  effect: 'write',
  input: inputOf<SendInput>({
    ...CALL_MEMBERS,
    raw: described(data, 'signed transaction in hex; not with the other members of the transaction'),
    waitFor: oneOf(['preconfirmation', 'seal'], 'how long to wait; default preconfirmation (200 ms on Tickertape)'),
    timeoutMs: described(
      wholeNumber,
      `milliseconds to wait at most, up to ${MAX_TIMEOUT_MS}; default ${DEFAULT_TIMEOUT_MS}`,
    ),
  }),
  output: {
    required: {
      hash: out.text('hash of the transaction'),
      succeeded: out.flag('false: it was included and failed; explain_failure says why'),
      status: out.text('preconfirmed or sealed; of other nodes: included'),
      blockNumber: out.number('block'),
      gasUsed: out.number('gas used'),
    },
    optional: { contractAddress: out.text('contract that it created') },
  },
  async run(context, { raw, waitFor = 'preconfirmation', timeoutMs = DEFAULT_TIMEOUT_MS, ...call }) {
    if (timeoutMs > MAX_TIMEOUT_MS) throw new InvalidValueError(`want at most ${MAX_TIMEOUT_MS}`, 'timeoutMs')
    const deadline = context.now() + timeoutMs
    const receipt =
      raw === undefined ? await sendCall(context, call, deadline) : await sendRaw(context, raw, call, timeoutMs)
    return sentAnswer(receipt, await stateOf(context, receipt, waitFor === 'seal', deadline))
  },
})

async function sendRaw(context: ToolContext, raw: Bytes, call: CallInput, timeoutMs: number): Promise<WireObject> {
  if (Object.values(call).some((value) => value !== undefined)) {
    throw new InvalidValueError('cannot be combined with the members of a transaction', 'raw')
  }
  const signed = { raw: bytesToHex(raw), hash: keccakHash(raw) }
  return sendAndAwait(context.rpc, signed, { ...context, inclusionTimeoutMs: timeoutMs })
}

async function sendCall(context: ToolContext, input: CallInput, deadline: number): Promise<WireObject> {
  const { rpc, contracts: known } = context
  const contracts = await known.at(input.to === undefined ? [] : [input.to])
  const call = { from: DEVELOPMENT_ACCOUNTS[0]!.address, ...wireCallOf(input, contracts) }
  let hash: Hash
  try {
    hash = wireHash(await rpc.request(['eth_sendTransaction', call]), 'hash of a transaction')
  } catch (error) {
    if (!(error instanceof JsonRpcError) || error.revertData === undefined) throw error
    const { text } = contracts.interfaces.error(error.revertData)
    throw new StockError('REFUSED', `it would fail, so that it was not sent: ${text}; with gas it is sent anyway`)
  }
  return receiptOf(rpc, hash, deadline, context)
}

/** Waits for the seal of the block where that is asked for and the node tells. */
async function stateOf(
  { rpc, now, sleep }: ToolContext,
  { transactionHash }: WireObject,
  isSealAwaited: boolean,
  deadline: number,
): Promise<string> {
  for (;;) {
    const known = await optional(rpc.request(['tickertape_transactionStatus', transactionHash]))
    if (known === undefined) return 'included'
    const { status } = wireObject(known, 'status of a transaction')
    if (!isSealAwaited || status === 'sealed') return String(status)
    if (now() >= deadline) {
      throw new StockError('OUTCOME_UNKNOWN', `transaction ${transactionHash} is ${status}, but was not sealed in time`)
    }
    await sleep(POLL_MS)
  }
}

function sentAnswer(
  { transactionHash, status, blockNumber, gasUsed, contractAddress }: WireObject,
  state: string,
): JsonRecord {
  return {
    hash: String(transactionHash),
    succeeded: readQuantity(status, 'status in a receipt') === 1n,
    status: state,
    blockNumber: Number(readQuantity(blockNumber, 'block number in a receipt')),
    gasUsed: Number(readQuantity(gasUsed, 'gas in a receipt')),
    ...(typeof contractAddress === 'string' && { contractAddress }),
  }
}
