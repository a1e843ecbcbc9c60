import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { RPC_METHODS } from '../methods/all-methods.ts'
import { RpcError } from '../protocol/errors.ts'
import { COMPATS } from './compat.ts'
import { GO_ETHEREUM } from './node-conventions.ts'
import { conventionsOf, formatError } from './reproduced-nodes.ts'

const SRC = fileURLToPath(new URL('../../', import.meta.url))
/** Folders where options of the command line are chosen by name. */
const HOMES = /^(?:rpc\/compat|service|flags|cli|library)\//

test('no source decides by the name of a reproduced node', () => {
  const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts') && !HOMES.test(file),
  )
  const deciding = sources.filter((file) =>
    /[!=]== '(?:anvil|hardhat3?)'|'(?:anvil|hardhat3?)' [!=]==/.test(readFileSync(join(SRC, file), 'utf8')),
  )

  expect(sources.length).toBeGreaterThan(500)
  expect(deciding.map((file) => relative(SRC, join(SRC, file)))).toEqual([])
})

test('a method that a reproduced node does not know exists otherwise', () => {
  const names = new Set(RPC_METHODS.map(({ name }) => name))

  for (const compat of COMPATS) {
    for (const unknown of conventionsOf(compat).unknownMethods) expect(names).toContain(unknown)
  }
})

test.each([
  [undefined, -32000, 'lower'],
  ['anvil', -32602, 'lower'],
  ['hardhat', -32001, 'Lower'],
  ['hardhat3', -32001, 'Lower'],
] as const)('--compat %s refuses with its own code and text', (compat, code, message) => {
  const refusal = conventionsOf(compat).refusal({ anvil: [-32602, 'lower'], hardhat: [-32001, 'Lower'] })

  expect(refusal).toMatchObject({ code, message })
})

test('an error that another process has worded stays as it is', () => {
  const error = new RpcError(-32000, 'nonce too low', undefined, { kind: 'formatted' })

  for (const conventions of [GO_ETHEREUM, ...COMPATS.map(conventionsOf)]) {
    expect(formatError(error, conventions, { method: 'eth_sendRawTransaction', params: [] })).toBe(error)
  }
})
