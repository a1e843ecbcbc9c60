import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { jsonRpcClient } from './support/json-rpc-client.ts'
import { isNatsSupported, startNatsServer } from './support/nats.ts'
import { type NodeProcess, spawnNode, until } from './support/node-processes.ts'

const CLOCK = new URL('./support/moved-clock.mjs', import.meta.url)
const TWO_DAYS_MS = 2 * 86_400_000
const HOUR_MS = 3_600_000
/** `--max-clock-jump-ms`: as far as blocks may follow a jump. */
const MAX_JUMP_MS = 3_000
/** Seconds by which a node may show that its chain is ahead of a right clock: that jump, and a block's time. */
const SLIGHTLY_AHEAD = 6
const AHEAD = 'tickertape_chain_time_ahead_seconds'

async function startNode(flags: readonly string[], offsetMs = 0): Promise<NodeProcess> {
  const preload = new URL(`?offsetMs=${offsetMs}`, CLOCK).href
  const node = await spawnNode(['--log-level', 'silent', ...flags], preload)
  onTestFinished(() => node.stop())
  return node
}

/** Moves the clock of a node. @returns what it shows then, in milliseconds */
async function moveClock({ child }: NodeProcess, clock: { offsetMs?: number; rate?: number }): Promise<number> {
  const moved = once(child, 'message')
  child.send({ clock })
  const [{ now }] = (await moved) as [{ readonly now: number }]
  return now
}

interface Block {
  readonly number: number
  /** Milliseconds. */
  readonly time: number
}

async function newestBlock({ rpc }: NodeProcess): Promise<Block> {
  const { number, timestamp, timestampMs } = (await jsonRpcClient(rpc).result(
    'eth_getBlockByNumber',
    'latest',
    false,
  )) as {
    readonly number: string
    readonly timestamp: string
    readonly timestampMs?: string
  }
  return { number: Number(number), time: timestampMs === undefined ? Number(timestamp) * 1_000 : Number(timestampMs) }
}

async function blocksAfter(node: NodeProcess, blocks: number): Promise<Block> {
  const { number } = await newestBlock(node)
  await until(async () => (await newestBlock(node)).number >= number + blocks)
  return newestBlock(node)
}

interface Condition {
  readonly chainTimeAheadMs?: number
  readonly failover?: { readonly role: string; readonly clockOffsetMs: number | null }
}

async function readiness({ rpc }: NodeProcess): Promise<Condition & { readonly status: number }> {
  const response = await fetch(new URL('/ready', rpc))
  return { status: response.status, ...((await response.json()) as Condition) }
}

async function metricOf({ rpc }: NodeProcess, name: string): Promise<number> {
  const text = await (await fetch(new URL('/metrics', rpc))).text()
  return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1])
}

test('a clock that jumps two days forward and back moves the time of the chain by no more than the allowed jump', async () => {
  const node = await startNode(['--ephemeral'])
  const before = await blocksAfter(node, 1)

  const jumped = await moveClock(node, { offsetMs: TWO_DAYS_MS })
  const during = await blocksAfter(node, 3)
  const back = await moveClock(node, { offsetMs: 0 })
  const after = await blocksAfter(node, 2)

  expect(jumped - before.time).toBeGreaterThan(TWO_DAYS_MS - HOUR_MS)
  expect(during.time).toBeLessThan(back + 2 * MAX_JUMP_MS)
  expect(after.time).toBeGreaterThan(during.time)
  expect(await readiness(node)).not.toHaveProperty('chainTimeAheadMs')
  expect(await metricOf(node, AHEAD)).toBeLessThan(SLIGHTLY_AHEAD)
  await until(async () => (await readiness(node)).status === 200)
}, 120_000)

