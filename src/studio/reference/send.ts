import { jsonIn, objectIn } from '../../live/amount.ts'

/** A request of the page to the node that serves it. */
export type SentRequest =
  | { readonly kind: 'rest'; readonly target: string }
  | { readonly kind: 'rpc'; readonly method: string; readonly params: readonly unknown[] }

/** An answer, of which a part is missing unless its end is `complete`. */
export interface Answer {
  readonly kind: 'answer'
  readonly status: number
  /** Of a stream of events only the newest text. */
  readonly text: string
  readonly isEventStream: boolean
  /** `interrupted`: the connection broke. */
  readonly end: 'complete' | 'stopped' | 'interrupted'
}

/** The outcome of a request. */
export type Reply = { readonly milliseconds: number } & (
  | Answer
  /** There was no response. */
  | { readonly kind: 'failure'; readonly wasStopped: boolean }
)

/** Characters of a stream of events that are kept: a stream has no end. */
const MAX_EVENT_CHARACTERS = 1_000_000

interface SendParts {
  readonly signal: AbortSignal
  /** Called with the text so far when more of it arrives. */
  readonly onPart: (text: string) => void
}

/** Whether a text is a path of the node with this origin: browsers read `/\host/path` as an address of another host. */
export function isOwnPath(text: string, origin: string): boolean {
  return text.startsWith('/') && URL.canParse(text, origin) && new URL(text, origin).origin === origin
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
  const isEventStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  let text = ''
  let end: Answer['end'] = 'complete'
  const decoder = new TextDecoder()
  try {
    const reader = response.body!.getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += decoder.decode(part.value, { stream: true })
      if (isEventStream) text = text.slice(-MAX_EVENT_CHARACTERS)
      onPart(text)
    }
  } catch {
    end = signal.aborted ? 'stopped' : 'interrupted'
  }
  return { kind: 'answer', status: response.status, text, isEventStream, end, milliseconds: milliseconds() }
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
  /** Advice after a failure. */
  readonly advice: string | undefined
  /** The answer; JSON has a member per line. */
  readonly text: string
}

const NO_ANSWER =
  'The node does not answer. Check that it runs and that its address is that of this page, then send again.'

const INTERRUPTED = 'The connection ended before the answer was complete. Send again.'

/** A reply as the page shows it. */
export function readingOf(reply: Reply): ReplyText {
  const { milliseconds } = reply
  if (reply.kind === 'failure') {
    return reply.wasStopped
      ? { isGood: true, status: 'stopped', milliseconds, advice: undefined, text: '' }
      : { isGood: false, status: 'no answer', milliseconds, advice: NO_ANSWER, text: '' }
  }
  const json = jsonIn(reply.text)
  // Only where no digit of a number is lost.
  const isExact = json !== undefined && JSON.stringify(json) === reply.text.trim()
  const text = isExact ? JSON.stringify(json, undefined, 2) : reply.text
  const message = failureIn(json)
  const status = reply.end === 'complete' ? String(reply.status) : `${reply.status}, ${reply.end}`
  if (reply.end === 'interrupted') return { isGood: false, status, milliseconds, advice: INTERRUPTED, text }
  const isGood = reply.status < 400 && message === undefined
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
  const isTimeNamed = status === 429 && message !== undefined
  return `The node ${problem.replace(/\.$/, '')}. ${isTimeNamed ? WAIT : nextStep(status)}`
}

const WAIT = 'Wait for the time that the message names, then send again.'

function nextStep(status: number): string {
  return status >= 500 || status === 429 ? 'Send again later.' : 'Correct the request, then send again.'
}
