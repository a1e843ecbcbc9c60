import type { IncomingMessage, ServerResponse } from 'node:http'
import fastify, { type FastifyError, type FastifyReply, type HTTPMethods } from 'fastify'
import type { Logger } from 'pino'
import type { NodeService } from '../node/node-service.ts'
import { rpcStatus, STATUS, StatusError, type StatusName } from './status.ts'
import { totalSupply } from './tokenized-stocks/total-supply.ts'

export interface RestParts {
  readonly node: NodeService
  readonly log: Logger
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

const READ_VERBS: HTTPMethods[] = ['GET', 'HEAD']
const OTHER_VERBS: HTTPMethods[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/** The REST interface of a node (contract, part A), ready to be given requests whose path begins with `/v1/`. */
export async function createRestService(parts: RestParts): Promise<RequestHandler> {
  const app = fastify({
    exposeHeadRoutes: true,
    frameworkErrors: (error, _request, reply) => {
      void send(reply as unknown as FastifyReply, 'invalidArgument', error.message)
    },
  })
  // Nothing here takes a body: one that cannot be read must not hide that the verb or the path is wrong.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  const url = '/v1/tokenized-stocks/total-supply/:contract_address'
  app.get<{ Params: { contract_address: string } }>(url, async (request, reply) => {
    const supply = await totalSupply(parts.node, request.params.contract_address)
    // A bare number is a whole JSON text; the framework would not take it for one by itself.
    return reply.type('application/json').send(JSON.stringify(supply))
  })
  app.route({
    method: OTHER_VERBS,
    url,
    handler: (_request, reply) => {
      void reply.header('allow', READ_VERBS.join(', '))
      return send(reply, 'methodNotAllowed', 'Method Not Allowed: this resource is read with GET')
    },
  })
  app.setNotFoundHandler((_request, reply) => send(reply, 'notFound', 'Not Found'))
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof StatusError) return send(reply, error.code, error.message)
    if (error.statusCode !== undefined && error.statusCode < 500) return send(reply, 'invalidArgument', error.message)
    parts.log.error({ error, path: request.url }, 'a REST request failed')
    return send(reply, 'internal', 'internal error')
  })
  await app.ready()
  return (request, response) => app.routing(request, response)
}

function send(reply: FastifyReply, name: StatusName, message: string): FastifyReply {
  return reply
    .code(STATUS[name].http)
    .type('application/json')
    .send(JSON.stringify(rpcStatus(name, message)))
}
