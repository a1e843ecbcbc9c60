import type { RestService } from '../rest/http/rest-service.ts'
import { createServer, type RunningServer, type ServerDeps } from './create-server.ts'

const NOT_FOUND = {
  status: 404,
  headers: { 'content-type': 'application/json' },
  body: `${JSON.stringify({ error: 'this port serves /metrics, /health and /ready' })}\n`,
  isRepeated: true,
}

/** Responds to every path except those of the pages. */
const NOTHING_ELSE: RestService = { handle: () => NOT_FOUND }

/**
 * Serves the operations pages alone. Probes and scrapers name the host as they like, so every Host header is accepted:
 * the pages change nothing, and the listener has no other.
 *
 * @throws the error of `listen`, such as EADDRINUSE
 */
export function createOperationsServer(
  { host, port }: { readonly host: string; readonly port: number },
  { operations, log }: Required<Pick<ServerDeps, 'operations' | 'log'>>,
): Promise<RunningServer> {
  return createServer({ host, port, allowedHosts: ['*'] }, { rest: NOTHING_ELSE, operations, log })
}
