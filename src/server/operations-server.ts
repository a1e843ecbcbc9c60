import type { RestService } from '../rest/http/rest-service.ts'
import { createServer, type RunningServer, type ServerDeps } from './create-server.ts'

const NOT_FOUND = {
  status: 404,
  headers: { 'content-type': 'application/json' },
  body: `${JSON.stringify({ error: 'this port serves /metrics, /health and /ready' })}\n`,
  isRepeated: true,
}

/** Answers 404 on every other path. */
const NOTHING_ELSE: RestService = { handle: () => NOT_FOUND }

/**
 * Serves only the operations pages. Probes and scrapers address a node by any name, so the listener accepts every Host
 * header. The pages change nothing and have no secrets.
 *
 * @throws the error of `listen`, such as EADDRINUSE
 */
export function createOperationsServer(
  { host, port }: { readonly host: string; readonly port: number },
  { operations, log }: Required<Pick<ServerDeps, 'operations' | 'log'>>,
): Promise<RunningServer> {
  return createServer({ host, port, allowedHosts: ['*'] }, { rest: NOTHING_ELSE, operations, log })
}
