import { foreignText } from '../primitives/text/foreign-text.ts'
import { UpstreamError } from './upstream-failure.ts'

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export type RpcReply =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data?: unknown }

/** Meaning of an error of an upstream. */
export type ErrorMeaning =
  /** The call was executed and failed. */
  | 'failed'
  /** The node does not have the block. */
  | 'missing'
  /** The node has the block, but not its state. */
  | 'pruned'
  /** The node does not support the block reference. */
  | 'unsupported'
  | 'limited'
  | 'timedOut'
  | 'refused'

/** Encodes one call, for nodes without batches. */
export function encodeCall({ method, params }: RpcCall): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 0, method, params })
}

/** Encodes a batch; a single call is a batch too, so that all responses have one form. */
export function encodeBatch(calls: readonly RpcCall[]): string {
  return JSON.stringify(calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })))
}

/**
 * The replies in the order of the calls; a node may send them in any order (JSON-RPC 2.0, 6).
 *
 * @throws UpstreamError `malformed` unless there is exactly one reply per call; `limited` or `refused` when the
 *   whole batch was
 *   rejected
 */
export function decodeBatch(text: string, count: number): readonly RpcReply[] {
  const json = parse(text)
  if (!Array.isArray(json)) throw batchError(json)
  const replies: RpcReply[] = new Array(count)
  for (const item of json as unknown[]) {
    const { id } = asObject(item)
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= count) throw malformed('an unknown id')
    if (replies[id] !== undefined) throw malformed('two answers to one request')
    replies[id] = replyOf(asObject(item))
  }
  if (json.length !== count) throw malformed(`${json.length} answers to ${count} requests`)
  return replies
}

/**
 * The reply to `encodeCall`.
 *
 * @throws UpstreamError `malformed`
 */
export function decodeReply(text: string): RpcReply {
  const json = asObject(parse(text))
  // Errors of a proxy in front of the node may have another id, or none.
  if (json.id !== 0 && json.result !== undefined) throw malformed('an unknown id')
  return replyOf(json)
}

/** An error for the whole batch. */
function batchError(json: unknown): UpstreamError {
  const reply = replyOf(asObject(json))
  if (reply.kind === 'result') return malformed('one answer to a batch')
  const { code, message } = reply
  const isLimited = meaningOf(reply) === 'limited'
  return new UpstreamError(isLimited ? { kind: 'limited', retryAfter: undefined } : { kind: 'refused', code, message })
}

function replyOf(item: Readonly<Record<string, unknown>>): RpcReply {
  const { error, result } = item
  if (error !== undefined && error !== null) {
    const { code, message, data } = asObject(error)
    if (typeof code !== 'number' || typeof message !== 'string') throw malformed('an error without code or message')
    return { kind: 'error', code, message: foreignText(message), ...(data !== undefined && { data }) }
  }
  if (result === undefined) throw malformed('neither result nor error')
  return { kind: 'result', result }
}

/** @throws UpstreamError `malformed` */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw malformed('no object where one belongs')
  return value as Readonly<Record<string, unknown>>
}

export function malformed(reason: string): UpstreamError {
  return new UpstreamError({ kind: 'malformed', reason })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('no JSON')
  }
}

const FAILED_CODES: ReadonlySet<number> = new Set([3, -32015])
/** Beginnings of messages about a failed execution; the contract's own text follows them. */
const FAILED =
  /^(execution reverted|(Error: )?VM exception|EVM error|out of gas|invalid opcode|invalid jump|stack (under|over)flow|stack limit reached|precompile failed|write protection|return data out of bounds|gas uint64 overflow)/i

/**
 * Rules in order. Messages take precedence over codes: go-ethereum uses -32000 for most errors, Anvil and Hardhat
 * -32603 for halts.
 */
const RULES: readonly (readonly [ErrorMeaning, ReadonlySet<number>, RegExp])[] = [
  ['limited', new Set([-32005, -32016, -32029, 429]), /rate.?limit|too many requests|request limit|quota|capacity/i],
  ['timedOut', new Set([-32002]), /execution aborted|execution timeout|request timed out|took too long/i],
  [
    'pruned',
    new Set([4444]),
    /missing trie node|state .*(unavailable|not available)|pruned|archive|old data|exceeds maximum proof window/i,
  ],
  ['missing', new Set([-32001]), /header not found|(block|resource|header).*not found|unknown block|not.*canonical/i],
  ['missing', new Set(), /BlockOutOfRange|block height is|no such block|invalid block number/i],
  // Providers refuse wide searches of logs with the codes of rate limits and of invalid parameters.
  ['refused', new Set(), /more than [\d,]+ (results|logs)|block range|limited to a [\d,]+|response size exceeded/i],
  ['unsupported', new Set([-32602]), /invalid argument|cannot unmarshal|unknown (block )?tag|unsupported/i],
]

/**
 * The meaning of an error; `refused` where no rule matches.
 *
 * @example meaningOf({ code: -32000, message: 'header not found' }) // 'missing'
 */
export function meaningOf({ code, message }: { readonly code: number; readonly message: string }): ErrorMeaning {
  if (FAILED_CODES.has(code) || FAILED.test(message)) return 'failed'
  const found = RULES.find(([, , text]) => text.test(message)) ?? RULES.find(([, codes]) => codes.has(code))
  return found?.[0] ?? 'refused'
}
