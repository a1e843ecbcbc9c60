import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { jsonRpcClient } from './support/json-rpc-client.ts'
import { hasNatsServer, isNatsSupported, startNatsCluster } from './support/nats.ts'
import { canMount, PowerVolume } from './support/power-volume.ts'
import { testRandom } from './support/test-seed.ts'

const { startLoad } = (await import(new URL('./replica/load.mjs', import.meta.url).href)) as {
  startLoad(
    urls: () => readonly string[],
    random: () => number,
    onAcknowledged: (hash: string) => void,
  ): { stop(): Promise<void> }
}
const MAIN = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url))
const SERVERS = 3
/** Milliseconds of load while both nodes run, and while the standby is dead. */
const LOAD_MS = 2_000
const STALE_MS = 6_000

interface Candidate {
  readonly child: ChildProcess
  readonly rpc: string
}

/** A node of the chain; a string: the last line of its standard error, when it ended before it was ready. */
async function startCandidate(parent: string, name: string, nats: string): Promise<Candidate | string> {
  const flags = ['--datadir', join(parent, name), '--failover', '--node-name', name, '--log-level', 'error']
  const records = ['--nats', nats, '--nats-replicas', `${SERVERS}`, '--nats-max-bytes', `${2 ** 26}`]
  const child = spawn(process.execPath, [MAIN, 'start', '--json-ready', '--port', '0', ...flags, ...records])
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  const ready = once(createInterface({ input: child.stdout }), 'line').then(([line]) => JSON.parse(line) as Candidate)
  const ended = once(child, 'exit').then(() => errors.trim().split('\n').at(-1)!)
  const first = await Promise.race([ready, ended])
  return typeof first === 'string' ? first : { child, rpc: first.rpc }
}

async function started(parent: string, name: string, nats: string): Promise<Candidate> {
  const candidate = await startCandidate(parent, name, nats)
  if (typeof candidate === 'string') throw new Error(candidate)
  return candidate
}

async function roleOf({ rpc }: Candidate): Promise<string> {
  const response = await fetch(`${rpc}/ready`)
  return ((await response.json()) as { readonly failover: { readonly role: string } }).failover.role
}

async function kill({ child }: Candidate): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo().catch(() => false))) await pause(50)
}

/**
 * A standby dies, the leader goes on for six seconds; then all servers and the leader lose power, and the standby
 * starts first. Transactions count as lost that were acknowledged and that no node knows afterwards.
 */
async function loseEverything(syncs: boolean) {
  const volume = new PowerVolume()
  onTestFinished(() => volume.remove())
  const nats = await startNatsCluster(SERVERS, { stores: volume.path, syncs })
  onTestFinished(() => nats.close())
  const nodes = [await started(volume.path, 'a', nats.url), await started(volume.path, 'b', nats.url)]
  onTestFinished(async () => {
    for (const { child } of nodes) child.kill('SIGKILL')
  })
  let leads = -1
  await until(async () => {
    leads = (await Promise.all(nodes.map(roleOf))).indexOf('leader')
    return leads >= 0
  })
  const [leader, standby] = [nodes[leads]!, nodes[1 - leads]!]
  const acknowledged: string[] = []
  const load = startLoad(
    () => [leader.rpc],
    testRandom(),
    (hash) => acknowledged.push(hash),
  )
  await pause(LOAD_MS)
  await kill(standby)
  await pause(STALE_MS)
  const servers = Array.from({ length: SERVERS }, (_, index) => index)
  const stopping = load.stop()
  const promised = [...acknowledged]
  await Promise.all([...servers.map((index) => nats.kill(index)), kill(leader)])
  volume.cut()
  await stopping

  for (const index of servers) nats.start(index)
  const stale = await started(volume.path, ['b', 'a'][leads]!, nats.url)
  nodes.push(stale)
  await until(async () => (await roleOf(stale)) === 'leader')
  const { result } = jsonRpcClient(stale.rpc)
  const found = await Promise.all(promised.map((hash) => result('eth_getTransactionByHash', hash)))
  const other = await startCandidate(volume.path, ['a', 'b'][leads]!, nats.url)
  if (typeof other !== 'string') nodes.push(other)
  return {
    acknowledged: promised.length,
    lost: found.filter((transaction) => transaction === null).length,
    /** Why the former leader did not start. */
    refusal: typeof other === 'string' ? other : undefined,
  }
}

const isPossible = hasNatsServer && canMount()

test.skipIf(!isPossible || !isNatsSupported)(
  'servers that sync before they acknowledge lose nothing when all lose power and a stale node starts first',
  { timeout: 180_000 },
  async () => {
    const { acknowledged, lost, refusal } = await loseEverything(true)

    process.stdout.write(`power loss with sync_interval: always: ${acknowledged} acknowledged, ${lost} lost\n`)
    expect({ lost, refusal }).toEqual({ lost: 0, refusal: undefined })
    expect(acknowledged).toBeGreaterThan(50)
  },
)

test.skipIf(!isPossible)(
  'servers that sync later lose acknowledged transactions, and the directory that has them is refused',
  { timeout: 180_000 },
  async () => {
    const { acknowledged, lost, refusal } = await loseEverything(false)

    process.stdout.write(`power loss without: ${acknowledged} acknowledged, ${lost} lost\n`)
    expect(lost).toBeGreaterThan(0)
    expect(refusal).toMatch(/this directory still holds records \d+ to \d+/)
  },
)
