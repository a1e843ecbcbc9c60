import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler } from './http.ts'
import { METRICS_CONTENT_TYPE } from './metrics/exposition.ts'
import { type NodeCondition, notReady, type ReadinessLimits } from './readiness.ts'

export interface OperationsParts {
  readonly condition: () => NodeCondition
  readonly metrics: { text(): Promise<string> }
  readonly log: { error(details: object, message: string): void }
}

/**
 * Pages for whoever runs the node: `/health` (the process answers), `/ready` (requests should come here; 503 and why
 * where not) and `/metrics` (for Prometheus).
 */
export function createOperations(limits: ReadinessLimits, parts: OperationsParts): ReadonlyMap<string, RequestHandler> {
  return new Map([
    ['/health', reading(parts, () => ({ status: 200, json: { status: 'live' } }))],
    ['/ready', reading(parts, () => readiness(parts.condition(), limits))],
    ['/metrics', reading(parts, async () => ({ status: 200, text: await parts.metrics.text() }))],
  ])
}

type Page =
  | { readonly status: number; readonly json: Readonly<Record<string, unknown>> }
  | { readonly status: number; readonly text: string }

function readiness(condition: NodeCondition, limits: ReadinessLimits): Page {
  const reasons = notReady(condition, limits)
  const { latest, tipAge, flashblockAge, writerLag } = condition
  return {
    status: reasons.length === 0 ? 200 : 503,
    json: {
      ready: reasons.length === 0,
      reasons,
      latest,
      tipAgeMs: Math.round(tipAge),
      flashblockAgeMs: Math.round(flashblockAge),
      writerLagBlocks: writerLag,
    },
  }
}

/** Answers GET and HEAD. */
function reading({ log }: Pick<OperationsParts, 'log'>, page: () => Page | Promise<Page>): RequestHandler {
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD', 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: 'method not allowed: this page is read with GET' }))
      return
    }
    answer(request, response, page).catch((error: unknown) => {
      log.error({ err: error, path: request.url }, 'a page could not be made')
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  page: () => Page | Promise<Page>,
): Promise<void> {
  const made = await page()
  const [type, text] =
    'json' in made ? ['application/json', `${JSON.stringify(made.json)}\n`] : [METRICS_CONTENT_TYPE, made.text]
  response.writeHead(made.status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  })
  response.end(request.method === 'HEAD' ? undefined : text)
}
