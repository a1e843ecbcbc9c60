/** Creates an element with a class and children. */
export function createElement<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  element.className = className
  element.append(...children)
  return element
}

/** @param onClick runs at each click */
export function createButton(text: string, className: string, onClick: () => void): HTMLButtonElement {
  const button = createElement('button', className, text)
  button.type = 'button'
  button.addEventListener('click', onClick)
  return button
}

/** The routes and methods of the page. */
export function entriesOfPage(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('.group > .panel')]
}
