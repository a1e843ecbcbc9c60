/** The part of a keyboard event that decides. */
export interface KeyPress {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly target: EventTarget | null
}

/** Keys that elements of the views name in `data-key`. */
const KEYS = new Set(['/', 'p', 's', 'j', 'k'])

/** Selector of the element that a key presses; `undefined` while a field takes the key. */
export function pressedAction({ key, ctrlKey, metaKey, altKey, target }: KeyPress): string | undefined {
  if (ctrlKey || metaKey || altKey || !KEYS.has(key)) return undefined
  const { tagName, isContentEditable } = (target ?? {}) as { tagName?: string; isContentEditable?: boolean }
  if (isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(tagName ?? '')) return undefined
  return `[data-key="${key}"]`
}
