import { byteLength, decimalOf, grouped } from '../../../live/amount.ts'
import { type AccountDifference, type BeforeAndAfter, stateChanges } from '../../model/state-changes.ts'
import { Badge, Notice, Panel } from '../../widgets/layout.tsx'
import { AddressText } from '../../widgets/text.tsx'
import { Traced } from './traced.tsx'

const OPTIONS = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } } as const
/** Accounts and slots of one account that are drawn. */
const MAX_ACCOUNTS = 100
const MAX_SLOTS = 200

export function StatePart({ hash, isIncluded }: { readonly hash: string; readonly isIncluded: boolean }) {
  return (
    <Traced hash={hash} isIncluded={isIncluded} options={OPTIONS}>
      {(trace) => <Changes changes={stateChanges(trace)} />}
    </Traced>
  )
}

function Changes({ changes }: { readonly changes: readonly AccountDifference[] }) {
  if (changes.length === 0) return <Notice>It changed no account.</Notice>
  return (
    <>
      {changes.slice(0, MAX_ACCOUNTS).map((change) => (
        <Panel
          key={change.address}
          title={<AddressText address={change.address} isWhole />}
          aside={change.kind === 'changed' ? undefined : <KindBadge kind={change.kind} />}
        >
          <AccountTable change={change} />
        </Panel>
      ))}
      {changes.length > MAX_ACCOUNTS && <Notice>and {changes.length - MAX_ACCOUNTS} more accounts</Notice>}
    </>
  )
}

function KindBadge({ kind }: { readonly kind: 'created' | 'deleted' }) {
  return <Badge tone={kind === 'created' ? 'good' : 'bad'}>{kind}</Badge>
}

function AccountTable({ change: { balance, nonce, code, slots } }: { readonly change: AccountDifference }) {
  return (
    <table class="changes">
      <thead>
        <tr>
          <th>Member</th>
          <th>Before</th>
          <th>After</th>
        </tr>
      </thead>
      <tbody>
        {balance && (
          <Row label="Balance (ETH)" change={balance} text={(wei) => decimalOf(wei, 18)} note={difference(balance)} />
        )}
        {nonce && <Row label="Nonce" change={nonce} text={grouped} />}
        {code && <Row label="Code" change={code} text={(hex) => `${grouped(byteLength(hex))} bytes`} />}
        {slots.slice(0, MAX_SLOTS).map(({ slot, before, after }) => (
          <tr key={slot}>
            <td class="hex wrap">{trimmed(slot)}</td>
            <td class="hex wrap">{trimmed(before)}</td>
            <td class="hex wrap">{trimmed(after)}</td>
          </tr>
        ))}
        {slots.length > MAX_SLOTS && (
          <tr>
            <td colSpan={3}>and {slots.length - MAX_SLOTS} more slots</td>
          </tr>
        )}
      </tbody>
    </table>
  )
}

function Row<T>(props: {
  readonly label: string
  readonly change: BeforeAndAfter<T>
  readonly text: (value: T) => string
  readonly note?: string
}) {
  const { label, change, text, note } = props
  return (
    <tr>
      <td>{label}</td>
      <td>{text(change.before)}</td>
      <td>
        {text(change.after)} {note !== undefined && <span class="muted">{note}</span>}
      </td>
    </tr>
  )
}

function difference({ before, after }: BeforeAndAfter<bigint>): string {
  return `(${after > before ? '+' : ''}${decimalOf(after - before, 18)})`
}

/** A word without leading zeros. */
function trimmed(word: string): string {
  return `0x${word.slice(2).replace(/^0+(?=.)/, '')}`
}
