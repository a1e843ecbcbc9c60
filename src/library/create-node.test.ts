import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createNode, type TickertapeNode } from './create-node.ts'
import type { HexText } from './development-provider.ts'
import { NodeError, ProviderRpcError } from './node-error.ts'
import type { NodeOptions } from './node-options.ts'
import type { ProviderMessage } from './provider.ts'

const STRANGER = '0x00000000000000000000000000000000000000aa'
/** PUSH0 PUSH0 REVERT after storing 1: returns 32 bytes as the reason. */
const REVERTING = '0x60015f5260205ffd'
const WORD_ONE = `0x${'00'.repeat(31)}01`

/** JUMPDEST PUSH0 JUMP: runs until its gas is used. */
const ENDLESS = '0x5b5f56'

const open: TickertapeNode[] = []
const { TMPDIR } = process.env
/** Holds the temporary directories of the nodes of one test. */
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'library-test-'))
  process.env.TMPDIR = folder
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((node) => node.close()))
  process.env.TMPDIR = TMPDIR
  if (TMPDIR === undefined) delete process.env.TMPDIR
  rmSync(folder, { recursive: true, force: true })
})

async function start(options: NodeOptions = { mining: 'auto' }): Promise<TickertapeNode> {
  const node = await createNode(options)
  open.push(node)
  return node
}

function call<Result = unknown>(node: TickertapeNode, method: string, ...params: unknown[]): Promise<Result> {
  return node.request({ method, params }) as Promise<Result>
}

function transfer(node: TickertapeNode, to: string = STRANGER): Promise<HexText> {
  return call(node, 'eth_sendTransaction', { from: node.accounts[0]!.address, to, value: '0x1' })
}

describe('requests of a node', () => {
  test('run a JSON-RPC method and return its result', async () => {
    const node = await start({ chainId: 1337, mining: 'auto' })

    expect(await node.request({ method: 'eth_chainId' })).toBe('0x539')
    expect(node.chainId).toBe(1337n)
    expect(await call(node, 'eth_accounts')).toEqual(node.accounts.map(({ address }) => address))
  })

  test('are rejected with code and data of the JSON-RPC error', async () => {
    const node = await start()
    await node.setCode(STRANGER, REVERTING)

    const reverted = await call(node, 'eth_call', { to: STRANGER }).catch((error: unknown) => error)
    const unknown = await call(node, 'eth_unknown').catch((error: unknown) => error)

    expect(reverted).toBeInstanceOf(ProviderRpcError)
    expect(reverted).toMatchObject({ code: 3, data: WORD_ONE })
    expect(unknown).toMatchObject({ name: 'ProviderRpcError', code: -32601 })
  })

  test.each([[undefined], [null], ['eth_chainId'], [{}], [{ method: 7 }]])(
    'without a method (%j) are rejected as those of the wire',
    async (request) => {
      const node = await start()
      const error = await node.request(request as never).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(ProviderRpcError)
      expect(error).toMatchObject({ code: -32600, message: expect.stringContaining('a method is missing') })
    },
  )

  test.each([-5, -5n, -(2n ** 80n)])('refuse the amount %s because it is negative', async (amount) => {
    const node = await start()
    const message = expect.stringContaining('expected a whole number that is not negative')
    await expect(node.setBalance(STRANGER, amount)).rejects.toMatchObject({ code: -32602, message })
    await expect(node.mine(amount)).rejects.toMatchObject({ code: -32602, message })
  })

  test('with parameters that have no JSON are rejected, and change nothing', async () => {
    const node = await start()

    await expect(call(node, 'anvil_setBalance', STRANGER, 1n)).rejects.toMatchObject({ code: -32602 })
    expect(await call(node, 'eth_getBalance', STRANGER, 'latest')).toBe('0x0')
  })

  test('made together get the results of their own method', async () => {
    const node = await start()
    const balances = Array.from({ length: 50 }, (_, index) => index)
    await Promise.all(balances.map((index) => node.setBalance(addressOf(index), index)))

    const read = await Promise.all(balances.map((index) => call(node, 'eth_getBalance', addressOf(index), 'latest')))

    expect(read).toEqual(balances.map((index) => `0x${index.toString(16)}`))
  })
})

describe('events of a node', () => {
  test('connect is emitted after createNode, and disconnect by close', async () => {
    const node = await start({ chainId: 7, mining: 'auto' })
    const connected = new Promise((resolve) => node.on('connect', resolve))
    const disconnected = new Promise((resolve) => node.on('disconnect', resolve))

    expect(await connected).toEqual({ chainId: '0x7' })
    await node.close()
    expect(await disconnected).toMatchObject({ name: 'ProviderRpcError', code: 4900 })
  })

  test('message carries the notifications of a subscription, in order, until it is removed', async () => {
    const node = await start()
    const messages: ProviderMessage[] = []
    let onThird = (): void => undefined
    const third = new Promise<void>((resolve) => {
      onThird = resolve
    })
    const listener = (message: ProviderMessage) => {
      messages.push(message)
      if (messages.length === 3) onThird()
    }
    node.on('message', listener)
    const subscription = await call(node, 'eth_subscribe', 'newHeads')

    await node.mine(3)
    await third
    node.removeListener('message', listener)
    await node.mine()
    await new Promise(setImmediate)

    const numbers = messages.map(({ data }) => (data.result as { readonly number: string }).number)
    expect(numbers).toEqual(['0x1', '0x2', '0x3'])
    expect(messages[0]).toMatchObject({ type: 'eth_subscription', data: { subscription } })
  })
})

