/** A Markdown table; line breaks in cells become spaces. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

export function code(text: string): string {
  return `\`${text}\``
}

/** A page with a note that it is generated. */
export function page(title: string, from: string, ...parts: readonly string[]): string {
  const note = `<!-- Made by \`npm run docs\` from ${from}: change that instead. -->`
  return `${[`# ${title}`, note, ...parts].join('\n\n')}\n`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
