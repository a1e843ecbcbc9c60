import type { LeaderReply, LeaderRequest } from '../../node/log/record-source.ts'
import { foreignText } from '../../primitives/text/foreign-text.ts'
import type { NodeConventions } from '../compat/node-conventions.ts'
import { EncodedJson, type MethodResult, resultJson } from '../protocol/encoded-json.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { isJsonObject, type Json } from '../protocol/json.ts'
import type { Method } from '../registry/method.ts'

/** Whether a follower of a development node forwards requests of a method to the leader. */
export function runsOnLeader(
  { development, runsOnLeaderWithCompat }: Pick<Method, 'development' | 'runsOnLeaderWithCompat'>,
  { isReproduced }: NodeConventions,
): boolean {
  return development !== undefined || (runsOnLeaderWithCompat === true && isReproduced)
}

/**
 * Sends a request for a development node to the leader.
 *
 * @param forward resolves when this process shows the effects of the request
 * @throws RpcError the error of the leader, or for an answer that is none
 */
export async function requestOfLeader(
  method: string,
  params: readonly unknown[],
  forward: (request: LeaderRequest) => Promise<LeaderReply>,
  { maxResponseBytes }: { readonly maxResponseBytes: number },
): Promise<MethodResult> {
  const { kind, text } = await forward({ method, params: JSON.stringify(params) })
  if (Buffer.byteLength(text) > maxResponseBytes) {
    throw new RpcError(RPC_CODES.responseTooLarge, 'the request was carried out, but its result is too large')
  }
  if (kind === 'tooLarge') throw new RpcError(RPC_CODES.responseTooLarge, foreignText(text))
  const answer = jsonOf(text)
  if (kind === 'result') return new EncodedJson(text)
  if (isJsonObject(answer)) {
    const { code, message, data } = answer
    if (Number.isSafeInteger(code) && typeof message === 'string') {
      throw new RpcError(code as number, message, data as Json | undefined, { kind: 'formatted' })
    }
  }
  throw invalidAnswer()
}

/** Parsed, because text of another process that becomes part of a response could end it and begin another one. */
function jsonOf(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidAnswer()
  }
}

function invalidAnswer(): RpcError {
  return new RpcError(RPC_CODES.server, 'the leader answered something else than JSON-RPC: see its log')
}

/**
 * Answers a request that a follower has forwarded: a method of the leader of any namespace, if they are enabled here.
 *
 * @param run runs such a method; throws RpcError
 */
export async function answerOfLeader(
  { method, params }: LeaderRequest,
  run: (method: string, params: readonly unknown[]) => Promise<MethodResult>,
): Promise<Omit<LeaderReply, 'sequence'>> {
  try {
    return { kind: 'result', text: resultJson(await run(method, parsed(params))) }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return { kind: 'error', text: JSON.stringify(error.toJson()) }
  }
}

/** @throws RpcError */
function parsed(text: string): readonly unknown[] {
  let params: unknown
  try {
    params = JSON.parse(text)
  } catch {
    // Not an array either.
  }
  if (Array.isArray(params)) return params
  throw new RpcError(RPC_CODES.invalidParams, 'non-array args')
}
