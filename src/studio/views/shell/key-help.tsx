import { useEffect, useRef } from 'preact/hooks'

const KEYS: readonly (readonly [key: string, meaning: string])[] = [
  ['/  or  Ctrl K', 'search: symbol, company, ISIN, address, hash, block, view, method'],
  ['↓  ↑  Enter', 'choose one of the found places'],
  ['Esc', 'close the search or this help'],
  ['p', 'pause and resume the live view'],
  ['s', 'show the next flashblock while paused'],
  ['j  k', 'older and newer block, or page of blocks'],
  ['n  s  o  b', 'debugger: over, into, out, back'],
  ['i  u  r', 'debugger: next opcode, opcode before, to the revert'],
  ['?', 'this help'],
]

/** The keys of the page in a dialog. */
export function KeyHelp() {
  const dialog = useRef<HTMLDialogElement>(null)
  const open = () => dialog.current?.showModal()
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        dialog.current?.close()
        document.querySelector<HTMLInputElement>('[data-key="/"]')?.focus()
      }
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
  return (
    <>
      <button type="button" class="link" data-key="?" onClick={open}>
        Keyboard help
      </button>
      <dialog ref={dialog} class="key-help" aria-labelledby="key-help-title">
        <h2 id="key-help-title">Keyboard</h2>
        <dl>
          {KEYS.map(([key, meaning]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  )
}