describe('typed methods of a node', () => {
  test('mine, take a snapshot and return to it', async () => {
    const node = await start({ mining: 'manual' })
    const id = await node.snapshot()
    await transfer(node)

    await node.mine()
    expect(await call(node, 'eth_getBalance', STRANGER, 'latest')).toBe('0x1')
    await node.revert(id)

    expect(await call(node, 'eth_blockNumber')).toBe('0x0')
    await expect(node.revert(id)).rejects.toMatchObject({ name: 'NodeError', code: 'UNKNOWN_SNAPSHOT' })
  })

  test('change accounts', async () => {
    const node = await start()

    await node.setBalance(STRANGER, 10n ** 18n)
    await node.setNonce(STRANGER, 5)
    await node.setCode(STRANGER, '0x5f5ff3')
    await node.setStorageAt(STRANGER, 1, WORD_ONE as HexText)

    expect(await call(node, 'eth_getBalance', STRANGER, 'latest')).toBe('0xde0b6b3a7640000')
    expect(await call(node, 'eth_getTransactionCount', STRANGER, 'latest')).toBe('0x5')
    expect(await call(node, 'eth_getCode', STRANGER, 'latest')).toBe('0x5f5ff3')
    expect(await call(node, 'eth_getStorageAt', STRANGER, '0x1', 'latest')).toBe(WORD_ONE)
  })

  test('send from an impersonated account, and no longer', async () => {
    const node = await start()
    const send = () => call(node, 'eth_sendTransaction', { from: STRANGER, to: STRANGER })
    await node.setBalance(STRANGER, 10n ** 18n)

    await node.impersonate(STRANGER)
    await send()
    await node.stopImpersonating(STRANGER)

    expect(await call(node, 'eth_getTransactionCount', STRANGER, 'latest')).toBe('0x1')
    await expect(send()).rejects.toBeInstanceOf(ProviderRpcError)
  })

  test('set the time and the base fee of the next block', async () => {
    const node = await start({ mining: 'auto', compat: 'anvil' })

    await node.setNextBlockTimestamp(4_000_000_000)
    await node.setNextBlockBaseFee(7n)
    await node.mine()
    const block = await call<{ readonly timestamp: string; readonly baseFeePerGas: string }>(
      node,
      'eth_getBlockByNumber',
      'latest',
      false,
    )
    await node.increaseTime(1_000)
    await node.mine()
    const next = await call<{ readonly timestamp: string }>(node, 'eth_getBlockByNumber', 'latest', false)

    expect(block).toMatchObject({ timestamp: '0xee6b2800', baseFeePerGas: '0x7' })
    expect(Number(next.timestamp)).toBeGreaterThanOrEqual(4_000_001_000)
  })

  test('switch automining, drop a transaction, and return to block 0', async () => {
    const node = await start()

    await node.setAutomine(false)
    const hash = await transfer(node)
    await node.dropTransaction(hash)
    await node.mine(2)
    expect(await call(node, 'eth_getBalance', STRANGER, 'latest')).toBe('0x0')
    await node.reset()

    expect(await call(node, 'eth_blockNumber')).toBe('0x0')
  })

  test('move the state to another node', async () => {
    const [from, to] = await Promise.all([start(), start()])
    await from.setBalance(STRANGER, 3)

    await to.loadState(await from.dumpState())

    expect(await call(to, 'eth_getBalance', STRANGER, 'latest')).toBe('0x3')
  })
})

describe('several nodes', () => {
  test('of one process share nothing', async () => {
    const nodes = await Promise.all([1, 2, 3, 4].map((chainId) => start({ chainId, mining: 'auto' })))

    await Promise.all(nodes.map((node, index) => node.mine(index + 1)))

    expect(await Promise.all(nodes.map((node) => call(node, 'eth_blockNumber')))).toEqual(['0x1', '0x2', '0x3', '0x4'])
    expect(await Promise.all(nodes.map((node) => call(node, 'net_version')))).toEqual(['1', '2', '3', '4'])
  })
})

