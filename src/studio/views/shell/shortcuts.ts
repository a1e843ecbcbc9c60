/** The part of a keyboard event that decides. */
export interface KeyPress {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly target: EventTarget | null
}

/** Keys that elements of the views name in `data-key`. */
const KEYS = new Set(['/', 'p', 's', 'j', 'k', '?', 'n', 'o', 'b', 'i', 'u', 'r'])

const STORAGE_KEY = 'tickertape.studio.shortcuts'

/** Whether keys act. They can be switched off, since speech input types them by accident (WCAG 2.1.4). */
export function areShortcutsOn(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) !== 'off'
  } catch {
    return true
  }
}

/** Keeps the choice for later visits. */
export function keepShortcuts(isOn: boolean): void {
  try {
    localStorage.setItem(STORAGE_KEY, isOn ? 'on' : 'off')
  } catch {
    // The storage is switched off: the choice lasts until the page closes.
  }
}

/** Selector of the element that a key presses; `undefined` while a field takes the key. */
export function pressedAction({ key, ctrlKey, metaKey, altKey, target }: KeyPress): string | undefined {
  if (ctrlKey || metaKey || altKey || !KEYS.has(key)) return undefined
  const { tagName, type, isContentEditable } = (target ?? {}) as Partial<HTMLInputElement>
  // A slider takes no letters.
  const isField = type !== 'range' && ['INPUT', 'TEXTAREA', 'SELECT'].includes(tagName ?? '')
  if (isContentEditable || isField) return undefined
  return `[data-key="${key}"]`
}
