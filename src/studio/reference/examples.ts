import { createButton } from './elements.ts'

/** The address in the examples of the page. */
const EXAMPLE_ADDRESS = '127.0.0.1:8545'
/** How long a button says that it has copied. */
const COPIED_MS = 1_500

/** Writes the address of the node that serves the page into all examples. */
export function fillOwnAddress(): void {
  if (location.host === EXAMPLE_ADDRESS) return
  for (const example of document.querySelectorAll('figure > pre')) {
    example.textContent = example.textContent
      .replaceAll(`http://${EXAMPLE_ADDRESS}`, location.origin)
      .replaceAll(`ws://${EXAMPLE_ADDRESS}`, location.origin.replace(/^http/, 'ws'))
  }
}

/** Adds a button to each example. Browsers give the clipboard to secure pages only: https, or loopback. */
export function addCopyButtons(): void {
  if (navigator.clipboard === undefined) return
  for (const example of document.querySelectorAll('figure')) {
    const label = example.querySelector('figcaption')!
    const text = example.querySelector('pre')!
    const button = createButton('Copy', 'link', () => {
      navigator.clipboard.writeText(text.textContent).then(
        () => {
          button.textContent = 'Copied'
          setTimeout(() => {
            button.textContent = 'Copy'
          }, COPIED_MS)
        },
        () => {
          button.textContent = 'Not allowed: select the text'
        },
      )
    })
    button.setAttribute('aria-label', `Copy the ${label.textContent} example`)
    label.append(button)
  }
}
