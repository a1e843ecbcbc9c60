import { defineRoute } from './route.ts'

export const referencePage = defineRoute({
  path: '/docs',
  operationId: 'getReferencePage',
  tag: 'About',
  summary: 'This interface as a page to read',
  description: 'All resources with their parameters, responses and errors.',
  parameters: [],
  response: {
    description: 'The page.',
    contentType: 'text/html; charset=utf-8',
    schema: { type: 'string' },
    example: '<!doctype html>…',
  },
  errors: { invalidArgument: 'There are no query parameters.' },
  handle: (_, context) => context.referencePage,
})
