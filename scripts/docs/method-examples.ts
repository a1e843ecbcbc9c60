import type { MethodExample, MethodExamples } from '../../src/rpc/protocol/method-description.ts'
import {
  EXAMPLE_BLOCK_HASH,
  EXAMPLES,
  exampleParams,
  isCompared,
  PLAYED_METHODS,
  startExampleNodes,
} from '../../test/support/method-examples.ts'

/**
 * The examples with the responses of the example chain to their parameters. Examples whose responses vary, or are too
 * long to show, keep what is written.
 */
export async function playedExamples(): Promise<MethodExamples> {
  const nodes = await startExampleNodes()
  const played: Record<string, MethodExample> = { ...EXAMPLES }
  try {
    for (const method of PLAYED_METHODS) {
      const params = exampleParams(method, nodes.blockHash)
      const { result, error } = await nodes.of(method).request(method.name, ...params)
      if (!isCompared(method)) continue
      // A response is JSON.
      played[method.name] = (error === undefined ? { params, result } : { params, error }) as MethodExample
    }
  } finally {
    await nodes.stop()
  }
  return JSON.parse(JSON.stringify(played).replaceAll(EXAMPLE_BLOCK_HASH, nodes.blockHash))
}

/** `src/rpc/registry/method-examples.json`: a line for the parameters and a line for the result. */
export function examplesText(examples: MethodExamples): string {
  const entries = Object.entries(examples)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, example]) => {
      const lines = Object.entries(example).map(([member, value]) => `    "${member}": ${JSON.stringify(value)}`)
      return `  "${name}": {\n${lines.join(',\n')}\n  }`
    })
  return `{\n${entries.join(',\n')}\n}\n`
}
