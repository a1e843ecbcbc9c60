import { useEffect, useState } from 'preact/hooks'

const KEY = 'tickertape.studio.theme'
const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const LABELS: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' }

/** Chooses the colours; the browser keeps the choice. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(storedTheme)
  useEffect(() => {
    document.documentElement.dataset.theme = theme
    try {
      localStorage.setItem(KEY, theme)
    } catch {
      // The storage is switched off: the choice lasts until the page closes.
    }
  }, [theme])
  return (
    <select
      class="theme"
      aria-label="Colours"
      value={theme}
      onChange={({ currentTarget }) => setTheme(THEMES.find((one) => one === currentTarget.value) ?? 'system')}
    >
      {THEMES.map((one) => (
        <option key={one} value={one}>
          {LABELS[one]}
        </option>
      ))}
    </select>
  )
}

function storedTheme(): Theme {
  try {
    return THEMES.find((one) => one === localStorage.getItem(KEY)) ?? 'system'
  } catch {
    return 'system'
  }
}

/** Switches the keys that act without a modifier. */
export function ShortcutSwitch({
  isOn,
  onChange,
}: {
  readonly isOn: boolean
  readonly onChange: (on: boolean) => void
}) {
  return (
    <label
      class="shortcut-switch"
      title="These keys and those of the debugger act without a modifier; speech input may type them by accident"
    >
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      <span>Keys / p s j k ?</span>
    </label>
  )
}
