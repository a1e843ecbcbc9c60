import { durationText } from '../../../live/amount.ts'
import { staleForMs } from '../../../live/connection.ts'
import { useNow, useStore, useStudio } from '../../client/studio.ts'

const LABELS = { connecting: 'connecting', live: 'live', polling: 'polling', offline: 'offline' } as const

/** Node, chain and whether notifications arrive. */
export function ConnectionState() {
  const { client, capabilities } = useStudio()
  const { kind } = useStore(client.connection)
  const found = useStore(capabilities)
  const { endpoint } = client
  const address = new URL(endpoint.http).host
  const about = found === undefined ? address : `${address}, ${found.clientVersion}, chain id ${found.chainId}`
  return (
    <div class={`connection ${kind}`} title={about} role="status">
      <span class="dot" aria-hidden="true" />
      <span>{LABELS[kind]}</span>
      {!endpoint.isOwn && <strong class="other-node">{address}</strong>}
      {found !== undefined && <span class="muted chain-id">chain {String(found.chainId)}</span>}
    </div>
  )
}

/** Says that the shown data are old, and since when. */
export function StaleNotice() {
  const { client } = useStudio()
  const connection = useStore(client.connection)
  const age = staleForMs(connection, useNow())
  if (age === undefined || connection.kind === 'polling') return null
  const { http, isOwn } = client.endpoint
  return (
    <div class="stale">
      {/* The age changes each second: outside of the alert it is not read aloud again. */}
      <span role="alert">
        <strong>The node does not answer.</strong>{' '}
        {connection.heardAt === undefined && `Nothing has come from ${http} yet. `}
        {!isOwn && connection.heardAt === undefined && 'It must allow this page: see --cors-origins and --ws-origins. '}
        The page connects again by itself.
      </span>
      {connection.heardAt !== undefined && <span>What you see is {durationText(age)} old.</span>}
      <button type="button" onClick={() => client.retry()}>
        Try now
      </button>
    </div>
  )
}
