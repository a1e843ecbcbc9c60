import { afterAll, beforeAll, expect, test } from 'vitest'
import { RpcSocket } from '../support/rpc-socket.ts'
import { type AttackedNode, startAttackedNode } from './attacked-node.ts'

const TARGET = `0x${'77'.repeat(20)}`

let node: AttackedNode
beforeAll(async () => {
  node = await startAttackedNode('--call-timeout-ms', '1000')
})
afterAll(() => node.stop())

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const callOf = (code: string, data = '0x') =>
  node.request('eth_call', { to: TARGET, data, gas: '0x7fffffffffffffff' }, 'pending', { [TARGET]: { code } })
const word = (value: number) => value.toString(16).padStart(64, '0')

/** `JUMPDEST PUSH1 0 JUMP` */
const ENDLESS = '0x5b600056'
/** Grows its memory by a word at a time until it runs out of gas. */
const GREEDY = '0x5b59600052600056'
/** Calls itself with all gas. */
const RECURSIVE = '0x5b60008060008080305af1600056'

test('simulations and calls: endless loops, memory, recursion, too many blocks or calls, overflowing times', async () => {
  await node.survives(async () => {
    const responses = await Promise.all([ENDLESS, GREEDY, RECURSIVE].flatMap((code) => times(4, () => callOf(code))))
    // Only termination matters here, not the result.
    expect(responses.filter((response) => response.result === undefined && response.error === undefined)).toEqual([])
    expect(responses.filter(({ error }) => error?.code === -32603)).toEqual([])
    const simulate = async (blockStateCalls: unknown[]) =>
      (await node.request('eth_simulateV1', { blockStateCalls }, 'latest')).error?.code
    expect(await simulate(times(257, () => ({})))).toBe(-38026)
    expect(await simulate([{ blockOverrides: { number: '0x7fffffff' } }])).toBe(-38026)
    expect(await simulate([{ calls: times(5_001, () => ({ to: TARGET })) }])).toBe(-38026)
    expect(await simulate([{ blockOverrides: { time: '0xffffffffffffffff' } }, {}])).toBe(-38021)
    const overrides = { [TARGET]: { code: ENDLESS } }
    const loops = times(4, () => simulate([{ stateOverrides: overrides, calls: times(100, () => ({ to: TARGET })) }]))
    expect((await Promise.all(loops)).filter((code) => code === -32603)).toEqual([])
    const many = times(4, () => simulate(times(100, () => ({ calls: times(50, () => ({ to: TARGET })) }))))
    expect((await Promise.all(many)).filter((code) => code === -32603)).toEqual([])
  })
})

test('precompile cost: the worst inputs with the maximum gas of a call', async () => {
  await node.survives(async () => {
    const modexp = (size: number) =>
      `0x${word(size)}${word(size)}${word(size)}${'ff'.repeat(size)}${'ff'.repeat(size)}${'ff'.repeat(size)}`
    const request = (address: string, data: string) =>
      node.request('eth_call', { to: address, data, gas: '0x2faf080' }, 'latest')
    const huge = `0x${'ff'.repeat(96)}`
    const blake2f = `0xffffffff${'00'.repeat(208)}01`
    const pairings = `0x${'00'.repeat(192 * 300)}`
    const responses = await Promise.all([
      ...[32, 256, 512, 1_024].map((size) => request('0x0000000000000000000000000000000000000005', modexp(size))),
      request('0x0000000000000000000000000000000000000005', huge),
      request('0x0000000000000000000000000000000000000009', blake2f),
      request('0x0000000000000000000000000000000000000008', pairings),
      request('0x0000000000000000000000000000000000000002', `0x${'00'.repeat(1_000_000)}`),
    ])
    expect(responses.filter(({ error }) => error?.code === -32603)).toEqual([])
  })
})

test('event-loop starvation: flashblocks continue while calls use all the time that they may', async () => {
  await node.survives(async () => {
    const socket = await RpcSocket.connect(node.ws)
    const flashblocks = await socket.subscribe('newFlashblocks', { raw: true })
    const before = (await socket.received(flashblocks)).length
    const loops = Promise.all(times(16, () => callOf(ENDLESS)))
    const codes = (await loops).map(({ error }) => error?.code)
    const during = (await socket.received(flashblocks)).length - before
    await socket.close()
    expect(codes.filter((code) => code === undefined || code === -32603)).toEqual([])
    expect(during).toBeGreaterThan(0)
  })
})
