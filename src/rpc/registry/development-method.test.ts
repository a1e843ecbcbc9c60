import { afterEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { boolean } from '../codecs/boolean.ts'
import { flexibleQuantity, quantity } from '../codecs/quantity.ts'
import { conventionsOf } from '../compat/reproduced-nodes.ts'
import type { WriteContext } from '../context/writing.ts'
import { RpcError } from '../protocol/errors.ts'
import { defineDevelopmentMethod } from './development-method.ts'
import { requiredParam } from './method.ts'

let node: RpcNode | undefined
afterEach(async () => {
  await node?.stop()
  node = undefined
})

const [anvil, hardhat, eth] = defineDevelopmentMethod({
  name: 'anvil_setThing',
  aliases: ['hardhat_setThing', 'eth_setThing'],
  summary: 'Sets a thing.',
  params: [requiredParam('value', flexibleQuantity)],
  hardhatParams: [requiredParam('value', quantity)],
  result: boolean.schema,
  cost: 1,
  handle([value], { conventions }) {
    if (value > 9n) throw conventions.refusal({ anvil: [-32602, 'too big'], hardhat: [-32000, 'Too big'] })
    return conventions.control.setterResult
  },
})

/** A context with nothing but the option. */
function context(compat?: 'anvil' | 'hardhat'): WriteContext {
  return { options: {}, conventions: conventionsOf(compat) } as unknown as WriteContext
}

test('registers the name and each alias with the same implementation', () => {
  expect([anvil?.name, hardhat?.name, eth?.name]).toEqual(['anvil_setThing', 'hardhat_setThing', 'eth_setThing'])
  expect(hardhat?.development).toEqual({ conventions: conventionsOf('hardhat'), aliasOf: 'anvil_setThing' })
})

test.each([
  [anvil, undefined, null],
  [hardhat, undefined, true],
  [eth, undefined, null],
  [anvil, 'hardhat', true],
  [hardhat, 'anvil', null],
] as const)('answers as the node of the namespace, or of --compat (%#)', (method, compat, expected) => {
  expect(method!.call(['0x5'], context(compat))).toBe(expected)
})

test('has the stricter parameters of Hardhat only where Hardhat is reproduced', () => {
  expect(anvil!.call([5], context())).toBe(null)
  expect(() => hardhat!.call([5], context())).toThrow(RpcError)
  expect(() => anvil!.call([5], context('hardhat'))).toThrow(RpcError)
  expect(hardhat!.call([5], context('anvil'))).toBe(null)
})

test.each([
  [anvil, { code: -32602, message: 'too big' }],
  [hardhat, { code: -32000, message: 'Too big' }],
  [eth, { code: -32000, message: 'too big' }],
] as const)('refuses with the code and text of the node (%#)', (method, expected) => {
  expect(() => method!.call(['0xa'], context())).toThrow(expect.objectContaining(expected))
})

test('development methods exist only where they are enabled', async () => {
  node = await startRpcNode()
  const { error } = await node.request('anvil_getGenesisTime')
  expect(error).toMatchObject({ code: -32601, message: expect.stringContaining('--expose-dev') })
  await node.stop()

  node = await startRpcNode({ development: true })
  expect(await node.result('anvil_getGenesisTime')).toBe(1_735_689_600)
})
