import { jsonIn, objectIn } from '../../live/amount.ts'

/** A request of the page to the node that serves it. */
export type SentRequest =
  | { readonly kind: 'rest'; readonly target: string }
  | { readonly kind: 'rpc'; readonly method: string; readonly params: readonly unknown[] }

/** What came back. */
export type Reply = { readonly milliseconds: number } & (
  | { readonly kind: 'answer'; readonly status: number; readonly text: string; readonly wasStopped: boolean }
  /** There was no response. */
  | { readonly kind: 'failure'; readonly wasStopped: boolean }
)

interface SendParts {
  readonly signal: AbortSignal
  /** Called with the text so far when more of it arrives. */
  readonly onPart: (text: string) => void
}

/** Sends a request and reads the whole answer, or what arrived until it is stopped. Never rejects. */
export async function send(request: SentRequest, { signal, onPart }: SendParts): Promise<Reply> {
  const begun = performance.now()
  const milliseconds = () => Math.round(performance.now() - begun)
  let response: Response
  try {
    response = await fetch(...fetchArguments(request, signal))
  } catch {
    return { kind: 'failure', milliseconds: milliseconds(), wasStopped: signal.aborted }
  }
  let text = ''
  const decoder = new TextDecoder()
  try {
    const reader = response.body!.getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += decoder.decode(part.value, { stream: true })
      onPart(text)
    }
  } catch {
    // Stopped, or the connection broke: what arrived is shown.
  }
  return { kind: 'answer', status: response.status, text, milliseconds: milliseconds(), wasStopped: signal.aborted }
}

function fetchArguments(request: SentRequest, signal: AbortSignal): [string, RequestInit] {
  if (request.kind === 'rest') return [request.target, { signal }]
  const { method, params } = request
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return ['/', { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal }]
}

export interface ReplyText {
  readonly isGood: boolean
  readonly status: string
  readonly milliseconds: number
  /** What went wrong and what to do. */
  readonly advice: string | undefined
  /** The answer; JSON has a member per line. */
  readonly text: string
}

const NO_ANSWER =
  'The node does not answer. Check that it runs and that its address is that of this page, then send again.'

/** A reply as the page shows it. */
export function readingOf(reply: Reply): ReplyText {
  const { milliseconds, wasStopped } = reply
  if (reply.kind === 'failure') {
    return wasStopped
      ? { isGood: true, status: 'stopped', milliseconds, advice: undefined, text: '' }
      : { isGood: false, status: 'no answer', milliseconds, advice: NO_ANSWER, text: '' }
  }
  const json = jsonIn(reply.text)
  // Only where no digit of a number is lost.
  const isExact = json !== undefined && JSON.stringify(json) === reply.text.trim()
  const text = isExact ? JSON.stringify(json, undefined, 2) : reply.text
  const message = failureIn(json)
  const isGood = reply.status < 400 && message === undefined
  const status = `${reply.status}${wasStopped ? ', stopped' : ''}`
  return { isGood, status, milliseconds, advice: isGood ? undefined : adviceOf(reply.status, message), text }
}

/** The message of a JSON-RPC error or of an `rpcStatus`. The node writes what to do into it. */
function failureIn(json: unknown): string | undefined {
  const { error, code, message } = objectIn(json)
  const found = objectIn(error).message ?? (typeof code === 'number' ? message : undefined)
  return found === undefined ? undefined : String(found)
}

function adviceOf(status: number, message: string | undefined): string {
  const problem = message === undefined ? `answered with HTTP status ${status}` : `refuses: ${message}`
  return `The node ${problem}. ${nextStep(status)}`
}

function nextStep(status: number): string {
  if (status === 429) return 'Wait for the seconds that it names, then send again.'
  return status >= 500 ? 'Send again later.' : 'Correct the request, then send again.'
}
