import { describe, expect, test } from 'vitest'
import type { Address } from '../../primitives/hex.ts'
import { answerSourcesRequest, forwardedSources } from './forwarded-sources.ts'
import type { Sources } from './sources.ts'

const ADDRESS = `0x${'11'.repeat(20)}` as Address
const REQUEST = {
  address: ADDRESS,
  input: { language: 'Solidity', sources: { 'a.sol': { content: '"' } }, settings: {} },
  contract: { name: 'A' },
  compilerVersion: '0.8.24',
} as const
const SOURCES: Sources = {
  submit: async () => 'job',
  job: () => Promise.reject(new TypeError('unexpected')),
  source: async () => ({ contract: 'x'.repeat(1_000) }) as never,
  list: async () => [],
}

function scene({ maxBytes = 10_000, maxReplyBytes = 10_000 } = {}) {
  const logged: object[] = []
  const access = { mayPost: true, maxReplyBytes, log: { error: (details: object) => logged.push(details) } }
  const sources = forwardedSources(({ params }) => answerSourcesRequest(SOURCES, params, access), maxBytes)
  return { sources, logged }
}

describe('a forwarded request', () => {
  test('that the other node could not receive is refused before it is sent', async () => {
    await expect(scene({ maxBytes: 300 }).sources.submit(REQUEST)).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('--max-body-bytes'),
    })
    expect(await scene().sources.submit(REQUEST)).toBe('job')
  })

  test('with a reply that is too large has an error', async () => {
    await expect(scene({ maxReplyBytes: 1_000 }).sources.source(ADDRESS)).rejects.toMatchObject({ code: 'too_large' })
    expect(await scene().sources.source(ADDRESS)).toBeDefined()
  })

  test.each([true, false])('reads the sources of a project only if followers may post (%s)', async (mayPost) => {
    const included: unknown[] = []
    const source: Sources['source'] = async (_, includesProject) => {
      included.push(includesProject)
      return undefined
    }
    const access = { mayPost, maxReplyBytes: 1_000, log: { error: () => undefined } }

    await answerSourcesRequest({ ...SOURCES, source }, JSON.stringify(['source', ADDRESS, true]), access)

    expect(included).toEqual([mayPost])
  })

  test.each([
    ['no compiler version', { compilerVersion: 7 }],
    ['a source without text', { input: { language: 'Solidity', sources: { 'a.sol': {} } } }],
    ['an invalid address', { address: '0x12' }],
    ['no contract', { contract: null }],
  ])('with %s is refused', async (_, more) => {
    const { sources, logged } = scene()
    await expect(sources.submit({ ...REQUEST, ...more } as never)).rejects.toMatchObject({ code: 'invalid_parameter' })
    expect(logged).toEqual([])
  })

  test('logs an unexpected error of the other node there', async () => {
    const { sources, logged } = scene()
    await expect(sources.job('1', 0)).rejects.toMatchObject({ code: 'internal_error' })
    expect(logged).toHaveLength(1)
  })
})
