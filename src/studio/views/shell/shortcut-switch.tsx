/** Switches the keys that act without a modifier. */
export function ShortcutSwitch({
  isOn,
  onChange,
}: {
  readonly isOn: boolean
  readonly onChange: (on: boolean) => void
}) {
  return (
    <label class="shortcut-switch" title="These keys act without a modifier; speech input may type them by accident">
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      <span>Keys / p s j k</span>
    </label>
  )
}
