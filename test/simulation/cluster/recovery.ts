import type { Cluster } from './cluster.ts'
import type { Machine } from './machine.ts'

/** Simulated milliseconds after the last fault within which everything is as if there had been none. */
const RECOVERY_MS = 60_000
/** Effects of the recovery at most: more means that the nodes do something endlessly. */
const RECOVERY_STEPS = 400_000

/**
 * Ends all faults, and waits until every promise is kept.
 *
 * @returns whether they are
 */
export async function recover(cluster: Cluster): Promise<boolean> {
  const { world, machines, nats, clients, subscribers, ledger } = cluster
  const { scheduler, network, trace } = world
  trace.note('world', 'no more faults')
  network.healAll()
  nats?.heal()
  for (const machine of machines) machine.heal()
  for (const client of clients) client.isEnding = true
  const outstanding = subscribers.map((subscriber) => subscriber.outstanding())
  const { now, executed } = scheduler
  const { flashblocks, newestRecord, newest } = ledger
  const isDone = () =>
    ledger.flashblocks > flashblocks + 5 &&
    isSettled(cluster, newestRecord) &&
    !outstanding.some((isOutstanding) => isOutstanding())
  while (!isDone()) {
    if (!(await cluster.step())) return false
    if (scheduler.now > now + RECOVERY_MS || scheduler.executed > executed + RECOVERY_STEPS) {
      ledger.fail('liveness', `after the last fault, within ${RECOVERY_MS} ms: ${unsettled(cluster)}`)
      return false
    }
  }
  const through = Math.min(newest.number, ledger.newest.number)
  for (const { name, access } of machines) ledger.compare(name, access!, through)
  return ledger.failure === undefined
}

/** Kills all nodes, and verifies their disks. */
export async function verifyDisks(cluster: Cluster): Promise<void> {
  cluster.end()
  for (const machine of cluster.machines) {
    machine.condition.heal()
    let isVerified = false
    const verified = machine.verify().finally(() => {
      isVerified = true
    })
    while (!isVerified && (await cluster.step()));
    if (isVerified) await verified
  }
}

/** @param sequence a record that every node must show */
function isSettled({ machines, ledger }: Cluster, sequence: number): boolean {
  const isAlone = ({ access }: Machine) =>
    access !== undefined && access.sequence() >= sequence && ledger.transactions.unincluded(access.find).length === 0
  return machines.every(isAlone) && new Set(machines.map(poolOf)).size === 1
}

function poolOf({ access }: Machine): string {
  return [...(access?.pooled() ?? [])].sort().join()
}

function unsettled({ machines, ledger }: Cluster): string {
  return machines
    .map(({ name, access }) => {
      if (access === undefined) return `${name} is not open`
      const [first, ...others] = ledger.transactions.unincluded(access.find)
      if (first === undefined) {
        return `${name} is at record ${access.sequence()}, block ${access.latest()}, pool ${access.pooled().join()}`
      }
      return `${name} at block ${access.latest()} lacks ${first.hash} and ${others.length} others`
    })
    .join('; ')
}
