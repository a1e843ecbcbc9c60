/** The account that sends. */
export function SenderChoice(props: {
  readonly accounts: readonly string[]
  readonly sender: string
  readonly onChoice: (sender: string) => void
}) {
  const { accounts, sender, onChoice } = props
  return (
    <label class="sender">
      <span>From</span>
      <select value={sender} onChange={({ currentTarget }) => onChoice(currentTarget.value)}>
        {accounts.map((account) => (
          <option key={account}>{account}</option>
        ))}
      </select>
    </label>
  )
}
