import { afterEach, expect, test, vi } from 'vitest'
import { DEBUG_FLAGS, type DebugOptions } from './debug-flags.ts'
import { runDebug } from './run-debug.ts'

const DEFAULTS = Object.fromEntries(
  Object.entries(DEBUG_FLAGS).map(([name, { fallback }]) => [name, fallback]),
) as unknown as DebugOptions
const HASH = `0x${'5d'.repeat(32)}`

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

/** Runs the command without a node. @returns its standard error and exit code */
async function refusal(transaction: string | undefined, options: Partial<DebugOptions>) {
  const written: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  await runDebug(transaction, { ...DEFAULTS, rpcUrl: 'http://127.0.0.1:9', ...options })
  return { text: written.join(''), exitCode: process.exitCode }
}

test.each<[string, string | undefined, Partial<DebugOptions>, string]>([
  ['a transaction that is no hash', '0x5d', {}, '0x5d is no transaction'],
  ['a transaction with a block', HASH, { block: 'latest' }, '--block is for calls'],
  ['an address that is none', undefined, { to: '0x12' }, '--to needs an address'],
  ['a sender that is none', undefined, { from: 'me', data: '0x' }, '--from needs an address'],
  ['data that is no hex', undefined, { data: '18160ddd' }, '--data needs bytes in hex'],
  ['a block that is none', undefined, { data: '0x', block: 'newest' }, '--block needs latest'],
])('%s is wrong usage', async (_, transaction, options, message) => {
  const { text, exitCode } = await refusal(transaction, options)

  expect(text).toContain(message)
  expect(exitCode).toBe(2)
})
