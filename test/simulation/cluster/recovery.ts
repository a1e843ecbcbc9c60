import type { NodeAccess } from '../guest/node-access.ts'
import type { Ledger } from '../oracles/ledger.ts'
import type { Cluster } from './cluster.ts'

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
  for (const machine of machines) {
    machine.heal()
    // A write that takes some seconds would be another fault.
    machine.condition.isSound = true
  }
  for (const client of clients) client.finish()
  const outstanding = subscribers.map((subscriber) => subscriber.outstanding())
  const { now, executed } = scheduler
  const { flashblocks } = ledger
  // The position that every process must reach. An unwinding by a client moves it.
  let due = positionOf(ledger)
  const hasIncludedAll = inclusionCheck(ledger)
  const shown = () => machines.flatMap((machine) => machine.shown())
  const isSettled = () =>
    shown().every(({ access }) => access && access.sequence() >= due.record && hasIncludedAll(access)) &&
    new Set(shown().map(poolOf)).size === 1
  const isDone = () => {
    if (ledger.unwindings > due.unwindings) due = positionOf(ledger)
    return ledger.flashblocks > flashblocks + 5 && isSettled() && !outstanding.some((isOutstanding) => isOutstanding())
  }
  while (!isDone()) {
    if (!(await cluster.step())) return false
    if (scheduler.now > now + RECOVERY_MS || scheduler.executed > executed + RECOVERY_STEPS) {
      ledger.fail('liveness', `after the last fault, within ${RECOVERY_MS} ms: ${unsettled(cluster)}`)
      return false
    }
  }
  for (const { name, access } of shown()) ledger.compare(name, access!, due.block)
  return ledger.failure === undefined
}

function positionOf({ newestRecord, newest, unwindings }: Ledger) {
  return { record: newestRecord, block: newest.number, unwindings }
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

/** Whether a node has all acknowledged transactions in blocks: looked up again only when that may have changed. */
function inclusionCheck({ transactions }: Ledger): (access: NodeAccess) => boolean {
  const known = new WeakMap<NodeAccess, { readonly of: string; readonly hasAll: boolean }>()
  return (access) => {
    const of = `${access.sequence()} ${transactions.changes}`
    const last = known.get(access)
    if (last?.of === of) return last.hasAll
    const hasAll = transactions.unincluded(access.find).length === 0
    known.set(access, { of, hasAll })
    return hasAll
  }
}

function poolOf({ access }: { readonly access: NodeAccess | undefined }): string {
  return [...(access?.pooled() ?? [])].sort().join()
}

function unsettled({ machines, ledger }: Cluster): string {
  return machines
    .flatMap((machine) => machine.shown())
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
