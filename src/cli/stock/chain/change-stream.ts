import type { Address } from '../../../primitives/hex.ts'
import { withoutCredentials } from '../../../primitives/text/url-credentials.ts'
import { StockError } from '../terms/stock-error.ts'
import { type RestServiceOptions, restAddress, restRefusal, unreachable } from './rest-client.ts'
import { type WireObject, wireObject } from './wire.ts'

interface Deps {
  readonly sleep: (milliseconds: number) => Promise<void>
}

interface Position {
  /** Id of the last event; '' for none. */
  lastEventId: string
}

/** Connections in a row that may fail: a node may restart. */
const ATTEMPTS = 30
const RETRY_MS = 1_000
/** `code` of google.rpc.Status. */
const UNAVAILABLE = 14

/**
 * Changes of a stock from the events of the stock service, from the open block on. Connects again where a connection
 * ended; each change comes once.
 *
 * @param signal ends the stream with its reason
 * @throws StockError when the service cannot be reached, or lost the position
 */
export async function* followChanges(
  token: Address,
  options: RestServiceOptions & { readonly signal: AbortSignal },
  { sleep }: Deps,
): AsyncGenerator<WireObject, never> {
  const url = restAddress(options, '/v1/tokenized-stocks/events')
  url.searchParams.set('contract_address', token)
  const position: Position = { lastEventId: '' }
  let failures = 0
  for (;;) {
    try {
      for await (const change of connection(url, position, options)) {
        failures = 0
        yield change
      }
    } catch (error) {
      options.signal.throwIfAborted()
      failures += 1
      if (failures === ATTEMPTS || !mayRecover(error, position)) throw errorOf(url, error, options)
    }
    await sleep(RETRY_MS)
    options.signal.throwIfAborted()
  }
}

/** A service that was never reached is probably another one, unless it says that it will be available. */
function mayRecover(error: unknown, { lastEventId }: Position): boolean {
  return error instanceof StockError ? error.details.restCode === UNAVAILABLE : lastEventId !== ''
}

/** Changes of one connection. */
async function* connection(
  url: URL,
  position: Position,
  { signal, requestTimeoutMs }: RestServiceOptions & { readonly signal: AbortSignal },
): AsyncGenerator<WireObject> {
  const { target, authorization } = withoutCredentials(url.href)
  const headers = {
    ...(position.lastEventId !== '' && { 'last-event-id': position.lastEventId }),
    ...(authorization !== undefined && { authorization }),
  }
  const connecting = new AbortController()
  const late = setTimeout(() => connecting.abort(new DOMException('late', 'TimeoutError')), requestTimeoutMs)
  const response = await fetch(target, {
    headers,
    redirect: 'error',
    signal: AbortSignal.any([signal, connecting.signal]),
  }).finally(() => clearTimeout(late))
  if (response.status !== 200 || response.body === null) throw restRefusal(url, await response.json())
  let rest = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + chunk).split('\n\n')
    rest = events.pop()!
    for (const event of events) {
      const { id, name, data } = fieldsOf(event)
      if (id !== undefined) position.lastEventId = id
      if (name === undefined && data !== undefined) yield wireObject(JSON.parse(data), 'event of a stock')
    }
  }
}

/** Fields of an event as the service sends it, one line each. */
function fieldsOf(event: string): { readonly id?: string; readonly name?: string; readonly data?: string } {
  const field = (name: string) => {
    const line = event.split('\n').find((one) => one.startsWith(`${name}: `))
    return line?.slice(name.length + 2)
  }
  const [id, name, data] = ['id', 'event', 'data'].map(field)
  return { ...(id !== undefined && { id }), ...(name !== undefined && { name }), ...(data !== undefined && { data }) }
}

function errorOf(url: URL, error: unknown, { requestTimeoutMs }: RestServiceOptions): StockError {
  return error instanceof StockError ? error : unreachable(url, error, requestTimeoutMs)
}
