import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ProfileName } from '../../src/chain/forks/chain-profile.ts'
import { type RunningNode, startNode } from '../support/running-node.ts'
import type { SessionClient, Transport } from './session-client.ts'

export type ConnectClient = (node: RunningNode, transport: Transport) => Promise<SessionClient>

export interface Session {
  readonly node: RunningNode
  readonly client: SessionClient
  /** Address of the contract. */
  readonly ledger: string
}

const OPENING = 100n

/**
 * Registers the steps of one session, in this order, each as a test: the use of a library on a running node. Later
 * tests in the same `describe` find the contract deployed.
 *
 * @param profile of the node; `flashblocks` by default
 * @returns the session while tests run
 */
export function testSession(
  transport: Transport,
  connect: ConnectClient,
  profile: ProfileName = 'flashblocks',
): () => Session {
  let node: RunningNode
  let client: SessionClient
  let deployedAt: bigint
  let ledger: string

  beforeAll(async () => {
    // The time of a Denim block follows from that of block 0.
    const schedule = profile === 'denim' ? { timestamp: BigInt(Math.floor(Date.now() / 1_000)) } : { blockTime: 1_000 }
    node = await startNode({ profile, ...schedule })
    client = await connect(node, transport)
  })
  afterAll(async () => {
    await client?.close()
    await node?.close()
  })

  /** Resolves when the block with this number is sealed. */
  async function sealed(number: bigint): Promise<void> {
    const blocks = await client.watchBlocks()
    await blocks.observedEvents.first((seen) => seen >= number)
    await blocks.stop()
  }

  test('deploys a contract and watches blocks until it is included', async () => {
    const blocks = await client.watchBlocks()
    const deployed = await client.deploy(OPENING)
    deployedAt = deployed.blockNumber
    ledger = deployed.address
    expect(deployed).toMatchObject({ isSuccess: true, logs: 0 })
    expect(await client.code()).toMatch(/^0x60/)
    await blocks.observedEvents.first((number) => number > deployedAt)
    await blocks.stop()
    const numbers = blocks.observedEvents.all
    expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + BigInt(index)))
  })

  test('calls a function', async () => {
    expect(await client.total()).toBe(OPENING)
    expect(await client.callRecord(7n, 'seven')).toBe(OPENING + 7n)
    expect(await client.total()).toBe(OPENING)
  })

  test('estimates gas that suffices', async () => {
    const gas = await client.estimateRecord(1n, 'one')
    const sent = await client.record(1n, 'one', gas)
    expect(sent).toMatchObject({ isSuccess: true, logs: 1 })
    expect(sent.gasUsed).toBeLessThanOrEqual(gas)
    expect(sent.gasUsed).toBeGreaterThan(21_000n)
    expect(await client.total()).toBe(OPENING + 1n)
  })

  test('sends, waits for the receipt and finds the log by an indexed argument', async () => {
    const first = await client.record(2n, 'two')
    const second = await client.record(3n, 'three')
    expect(second.blockNumber).toBeGreaterThanOrEqual(first.blockNumber)
    expect(await client.total()).toBe(OPENING + 6n)
    const { sender: by } = client
    expect(await client.recordedLogs(deployedAt, 3n)).toEqual([
      { by, amount: 3n, note: 'three', transactionHash: second.hash },
    ])
    expect(await client.recordedLogs(deployedAt, 4n)).toEqual([])
  })

  test(`watches an event of the contract by a ${transport === 'HTTP' ? 'filter' : 'subscription'}`, async () => {
    // Logs that are pre-confirmed when the watch starts would be reported when their block is sealed.
    await sealed((await client.record(9n, 'nine')).blockNumber)
    const watch = await client.watchRecorded()
    const first = await client.record(10n, 'ten')
    const second = await client.record(11n, 'eleven')
    const { sender: by } = client
    await watch.observedEvents.first(({ amount }) => amount === 11n)
    await watch.stop()
    await client.record(12n, 'not watched any more')
    expect(watch.observedEvents.all).toEqual([
      { by, amount: 10n, note: 'ten', transactionHash: first.hash },
      { by, amount: 11n, note: 'eleven', transactionHash: second.hash },
    ])
  })

  test('sees the hash of a transaction that was just sent', async () => {
    const watch = await client.watchPending()
    const { hash } = await client.record(13n, 'thirteen')
    expect(await watch.observedEvents.first((seen) => seen === hash)).toBe(hash)
    await watch.stop()
    expect(watch.observedEvents.all).toEqual([hash])
  })

  test('polls a block filter and removes it', async () => {
    const { hashes, isRemoved } = await client.filterBlocks()
    const [first, second] = await Promise.all(hashes.slice(0, 2).map((hash) => client.blockNumberOf(hash)))
    expect(second).toBe(first! + 1n)
    expect(isRemoved).toBe(true)
  })

  test('creates an access list', async () => {
    const { slots, gasUsed } = await client.accessedSlots(5n, 'five')
    // The owner is an immutable, so the total is in the first slot.
    expect(slots).toEqual([`0x${'00'.repeat(32)}`])
    expect(gasUsed).toBeGreaterThan(21_000n)
  })

  test.each(['call', 'estimate'] as const)('decodes why it fails: %s', async (how) => {
    const reason = { kind: 'reason', text: 'Ledger: a note is needed' }
    expect(await client.failureOf(how, ['record', 5n, ''])).toEqual(reason)
    const custom = { kind: 'custom', name: 'AmountAboveLimit', args: [client.sender, 1001n, 1000n] }
    expect(await client.failureOf(how, ['record', 1001n, 'a lot'])).toEqual(custom)
    expect(await client.failureOf(how, ['withdraw', 10n ** 30n])).toEqual({ kind: 'panic', code: 0x11n })
  })

  test('returns the receipt of a failed transaction', async () => {
    const total = await client.total()
    expect(await client.record(1001n, 'a lot', 100_000n)).toMatchObject({ isSuccess: false, logs: 0 })
    expect(await client.total()).toBe(total)
  })

  test('reads the fee history', async () => {
    const history = await client.feeHistory(3, [25, 75])
    expect(history.oldestBlock).toBeGreaterThanOrEqual(0n)
    expect(history.baseFees).toBe(4)
    expect(history.gasUsedRatios).toHaveLength(3)
    for (const ratio of history.gasUsedRatios) expect(ratio).toBeLessThan(1)
    expect(history.rewards).toHaveLength(3)
    for (const [low, high] of history.rewards) expect(low).toBeLessThanOrEqual(high!)
  })

  test('sends several requests in one message if the library supports it', async ({ skip }) => {
    if (client.batch === undefined) skip('skipped: the library sends every request by itself over this transport')
    expect(await client.batch!()).toEqual({ chainId: 31337n, total: await client.total(), requestsInMessage: 2 })
  })

  return () => ({ node, client, ledger })
}
