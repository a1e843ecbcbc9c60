import { entriesOfPage } from './elements.ts'

/** The searchable text of an entry, in lower case. */
interface Searched {
  readonly element: HTMLElement
  readonly text: string
}

/** Shows the entries that have every word of the field. `/` focuses the field, Escape clears it. */
export function startSearch(): void {
  const field = document.querySelector<HTMLInputElement>('#search')!
  const found = document.querySelector<HTMLElement>('#found')!
  field.parentElement!.hidden = false
  const entries = entriesOfPage().map(
    (element): Searched => ({
      element,
      text: [...element.querySelectorAll('h3 > a, h3 + p')].map((part) => part.textContent.toLowerCase()).join(' '),
    }),
  )
  const search = () => {
    const isSearching = field.value.trim() !== ''
    const count = showMatches(entries, field.value)
    document.body.classList.toggle('searching', isSearching)
    found.hidden = !isSearching
    found.textContent = isSearching ? resultText(count, field.value.trim()) : ''
  }
  field.addEventListener('input', () => {
    search()
    scrollTo(0, 0)
  })
  const clear = () => {
    field.value = ''
    search()
  }
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement
    if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault()
      field.focus()
    } else if (event.key === 'Escape' && event.target === field) clear()
  })
  // A link may lead to an entry that the search hides.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
    if (target === null || target.offsetParent !== null || field.value === '') return
    clear()
    target.scrollIntoView()
  }
  addEventListener('hashchange', reveal)
}

function showMatches(entries: readonly Searched[], query: string): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  let count = 0
  for (const { element, text } of entries) {
    const isMatch = words.every((word) => text.includes(word))
    element.hidden = !isMatch
    if (isMatch) count++
    const link = document.querySelector<HTMLElement>(`.contents a[href="#${CSS.escape(encodeURI(element.id))}"]`)
    if (link !== null) link.hidden = !isMatch
  }
  for (const group of document.querySelectorAll<HTMLElement>('.group, .contents details')) {
    const isEmpty = group.querySelector(':scope > .panel:not([hidden]), :scope > a:not([hidden])') === null
    group.classList.toggle('unmatched', isEmpty)
  }
  return count
}

function resultText(count: number, query: string): string {
  if (count > 0) return `${count} ${count === 1 ? 'entry matches' : 'entries match'} “${query}”. Esc clears the search.`
  return `Nothing matches “${query}”. Search for part of a method name or a path, such as getBalance or total-supply, or for a word of its description. Esc clears the search.`
}
