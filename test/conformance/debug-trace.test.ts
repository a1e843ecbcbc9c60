import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TracerChoice } from '../../src/engine/trace/create-tracer.ts'
import { traceBlock } from '../../src/engine/trace/trace-block.ts'
import { TraceBudget } from '../../src/engine/trace/trace-budget.ts'
import { traceConfig } from '../../src/rpc/codecs/traces/trace-config.ts'
import { traceJson } from '../../src/rpc/format/traces/trace.ts'
import { conformanceBytes, conformancePath, hasConformanceData } from '../support/conformance-data.ts'
import { importLayer1Chain, type Layer1Chain } from './layer1-chain.ts'

const FOLDER = 'execution-apis'
const METHODS = ['debug_traceTransaction', 'debug_traceBlockByHash', 'debug_traceBlockByNumber']
const isThere = hasConformanceData(FOLDER, 'recorded debug_trace conversations')

interface Conversation {
  readonly name: string
  readonly method: string
  readonly params: readonly unknown[]
  /** Absent if the response is an error. */
  readonly result: unknown
}

function conversations(): Conversation[] {
  if (!isThere) return []
  return METHODS.flatMap((method) =>
    readdirSync(conformancePath(`${FOLDER}/${method}`)).map((file) => {
      const lines = conformanceBytes(`${FOLDER}/${method}/${file}`).toString().split('\n')
      const output = (mark: string) => JSON.parse(lines.find((line) => line.startsWith(mark))!.slice(3))
      return { name: `${method}/${file}`, method, params: output('>> ').params, result: output('<< ').result }
    }),
  ).filter(({ result }) => result !== undefined)
}

describe.skipIf(!isThere)('the chain of execution-apis', () => {
  let chain: Layer1Chain
  beforeAll(async () => {
    chain = await importLayer1Chain()
  })

  function trace(number: number, tracer: TracerChoice, only?: number) {
    const { block } = chain.bodies[number - 1]!
    const replay = { block, parentState: chain.blocks[number - 1]!.state }
    return traceBlock(chain.engine, replay, { tracer, budget: new TraceBudget(1 << 28) }, only)
  }

  async function response({ method, params: [what, config] }: Conversation): Promise<unknown> {
    const { tracer } = traceConfig.decode(config ?? {})
    const isWanted = ({ hash, number }: { hash: string; number: number }) =>
      method.endsWith('Number') ? number === Number(what) : hash === what
    if (method === 'debug_traceTransaction') {
      for (const { block } of chain.bodies) {
        const index = block.transactions.findIndex(({ hash }) => hash === what)
        if (index < 0) continue
        const [traced] = await trace(block.header.number, tracer, index)
        return JSON.parse(await traceJson(traced!.trace, () => true))
      }
    }
    const body = chain.bodies.find(({ block }) => isWanted({ hash: block.hash, number: block.header.number }))!
    const traces = await trace(body.block.header.number, tracer)
    return Promise.all(
      traces.map(async ({ hash, trace }) => ({ txHash: hash, result: JSON.parse(await traceJson(trace, () => true)) })),
    )
  }

  test.each(conversations())('$name returns the response of go-ethereum', async (conversation) => {
    expect(await response(conversation)).toEqual(conversation.result)
  })

  test('every transaction uses the gas of its receipt, with any tracer', async () => {
    const choices: TracerChoice[] = [
      { name: 'structLogger', options: { enableMemory: true, enableReturnData: true } },
      { name: 'callTracer', options: { withLog: true } },
    ]
    let transactions = 0
    for (const { block, receipts } of chain.bodies) {
      for (const tracer of choices) {
        const traces = await trace(block.header.number, tracer)
        expect(traces.map(({ hash }) => hash)).toEqual(block.transactions.map(({ hash }) => hash))
        for (const [index, { trace }] of traces.entries()) {
          const before = index === 0 ? 0 : receipts[index - 1]!.cumulativeGasUsed
          const expected = receipts[index]!.cumulativeGasUsed - before
          if (trace.name === 'structLogger') expect(trace.executed.gasUsed).toBe(expected)
          if (trace.name === 'callTracer') expect(trace.top.gasUsed).toBe(expected)
          transactions++
        }
      }
    }
    expect(transactions).toBe(2 * 249)
  })
})
