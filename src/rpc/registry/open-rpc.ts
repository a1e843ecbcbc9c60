import type { JsonRecord } from '../protocol/json.ts'
import type { MethodDescription } from '../protocol/method-description.ts'
import { namespaceOf } from '../protocol/namespaces.ts'

const OPEN_RPC_VERSION = '1.3.2'

/**
 * The OpenRPC document (spec.open-rpc.org) of a set of methods.
 *
 * @param version of the node
 */
export function openRpcDocument(methods: readonly MethodDescription[], version: string): JsonRecord {
  return {
    openrpc: OPEN_RPC_VERSION,
    info: {
      title: 'Tickertape JSON-RPC',
      description: 'An Ethereum-compatible layer-2 node with 200 ms pre-confirmations.',
      license: { name: 'MIT' },
      version,
    },
    methods: methods.map(methodObject),
    components: { schemas: {} },
  }
}

function methodObject({ name, summary, params, result, cost, example }: MethodDescription): JsonRecord {
  return {
    name,
    summary,
    tags: [{ name: namespaceOf(name) }],
    paramStructure: 'by-position',
    params: params.map((parameter) => ({ ...parameter })),
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
