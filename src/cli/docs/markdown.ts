/** A table whose cells are one line each. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

export function code(text: string): string {
  return `\`${text}\``
}

/** Says at the top of a page that it is made from definitions. */
export function page(title: string, from: string, ...parts: readonly string[]): string {
  const note = `<!-- Made by \`npm run docs\` from ${from}: change that instead. -->`
  return `${[`# ${title}`, note, ...parts].join('\n\n')}\n`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
