import { useStore, useStudio } from '../client/studio.ts'

/** The account that sends, with the wallet that signs for it. */
export function SenderChoice(props: {
  readonly accounts: readonly string[]
  readonly sender: string
  readonly onChoice: (sender: string) => void
}) {
  const { accounts, sender, onChoice } = props
  const { senders, names } = useStudio()
  const known = useStore(names)
  return (
    <label class="sender">
      <span>From</span>
      <select value={sender} onChange={({ currentTarget }) => onChoice(currentTarget.value)}>
        {accounts.map((account) => (
          <option key={account} value={account}>
            {known.of(account) === undefined ? account : `${known.of(account)!.name} · ${account}`}
            {senders.signerOf(account) !== undefined && ` · ${senders.signerOf(account)}`}
          </option>
        ))}
      </select>
    </label>
  )
}