describe('listen', () => {
  test('serves the node over HTTP and WebSocket until the listener closes', async () => {
    const node = await start()
    await node.mine(2)

    const listener = await node.listen()
    const over = await post(listener.url, 'eth_blockNumber')
    await listener.close()

    expect(over).toBe('0x2')
    expect(listener.webSocketUrl).toBe(`ws://127.0.0.1:${listener.port}`)
    await expect(post(listener.url, 'eth_blockNumber')).rejects.toThrow()
    expect(await call(node, 'eth_blockNumber')).toBe('0x2')
  })

  test('names a port in use, and the node continues', async () => {
    const node = await start()
    const { port } = await node.listen()

    await expect(node.listen({ port })).rejects.toMatchObject({ code: 'LISTEN_FAILED', message: /is in use/ })
    expect(await call(node, 'eth_blockNumber')).toBe('0x0')
  })

  test('refuses what an option makes dangerous', async () => {
    const node = await start({ mining: 'auto', httpApi: ['eth', 'debug'] })

    await expect(node.listen({ host: '0.0.0.0' })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: /exposeDebug/,
    })
  })
})

describe('close', () => {
  test('rejects requests in progress and later ones', async () => {
    const node = await start()
    await node.setCode(STRANGER, ENDLESS)
    const waiting = call(node, 'eth_call', { to: STRANGER }).catch((error: unknown) => error)

    await node.close()

    expect(await waiting).toMatchObject({ name: 'NodeError', code: 'NODE_CLOSED' })
    await expect(call(node, 'eth_blockNumber')).rejects.toMatchObject({ code: 'NODE_CLOSED' })
    await expect(node.listen()).rejects.toMatchObject({ code: 'NODE_CLOSED' })
    await node.close()
  })

  test('keeps the chain of a data directory, and deletes a temporary one', async () => {
    const datadir = join(folder, 'chain')
    const first = await createNode({ datadir, mining: 'auto' })
    await transfer(first)
    await first.close()

    const second = await start({ datadir, mining: 'auto' })
    expect(await call(second, 'eth_getBalance', STRANGER, 'latest')).toBe('0x1')
    await second.close()
    const temporary = await createNode()
    await temporary.close()

    expect(existsSync(join(datadir, 'main'))).toBe(true)
    expect(readdirSync(folder)).toEqual(['chain'])
  })
})

describe('a former name of an option', () => {
  test('has the effect of the present one, with a warning', async () => {
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))

    const node = await start({ maxAnswerBytes: 1_024 })

    expect(await warned).toMatchObject({ message: 'the option maxAnswerBytes is now named maxResponseBytes' })
    await expect(call(node, 'rpc.discover')).rejects.toMatchObject({ code: -32003 })
  })
})

describe('bad options', () => {
  const bad: readonly (readonly [string, unknown, RegExp])[] = [
    ['an unknown name', { colour: 1 }, /^colour is no option of createNode/],
    ['a misspelt name', { chianId: 1 }, /use chainId$/],
    ['a name of listen', { port: 8545 }, /port is an option of listen/],
    ['a flag of a process', { json: true }, /tickertape start --json/],
    ['a negated flag', { noStudio: true }, /^noStudio is no option of createNode/],
    ['a text instead of a number', { blockTime: 'fast' }, /^blockTime: "fast" is not possible: a whole number/],
    ['a number beyond the bounds', { blockTime: 1 }, /^blockTime: 1 is not possible: .* from 1000/],
    ['a time that is no multiple of a second', { blockTime: 1_500 }, /blockTime 1000/],
    ['a value that is no choice', { hardfork: 'london' }, /^hardfork: "london" is not possible: one of/],
    ['a switch that is no boolean', { autoImpersonate: 1 }, /^autoImpersonate: 1 is not possible: true or false/],
    ['an object', { chainId: {} }, /^chainId: /],
    ['a mining mode that does not exist', { mining: 'often' }, /^mining: "often" is not possible: flashblocks, auto/],
    ['a phrase that is none', { mnemonic: 'test' }, /the mnemonic is no BIP-39 phrase/],
    ['a genesis file that is missing', { genesis: '/missing.json' }, /the genesis file \/missing.json cannot be used/],
    ['contradicting ones', { mining: 'auto', standStill: true }, /mining contradicts standStill/],
    ['no object', 5, /^createNode takes an object/],
  ]
  for (const [name, options, message] of bad) {
    test(`are rejected with a typed error that names the option: ${name}`, async () => {
      const error = await createNode(options as NodeOptions).catch((reason: unknown) => reason)

      expect(error).toBeInstanceOf(NodeError)
      expect(error).toMatchObject({ code: 'INVALID_OPTION', message })
      expect(readdirSync(folder)).toEqual([])
    })
  }

  test('a directory that cannot be opened is START_FAILED with its cause', async () => {
    const datadir = join(folder, 'chain')
    await start({ datadir, mining: 'auto' })

    await expect(createNode({ datadir })).rejects.toMatchObject({
      code: 'START_FAILED',
      message: /in use/,
      cause: { code: 'DIRECTORY_IN_USE' },
    })
  })
})

function addressOf(index: number): HexText {
  return `0x${(index + 0x1000).toString(16).padStart(40, '0')}`
}

async function post(url: string, method: string): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await response.json()) as { readonly result: unknown }).result
}
