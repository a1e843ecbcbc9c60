import { REFERENCE_PATH } from '../http/rest-service.ts'
import { defineRoute } from './route.ts'

export const openApi = defineRoute({
  path: '/v1/openapi.json',
  operationId: 'getOpenApi',
  tag: 'About',
  summary: 'This interface as an OpenAPI document',
  description: 'All resources for programs, as OpenAPI 3.0.',
  parameters: [],
  response: {
    description: 'The document.',
    contentType: 'application/json',
    schema: { type: 'object', properties: { openapi: { type: 'string' } }, required: ['openapi'] },
    example: { openapi: '3.0.3' },
  },
  errors: { invalidArgument: 'The % escapes of the query are invalid.' },
  handle: (_, context) => context.openApi(),
})

export const referencePage = defineRoute({
  path: REFERENCE_PATH,
  operationId: 'getReferencePage',
  tag: 'About',
  summary: 'The reference as a page to read',
  description:
    'All resources with their parameters, responses and errors. A node also lists its JSON-RPC methods. Requests can be sent from the page.',
  parameters: [],
  response: {
    description: 'The page.',
    contentType: 'text/html; charset=utf-8',
    schema: { type: 'string' },
    example: '<!doctype html>…',
  },
  errors: { invalidArgument: 'The % escapes of the query are invalid.' },
  handle: (_, context) => context.referencePage(),
})
