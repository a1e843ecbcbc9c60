import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startExampleNode } from '../../../test/support/example-scene.ts'
import { schemaViolations } from '../../../test/support/json-schema.ts'
import {
  EXAMPLES,
  type ExampleNodes,
  exampleParams,
  isCompared,
  methodExample,
  PLAYED_METHODS,
  startExampleNodes,
} from '../../../test/support/method-examples.ts'
import { RPC_METHODS } from '../methods/all-methods.ts'

let nodes: ExampleNodes
beforeAll(async () => {
  nodes = await startExampleNodes()
})
afterAll(() => nodes.stop())

test('every method has an example, and other names of a method have none of their own', () => {
  const own = RPC_METHODS.filter(({ development }) => development?.aliasOf === undefined).map(({ name }) => name)

  expect(Object.keys(EXAMPLES)).toEqual(own.sort())
})

describe.each(RPC_METHODS.map((method) => [method.name, method] as const))('%s', (_, method) => {
  const { params, result, summary, cost } = method
  const example = methodExample(method)

  test('has a summary, a positive cost, and optional parameters last', () => {
    expect(summary).toMatch(/^[A-Z].*\.$/)
    expect(summary.length).toBeLessThan(130)
    expect(cost).toBeGreaterThan(0)
    expect(new Set(params.map((parameter) => parameter.name)).size).toBe(params.length)
    const firstOptional = params.findIndex(({ required }) => !required)
    if (firstOptional >= 0) expect(params.slice(firstOptional).some(({ required }) => required)).toBe(false)
  })

  test('has an example whose parameters and result match their schemas', () => {
    expect(example.params.length).toBeLessThanOrEqual(params.length)
    expect(example.params.length).toBeGreaterThanOrEqual(params.filter(({ required }) => required).length)
    for (const [index, value] of example.params.entries()) {
      const parameter = params[index]!
      expect(() => parameter.read(value)).not.toThrow()
      expect(schemaViolations(parameter.schema, value, parameter.name)).toEqual([])
    }
    if (example.error === undefined) expect(schemaViolations(result, example.result)).toEqual([])
  })
})

test.each(PLAYED_METHODS.map((method) => [method.name, method] as const))(
  '%s responds as its schema and example say',
  async (name, method) => {
    const example = methodExample(method)
    const { node, request } = nodes.of(method)
    const before = node.logPosition()
    const { result, error } = await request(name, ...exampleParams(method, nodes.blockHash))
    // Every change of the chain or the pool is a record.
    if (method.effect !== 'chain') expect(node.logPosition()).toEqual(before)
    // The other names of a method respond as the node of their namespace.
    const isAlias = method.development?.aliasOf !== undefined
    if (!isAlias) expect(error).toEqual(example.error)
    if (error !== undefined) return
    expect(schemaViolations(method.result, result)).toEqual([])
    if (isCompared(method)) expect(masked(result)).toEqual(masked(example.result))
  },
)

test('eth_sendRawTransactionSync responds as its example says', async () => {
  const example = EXAMPLES.eth_sendRawTransactionSync!
  const fresh = await startExampleNode()
  const answering = fresh.result('eth_sendRawTransactionSync', ...example.params)
  // Resolves when the transaction is in the pool: then the method listens.
  await new Promise<void>((resolve) => fresh.node.events.once('pooled', () => setImmediate(resolve)))
  await fresh.nextFlashblock()
  const response = await answering.finally(() => fresh.stop())
  expect(masked(response)).toEqual(masked(example.result))
})

/** Hashes, roots and signatures depend on the whole genesis, which the examples do not show. */
function masked(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/0x[0-9a-f]{62,}|(?<="forkId":")0x[0-9a-f]{8}/g, 'bytes'))
}