test('a node that starts with a clock two days ahead says so in /ready and a metric when the clock is right', async () => {
  const datadir = mkdtempSync(join(tmpdir(), 'tickertape-clock-'))
  onTestFinished(() => rmSync(datadir, { recursive: true, force: true }))
  const wrong = await startNode(['--datadir', datadir], TWO_DAYS_MS)
  await blocksAfter(wrong, 1)
  await wrong.stop()

  const right = await startNode(['--datadir', datadir])

  expect((await readiness(right)).chainTimeAheadMs).toBeGreaterThan(TWO_DAYS_MS - HOUR_MS)
  expect(await metricOf(right, AHEAD)).toBeGreaterThan((TWO_DAYS_MS - HOUR_MS) / 1_000)
}, 120_000)

test('Denim blocks follow a clock that is 5 % fast, each 200 ms after its parent', async () => {
  const node = await startNode(['--ephemeral', '--profile', 'denim'])
  await blocksAfter(node, 1)

  await moveClock(node, { rate: 1.05 })
  const first = await blocksAfter(node, 1)
  // The clock gains 1.2 s; a chain that did not follow it would be that late at every look.
  const last = await blocksAfter(node, 120)

  expect(last.time - first.time).toBe((last.number - first.number) * 200)
  const latenesses: number[] = []
  for (let look = 0; look < 20; look++) {
    const { time } = await blocksAfter(node, 1)
    latenesses.push((await moveClock(node, {})) - time)
  }
  expect(Math.min(...latenesses)).toBeLessThan(900)
  expect(Math.min(...latenesses)).toBeGreaterThan(-MAX_JUMP_MS)
}, 180_000)

describe.skipIf(!isNatsSupported)('with a NATS server', () => {
  test('a standby whose clock is an hour ahead does not take over until its clock is right', async () => {
    const nats = await startNatsServer()
    onTestFinished(() => nats.close())
    const datadir = mkdtempSync(join(tmpdir(), 'tickertape-clock-'))
    onTestFinished(() => rmSync(datadir, { recursive: true, force: true }))
    const flags = (name: string) => [
      '--nats',
      nats.url,
      '--failover',
      '--node-name',
      name,
      '--datadir',
      join(datadir, name),
    ]
    const leader = await startNode(flags('leader'))
    await until(async () => (await readiness(leader)).failover?.role === 'leader')
    const standby = await startNode(flags('standby'), HOUR_MS)
    const led = await blocksAfter(leader, 1)
    await until(async () => (await newestBlock(standby)).number >= led.number)

    leader.child.kill('SIGKILL')
    await leader.exited
    // Longer than the lease of one second: a standby with a right clock leads after it.
    const looks: string[] = []
    for (const end = performance.now() + 5_000; performance.now() < end; ) {
      looks.push((await readiness(standby)).failover?.role ?? 'none')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(new Set(looks)).toEqual(new Set(['standby']))

    const now = await moveClock(standby, { offsetMs: 0 })
    await until(async () => (await readiness(standby)).failover?.role === 'leader')
    const taken = await blocksAfter(standby, 1)
    expect(taken.time - now).toBeLessThan(HOUR_MS / 2)
  }, 180_000)

  test('a leader whose clock drifts away from that of the servers shows it, and goes on', async () => {
    const nats = await startNatsServer()
    onTestFinished(() => nats.close())
    const datadir = mkdtempSync(join(tmpdir(), 'tickertape-clock-'))
    onTestFinished(() => rmSync(datadir, { recursive: true, force: true }))
    const node = await startNode(['--nats', nats.url, '--failover', '--datadir', datadir])
    await until(async () => (await readiness(node)).failover?.clockOffsetMs === 0)

    await moveClock(node, { rate: 1.5 })
    await until(async () => ((await readiness(node)).failover?.clockOffsetMs ?? 0) > MAX_JUMP_MS)

    expect(await metricOf(node, 'tickertape_clock_offset_seconds')).toBeGreaterThan(MAX_JUMP_MS / 1_000)
    expect((await readiness(node)).failover?.role).toBe('leader')
    await blocksAfter(node, 2)
  }, 120_000)
})
