import type { IncomingMessage, ServerResponse } from 'node:http'
import fastify, { type FastifyError, type FastifyReply } from 'fastify'
import type { Logger } from 'pino'
import type { NodeService } from '../node/node-service.ts'
import { rpcStatus, STATUS, StatusError, type StatusName } from './status.ts'
import { TokenReads } from './tokenized-stocks/token-reads.ts'
import { totalSupply } from './tokenized-stocks/total-supply.ts'

export interface RestParts {
  readonly node: NodeService
  readonly log: Logger
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

const READ_VERBS = ['GET', 'HEAD']
const TOTAL_SUPPLY = '/v1/tokenized-stocks/total-supply'

/** The REST interface of a node (contract, part A). It answers every path and verb, what it does not know too. */
export async function createRestService(parts: RestParts): Promise<RequestHandler> {
  const app = fastify({
    exposeHeadRoutes: true,
    // A parameter of any length reaches its check: Node bounds the whole head of a request (16 KB).
    routerOptions: { maxParamLength: 1024 * 1024 },
    // The framework's own text repeats the path, however long it is.
    frameworkErrors: (_error, _request, reply) => {
      void send(reply as unknown as FastifyReply, 'invalidArgument', 'the path is not valid: check its % escapes')
    },
  })
  // Nothing here takes a body: one that cannot be read must not hide that the verb or the path is wrong.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  const reads = new TokenReads({ maxCached: 1_000 }, parts)
  app.get<{ Params: { contract_address: string } }>(`${TOTAL_SUPPLY}/:contract_address`, async (request, reply) => {
    const supply = await totalSupply(reads, request.params.contract_address)
    // A bare number is a whole JSON text; the framework would not take it for one by itself.
    return reply.type('application/json').send(JSON.stringify(supply))
  })
  // Whatever has no route comes here, verbs that the framework has never heard of too.
  app.setNotFoundHandler((request, reply) => {
    if (READ_VERBS.includes(request.method) || !isResource(request.url)) return send(reply, 'notFound', 'Not Found')
    void reply.header('allow', READ_VERBS.join(', '))
    return send(reply, 'methodNotAllowed', 'Method Not Allowed: this resource is read with GET')
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof StatusError) return send(reply, error.code, error.message)
    if (error.statusCode !== undefined && error.statusCode < 500)
      return send(reply, 'invalidArgument', 'the request is not valid')
    parts.log.error({ error, path: request.url }, 'a REST request failed')
    return send(reply, 'internal', 'internal error')
  })
  await app.ready()
  return (request, response) => app.routing(request, response)
}

/** Whether a path is one that can be read. */
function isResource(url: string): boolean {
  const path = url.split('?', 1)[0]!
  return path.startsWith(`${TOTAL_SUPPLY}/`) && !path.slice(TOTAL_SUPPLY.length + 1).includes('/')
}

function send(reply: FastifyReply, name: StatusName, message: string): FastifyReply {
  return reply
    .code(STATUS[name].http)
    .type('application/json')
    .send(JSON.stringify(rpcStatus(name, message)))
}
