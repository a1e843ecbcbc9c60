import { UpstreamError } from './upstream-failure.ts'

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export type RpcReply =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }

/** What an error of an upstream is about. */
export type ErrorMeaning =
  /** The call was executed and failed. */
  | 'failed'
  /** It has no such block, or not yet, or not any more. */
  | 'missing'
  /** It has the block, but not its state. */
  | 'pruned'
  /** It does not understand how the block is named. */
  | 'unsupported'
  | 'limited'
  | 'timedOut'
  | 'refused'

/** A batch as it is sent; a single call too, so that all answers are read in one way. */
export function encodeBatch(calls: readonly RpcCall[]): string {
  return JSON.stringify(calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })))
}

/**
 * The replies in the order of the calls, whatever order they came in (JSON-RPC 2.0, 6).
 *
 * @throws UpstreamError `malformed` unless there is exactly one to each call; `limited` or `refused` when the batch as a whole
 * was
 */
export function decodeBatch(text: string, count: number): readonly RpcReply[] {
  const json = parse(text)
  if (!Array.isArray(json)) throw refusalOf(json)
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

/** One error to a whole batch says nothing of the calls in it. */
function refusalOf(json: unknown): UpstreamError {
  const reply = replyOf(asObject(json))
  if (reply.kind === 'result') return malformed('one answer to a batch')
  const { code, message } = reply
  const isLimited = meaningOf(reply) === 'limited'
  return new UpstreamError(isLimited ? { kind: 'limited', retryAfter: undefined } : { kind: 'refused', code, message })
}

function replyOf(item: Readonly<Record<string, unknown>>): RpcReply {
  const { error, result } = item
  if (error !== undefined && error !== null) {
    const { code, message } = asObject(error)
    if (typeof code !== 'number' || typeof message !== 'string') throw malformed('an error without code or message')
    return { kind: 'error', code, message }
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
/** How texts begin that tell what became of a call; what a contract says for itself comes after that. */
const FAILED =
  /^(execution reverted|(Error: )?VM exception|EVM error|out of gas|invalid opcode|invalid jump|stack (under|over)flow|stack limit reached|precompile failed|write protection|return data out of bounds|gas uint64 overflow)/i

/**
 * Rules in order, texts before codes, which say little: go-ethereum gives -32000 to most, Anvil and Hardhat -32603 to halts.
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
  ['unsupported', new Set([-32602]), /invalid argument|cannot unmarshal|unknown (block )?tag|unsupported/i],
]

/**
 * What fits no rule is `refused`, so that no contract is taken for what it is not.
 *
 * @example meaningOf({ code: -32000, message: 'header not found' }) // 'missing'
 */
export function meaningOf({ code, message }: { readonly code: number; readonly message: string }): ErrorMeaning {
  if (FAILED_CODES.has(code) || FAILED.test(message)) return 'failed'
  const found = RULES.find(([, , text]) => text.test(message)) ?? RULES.find(([, codes]) => codes.has(code))
  return found?.[0] ?? 'refused'
}
