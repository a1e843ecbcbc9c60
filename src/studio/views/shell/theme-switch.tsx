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
