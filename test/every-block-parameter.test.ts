import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { NetworkOptions } from '../src/chain/genesis/networks.ts'
import { blockHeight, blockReference, numericHeight } from '../src/rpc/codecs/block-reference.ts'
import { hash as hashCodec } from '../src/rpc/codecs/bytes.ts'
import { logFilter } from '../src/rpc/codecs/log-filter.ts'
import { RPC_METHODS } from '../src/rpc/methods/all-methods.ts'
import { isJsonObject } from '../src/rpc/protocol/json.ts'
import type { Method, MethodParameter } from '../src/rpc/registry/method.ts'
import { deployEmitter, signEmission, topicOf } from './support/log-emitter.ts'
import { exampleParams } from './support/method-examples.ts'
import { type RpcNode, startRpcNode } from './support/rpc-node.ts'

// Tests every method with a parameter that refers to a block, with every kind of reference.

/** A node with the chain below. */
interface Scene {
  readonly node: RpcNode
  /** Hashes of `TARGETS` on the node. */
  readonly hashes: Readonly<Record<Target, string>>
  readonly superseded: string
}

let usual: Scene
/** The same chain with the rules of the OP stack, for methods that only such chains have. */
let rollup: Scene
/** The scene of the tested method. */
let { node, hashes, superseded } = {} as Scene

function useSceneOf({ profiles }: Method): void {
  ;({ node, hashes, superseded } = profiles === undefined ? usual : rollup)
}

/** Blocks of the chain below, by height; each one except the first has a transaction with a log. */
const TARGETS = { earliest: 0, finalized: 2, sealed: 3, latest: 4, pending: 5 } as const
type Target = keyof typeof TARGETS

beforeAll(async () => {
  usual = await startScene({})
  rollup = await startScene({ upgrade: 'jovian' })
})
afterAll(async () => {
  for (const scene of [usual, rollup]) {
    expect(scene.node.logged).toEqual([])
    await scene.node.stop()
  }
})

async function startScene(network: NetworkOptions): Promise<Scene> {
  const node = await startRpcNode({}, { finalityDepth: 2, network })
  await deployEmitter(node)
  for (let nonce = 1n; nonce <= 4n; nonce++) {
    await node.result('eth_sendRawTransaction', signEmission(nonce, topicOf(Number(nonce))).raw)
    if (nonce < 4n) await node.nextBlock()
  }
  const superseded = String((await node.result('eth_getBlockByNumber', 'pending', false)).hash)
  await node.nextFlashblock()
  await node.node.idle()
  const named = async (target: Target) => {
    const height = target === 'pending' ? 'pending' : `0x${TARGETS[target].toString(16)}`
    const { number, hash } = await node.result('eth_getBlockByNumber', height, false)
    expect(Number(number)).toBe(TARGETS[target])
    return [target, String(hash)] as const
  }
  const all = await Promise.all((Object.keys(TARGETS) as Target[]).map(named))
  return { node, hashes: Object.fromEntries(all) as Record<Target, string>, superseded }
}

/** Form of a reference to a block. */
type Style = 'reference' | 'height' | 'filter' | 'hash'

interface BlockParameter {
  readonly method: Method
  readonly position: number
  readonly style: Style
}

/** Methods that return the same error for any block. */
const ALWAYS_REFUSED = new Map([
  ['debug_getRawBlockAccessList', 'resource not found: the block has no access list'],
  ['testing_buildBlockV1', 'blocks of a layer-2 chain are made by its sequencer alone'],
])

/** Methods about sealed blocks that have a parent, and their errors for others. */
const NEEDS_PARENT = new Map([
  ['debug_executionWitness', /^(the genesis block has no witness|block \d+ is not sealed: only sealed)/],
])

/** Transactions are valid at their nonce only, which differs between the blocks. */
const NEEDS_NONCE = new Set(['trace_rawTransaction'])

/** What a method returns instead of null for an unknown block. */
const NOTHING: Readonly<Record<string, unknown>> = {
  // go-ethereum returns empty bytes for a missing transaction.
  eth_getRawTransactionByBlockHashAndIndex: '0x',
  eth_getRawTransactionByBlockNumberAndIndex: '0x',
}

