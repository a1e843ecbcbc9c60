/** Text with the characters of markup escaped. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** Text in which backticks mark `code`. */
export function prose(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

/** @param rows cells as HTML */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const lines = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
  return `<table>
<thead><tr>${head.map((cell) => `<th>${escaped(cell)}</th>`).join('')}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody>
</table>`
}

/** A named text to copy, such as a command. */
export function codeBlock(label: string, text: string): string {
  return `<figure><figcaption>${escaped(label)}</figcaption><pre>${escaped(text)}</pre></figure>`
}

/** A collapsed section. */
export function folded(label: string, html: string): string {
  return `<details><summary>${escaped(label)}</summary>${html}</details>`
}

/** A route or method of the page, rendered. */
export interface ReferenceEntry {
  /** Fragment of the page's address. */
  readonly id: string
  /** As in the list of entries. */
  readonly title: string
  readonly html: string
}

export interface EntryParts {
  readonly id: string
  readonly title: string
  /** Short facts beside the title; `true` marks a warning. */
  readonly badges: readonly (readonly [text: string, isWarning: boolean])[]
  /** What the script sends: the target of a GET, or the parameters of a method as JSON. */
  readonly request?: { readonly kind: 'rest' | 'rpc'; readonly text: string }
  readonly body: readonly string[]
}

/** Renders an entry; the attributes are for the script of the page. */
export function entry({ id, title, badges, request, body }: EntryParts): ReferenceEntry {
  const shown = badges.map(
    ([text, isWarning]) => ` <span class="badge${isWarning ? ' busy' : ''}">${escaped(text)}</span>`,
  )
  const data = request === undefined ? '' : ` data-${request.kind}="${escaped(request.text)}"`
  const html = `<section class="panel" id="${escaped(id)}"${data}>
<h3><a href="#${escaped(encodeURI(id))}">${escaped(title)}</a>${shown.join('')}</h3>
${body.filter((part) => part !== '').join('\n')}
</section>`
  return { id, title, html }
}
