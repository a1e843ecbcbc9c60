import { useState } from 'preact/hooks'
import { grouped } from '../../../live/amount.ts'
import { newestHeight } from '../../../live/live-feed.ts'
import { errorText } from '../../../live/request-error.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import { type ListedSnapshot, snapshotList } from '../../model/control.ts'
import { ConfirmButton } from '../../widgets/confirm-button.tsx'
import { LoadedContent, Panel } from '../../widgets/layout.tsx'
import { useRequest } from '../../widgets/use-request.ts'

/** Snapshots that are listed. */
const MAX_LISTED = 20

/** Takes snapshots of the chain, and returns to them. */
export function SnapshotsPart() {
  const { client, live } = useStudio()
  const height = newestHeight(useStore(live.state))
  const [changes, setChanges] = useState(0)
  const [outcome, setOutcome] = useState<string>()
  const loaded = useRequest('snapshots', () => client.request('anvil_metadata'), `${height} ${changes}`)
  const act = async (action: () => Promise<string>) => {
    setOutcome(await action().catch(errorText))
    setChanges((count) => count + 1)
  }
  const take = async () => `Snapshot ${String(await client.request('evm_snapshot'))} was taken.`
  const revert = async ({ id }: ListedSnapshot) => {
    const isDone = await client.request('evm_revert', [id])
    return isDone === true ? `The chain is as it was at snapshot ${id}.` : `Snapshot ${id} is not known any more.`
  }
  return (
    <Panel
      title="Snapshots"
      aside={
        <button type="button" onClick={() => void act(take)}>
          Take one
        </button>
      }
    >
      {outcome !== undefined && (
        <p class="outcome-text" role="status">
          {outcome}
        </p>
      )}
      <LoadedContent loaded={loaded}>
        {(metadata) => (
          <SnapshotRows snapshots={snapshotList(metadata)} onRevert={(snapshot) => void act(() => revert(snapshot))} />
        )}
      </LoadedContent>
    </Panel>
  )
}

function SnapshotRows(props: {
  readonly snapshots: readonly ListedSnapshot[]
  readonly onRevert: (snapshot: ListedSnapshot) => void
}) {
  const { snapshots, onRevert } = props
  if (snapshots.length === 0)
    return <p class="muted">There is none. Returning to a snapshot also ends all later ones.</p>
  return (
    <ul class="plain-list">
      {snapshots.slice(0, MAX_LISTED).map((snapshot) => (
        <li key={snapshot.id}>
          <span>
            {snapshot.id} <span class="muted">at block {grouped(snapshot.blockNumber ?? 0)}</span>
          </span>
          <ConfirmButton
            label={`Return to ${snapshot.id}`}
            question={`Discard everything after block ${grouped(snapshot.blockNumber ?? 0)}, and later snapshots?`}
            confirm="Discard"
            onConfirm={() => onRevert(snapshot)}
          />
        </li>
      ))}
      {snapshots.length > MAX_LISTED && <li class="muted">and {snapshots.length - MAX_LISTED} older ones</li>}
    </ul>
  )
}
