/** Switches the keys that act without a modifier. */
export function ShortcutSwitch({
  isOn,
  onChange,
}: {
  readonly isOn: boolean
  readonly onChange: (on: boolean) => void
}) {
  return (
    <label class="shortcut-switch" title="Keys / p s j k act without a modifier">
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      <span>Keys</span>
    </label>
  )
}
