import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createNode, type TickertapeNode } from '../../src/library/create-node.ts'
import type { Compat } from '../../src/rpc/compat/compat.ts'

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}
interface Step extends Answer {
  readonly method: string
  readonly params: readonly unknown[]
}
interface Conversation {
  readonly title: string
  readonly steps: readonly Step[]
}

/** Recorded by scripts/record-hardhat.mjs. */
function recordedOn(file: string): readonly Conversation[] {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')).conversations
}

async function start(compat: Compat): Promise<TickertapeNode> {
  const node = await createNode({ compat, mining: 'auto', hardfork: 'prague', chainId: 31_337 })
  onTestFinished(() => node.close())
  return node
}

async function answer(node: TickertapeNode, method: string, params: readonly unknown[]): Promise<Answer> {
  try {
    const result = await node.request({ method, params: [...params] })
    return { result: JSON.parse(JSON.stringify(result)) }
  } catch (thrown) {
    const { code, message, data } = thrown as NonNullable<Answer['error']>
    return { error: { code, message, ...(data !== undefined && { data }) } }
  }
}

/** The answers of a node to the requests of a conversation. */
async function replay(node: TickertapeNode, { steps }: Conversation): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (const { method, params } of steps) {
    const resolved = params.map((param) => {
      const [, step] = typeof param === 'string' ? (/^\$(\d+)$/.exec(param) ?? []) : []
      return step === undefined ? param : answers[Number(step)]?.result
    })
    answers.push(await answer(node, method, resolved))
  }
  return answers
}

describe.each([
  ['hardhat', './hardhat-2.29.1.json'],
  ['hardhat3', './hardhat-3.18.0.json'],
] as const)('--compat %s', (compat, file) => {
  test.each(recordedOn(file).map((conversation) => [conversation.title, conversation] as const))(
    'answers as the recorded node: %s',
    async (_, conversation) => {
      const node = await start(compat)

      const answers = await replay(node, conversation)

      const expected = conversation.steps.map(({ result, error }) => (error === undefined ? { result } : { error }))
      expect(answers).toEqual(expected)
    },
  )
})
