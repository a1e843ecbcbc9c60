import { useRef, useState } from 'preact/hooks'

/** Runs one action at a time: while one runs, further ones are ignored. */
export function useSingleRun(): { readonly isBusy: boolean; run(action: () => Promise<void>): Promise<void> } {
  const [isBusy, setBusy] = useState(false)
  // The page is drawn again later than the next click may come.
  const runs = useRef(false)
  return {
    isBusy,
    async run(action) {
      if (runs.current) return
      runs.current = true
      setBusy(true)
      try {
        await action()
      } finally {
        runs.current = false
        setBusy(false)
      }
    },
  }
}

/** Ignores the second click of a double click: a node may have done the first action by then. */
export function ignoreDoubleClick(event: MouseEvent): void {
  if (event.detail > 1) event.preventDefault()
}
