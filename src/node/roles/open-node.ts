import { diskBytes } from '../core/data-directory.ts'
import { startFailover } from './failover-driver.ts'
import { type OpenedChain, openChain } from './node-core.ts'
import type { ReplicationAccess } from './node-handle.ts'
import type { NodeDeps, NodeSettings } from './node-settings.ts'
import { startReplica } from './replica-driver.ts'
import type { HandleOf, Role, StartedRole } from './role.ts'
import { RunningNode } from './running-node.ts'
import { startSolo } from './solo-driver.ts'

/**
 * Opens a data directory, recovers the chain from it, and runs it in a role. Resolves when a head is available.
 *
 * @throws StorageError when the directory cannot be used; RecoveryError when its records contradict each other;
 * ReplicatedLogError; SourceError when the source has another chain or another history; the reason of `deps.signal`
 */
export async function openNode<R extends Role>(settings: NodeSettings, role: R, deps: NodeDeps): Promise<HandleOf<R>> {
  const opened = await openChain(settings, { mayLead: role.kind !== 'replica' }, deps)
  try {
    const started = await startRole(settings, role, { ...deps, ...opened })
    // The driver of a role has the capabilities of the role's handle.
    return handleOf(started, deps.fork) as NodeHandleOfAnyRole as HandleOf<R>
  } catch (error) {
    await opened.directory.close()
    throw error
  }
}

type NodeHandleOfAnyRole = HandleOf<Role>

function startRole(settings: NodeSettings, role: Role, deps: NodeDeps & OpenedChain): Promise<StartedRole> {
  switch (role.kind) {
    case 'solo':
      return startSolo(settings, role, deps)
    case 'replica':
      return startReplica(settings, role, deps)
    case 'failover':
      return startFailover(settings, role, deps)
  }
}

function handleOf({ core, driver }: StartedRole, fork: NodeDeps['fork']): RunningNode {
  const { config, engine, current, records, directory } = core
  return new RunningNode(
    { config },
    {
      engine,
      current,
      driver,
      firstAbove: (stored) => ({ directory: directory.path, from: records.firstAbove(stored) }),
      damage: directory.store.damage,
      replication: replicationAccess({ core, driver }),
      diskBytes: () => diskBytes(directory.path),
      fork,
    },
  )
}

function replicationAccess({ core, driver }: StartedRole): ReplicationAccess {
  const { identity, records, chain, current } = core
  return {
    identity,
    settings: driver.settings,
    records,
    chain,
    view: () => current.view(),
    // A follower shows durable records only; a leader's pool may be ahead of its records.
    poolAsOf: (sequence) => driver.poolAsOf?.(sequence) ?? { waiting: current.waiting(), dropped: current.dropped() },
    submit: (raw, from) => driver.submit(raw, from),
    answerRequests: (answer) => driver.answerRequests?.(answer),
    isRestoring: () => driver.isRestoring?.() === true,
    isOnDemand: () => driver.isOnDemand === true,
  }
}
