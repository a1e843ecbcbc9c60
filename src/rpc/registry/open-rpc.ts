import type { JsonRecord } from '../protocol/json.ts'
import type { MethodDescription, MethodExample, MethodExamples } from '../protocol/method-description.ts'
import { namespaceOf } from '../protocol/namespaces.ts'

const OPEN_RPC_VERSION = '1.3.2'

/**
 * The OpenRPC document (spec.open-rpc.org) of a set of methods.
 *
 * @param version of the node
 */
export async function openRpcDocument(methods: readonly MethodDescription[], version: string): Promise<JsonRecord> {
  const examples = await loadMethodExamples()
  return {
    openrpc: OPEN_RPC_VERSION,
    info: {
      title: 'Tickertape JSON-RPC',
      description: 'An Ethereum-compatible layer-2 node with 200 ms pre-confirmations.',
      license: { name: 'MIT' },
      version,
    },
    methods: methods.map((method) => methodObject(method, exampleOf(method, examples))),
    components: { schemas: {} },
  }
}

/**
 * Responses of the example chain, which `npm run docs:examples` writes and `method-examples.test.ts` compares. Only
 * documents need them, so they are loaded on demand.
 */
export async function loadMethodExamples(): Promise<MethodExamples> {
  const { default: examples } = await import('./method-examples.json', { with: { type: 'json' } })
  // TypeScript infers a type of its own for each example.
  return examples as unknown as MethodExamples
}

/** The example of a method; that of the method which it is another name of. */
export function exampleOf({ name, development }: MethodDescription, examples: MethodExamples): MethodExample {
  return examples[development?.aliasOf ?? name]!
}

function methodObject({ name, summary, params, result, cost }: MethodDescription, example: MethodExample): JsonRecord {
  return {
    name,
    summary,
    tags: [{ name: namespaceOf(name) }],
    paramStructure: 'by-position',
    params: params.map(({ name, required, schema }) => ({ name, required, schema })),
    result: { name: 'result', schema: result },
    examples: [
      {
        name: `${name} example`,
        params: example.params.map((value, index) => ({ name: params[index]!.name, value })),
        ...(example.result === undefined ? {} : { result: { name: 'result', value: example.result } }),
      },
    ],
    ...(example.error === undefined ? {} : { errors: [example.error] }),
    'x-cost': cost,
  }
}