const NO_BLOCK =
  /^(header not found|Resource not found|unknown block|unknown parent|block #?\w+ not found|request beyond head block|block range extends)/

function styleOf({ codec, name }: MethodParameter<unknown>): Style | undefined {
  if (codec === blockReference) return 'reference'
  if (codec === blockHeight || codec === numericHeight) return 'height'
  if (codec === logFilter) return 'filter'
  return codec === hashCodec && /block/i.test(name) ? 'hash' : undefined
}

const PLACES: readonly BlockParameter[] = RPC_METHODS.flatMap((method) =>
  method.params.flatMap((parameter, position) => {
    const style = styleOf(parameter)
    return style === undefined ? [] : [{ method, position, style }]
  }),
)

/** All references to a block in a style; equivalent ones must have the same result. */
function namesOf(style: Style, target: Target): readonly unknown[] {
  const hash = hashes[target]
  const byHeight = target === 'pending' ? ['pending'] : [`0x${TARGETS[target].toString(16)}`]
  if (target === 'earliest' || target === 'finalized' || target === 'latest') byHeight.push(target)
  if (target === 'latest') byHeight.push('safe')
  switch (style) {
    case 'height':
      return byHeight
    case 'hash':
      return [hash]
    case 'filter':
      return [...byHeight.map((height) => ({ fromBlock: height, toBlock: height })), { blockHash: hash }]
    case 'reference':
      return [
        ...byHeight,
        ...byHeight.map((height) => ({ blockNumber: height })),
        hash,
        { blockHash: hash },
        { blockHash: hash, requireCanonical: true },
      ]
  }
}

/** References that match no block. */
function unknownNames(style: Style): readonly unknown[] {
  const hash = `0x${'12'.repeat(32)}`
  switch (style) {
    case 'height':
      return ['0xffffff', '0x5', '0xffffffffffffffff']
    case 'hash':
      return [hash]
    case 'filter':
      return [{ fromBlock: '0xffffff', toBlock: '0xffffff' }, { blockHash: hash }]
    case 'reference':
      return ['0xffffff', { blockNumber: '0x5' }, hash, { blockHash: hash, requireCanonical: true }]
  }
}

function paramsOf({ method, position }: BlockParameter, block: unknown): unknown[] {
  const { params } = method
  // Later parameters are optional, and their example may belong to another block.
  const given = exampleParams(method, hashes.latest) as unknown[]
  const needed = params.filter(({ required }) => required).length
  const values = given.slice(0, Math.max(position, needed))
  values[position] = block
  return values
}

/** Blocks in a response: number, hash, and parent if present. */
function identities(response: unknown): { number: number; hash: string; parent: unknown }[] {
  if (Array.isArray(response)) return response.flatMap(identities)
  if (!isJsonObject(response)) return []
  const nested = Object.values(response).flatMap(identities)
  const number = response.blockNumber ?? response.number
  const hash = response.blockNumber === undefined ? response.hash : response.blockHash
  if (typeof number !== 'string' || typeof hash !== 'string') return nested
  return [{ number: Number(number), hash, parent: response.parentHash }, ...nested]
}

test('finds every parameter that refers to a block', () => {
  expect(PLACES.length).toBeGreaterThan(18)
  const found = new Set(PLACES.map(({ method, position }) => `${method.name} ${method.params[position]!.name}`))
  const named = RPC_METHODS.flatMap(({ name, params }) =>
    params
      .filter((parameter) => /^(new)?block(Hash|Number)?$|newestBlock/i.test(parameter.name))
      .map((p) => `${name} ${p.name}`),
  )
  expect(named.filter((position) => !found.has(position))).toEqual([])
})

describe.each(
  PLACES.map(
    (position) => [`${position.method.name} ${position.method.params[position.position]!.name}`, position] as const,
  ),
)('%s', (_, position) => {
  const { method, style } = position

  beforeEach(() => useSceneOf(method))

  test.each(Object.keys(TARGETS) as Target[])('returns the same result for every reference to %s', async (target) => {
    const responses: unknown[] = []
    for (const name of namesOf(style, target)) {
      const { result, error } = await node.request(method.name, ...paramsOf(position, name))
      // The genesis has no parent state from which a trace could start (go-ethereum).
      if (target === 'earliest' && error?.message === 'genesis is not traceable') continue
      if (error !== undefined && ALWAYS_REFUSED.get(method.name) === error.message) continue
      if (NEEDS_NONCE.has(method.name) && /nonce too/.test(error?.message ?? '')) continue
      const isOther = target === 'earliest' || target === 'pending'
      if (isOther && NEEDS_PARENT.get(method.name)?.test(error?.message ?? '') === true) continue
      expect([name, error]).toEqual([name, undefined])
      expect(result).not.toBeUndefined()
      if (!method.writes) responses.push(result)
      const found = identities(result)
      const children = found.filter(({ parent }) => parent === hashes[target]).map(({ hash }) => hash)
      for (const { number, hash } of found) {
        // A simulated block is identified by its parent.
        const follows = children.includes(hash) && hash !== hashes[target]
        expect([number, follows ? hashes[target] : hash]).toEqual([TARGETS[target] + Number(follows), hashes[target]])
      }
    }
    // `pending` also counts pooled transactions; the pool is empty here.
    for (const response of responses) expect(response).toEqual(responses[0])
  })

  test('an unknown block is null or a documented error', async () => {
    for (const name of unknownNames(style)) {
      const { result, error } = await node.request(method.name, ...paramsOf(position, name))
      if (error === undefined) {
        const nothing = NOTHING[method.name] ?? null
        if (!method.writes) expect([name, result]).toEqual([name, nothing])
      } else if (ALWAYS_REFUSED.get(method.name) !== error.message) {
        expect([-32000, -32001, -32602]).toContain(error.code)
        expect(error.message).toMatch(NO_BLOCK)
      }
    }
  })

  test('a superseded partial hash returns a result or a documented error', async () => {
    const names = { reference: superseded, hash: superseded, filter: { blockHash: superseded }, height: undefined }
    const name = names[style]
    if (name === undefined) return
    const { error } = await node.request(method.name, ...paramsOf(position, name))
    if (error === undefined || ALWAYS_REFUSED.get(method.name) === error.message) return
    if (NEEDS_NONCE.has(method.name) && /nonce too/.test(error.message)) return
    expect(error).toMatchObject({ code: -32000, message: expect.stringMatching(NO_BLOCK) })
  })
})
