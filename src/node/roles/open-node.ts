import { startFailover } from './failover-node.ts'
import { type OpenedChain, openChain } from './node-core.ts'
import type { FailoverHandle, NodeHandle, ReplicaHandle, SoloHandle } from './node-handle.ts'
import type { NodeDeps, NodeSettings } from './node-settings.ts'
import { startReplica } from './replica-node.ts'
import type { FailoverRole, ReplicaRole, Role, SoloRole } from './role.ts'
import { startSolo } from './solo-node.ts'

/**
 * Opens a data directory, recovers the chain from it, and runs it in a role. Resolves when a head is available.
 *
 * @throws StorageError when the directory cannot be used; RecoveryError when its records contradict each other;
 * ReplicatedLogError; SourceError when the source has another chain or another history; the reason of `deps.signal`
 */
export function openNode(settings: NodeSettings, role: SoloRole, deps: NodeDeps): Promise<SoloHandle>
export function openNode(settings: NodeSettings, role: ReplicaRole, deps: NodeDeps): Promise<ReplicaHandle>
export function openNode(settings: NodeSettings, role: FailoverRole, deps: NodeDeps): Promise<FailoverHandle>
export async function openNode(settings: NodeSettings, role: Role, deps: NodeDeps): Promise<NodeHandle> {
  const opened = await openChain(settings, { mayLead: role.kind !== 'replica' }, deps)
  try {
    return await startRole(settings, role, { ...deps, ...opened })
  } catch (error) {
    await opened.directory.close()
    throw error
  }
}

function startRole(settings: NodeSettings, role: Role, deps: NodeDeps & OpenedChain): Promise<NodeHandle> {
  switch (role.kind) {
    case 'solo':
      return startSolo(settings, role, deps)
    case 'replica':
      return startReplica(settings, role, deps)
    case 'failover':
      return startFailover(settings, role, deps)
  }
}
