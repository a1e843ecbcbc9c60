/** An argument for a POSIX shell: nothing inside is expanded. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/**
 * A command with its arguments, quoted where a shell would change them.
 *
 * @example commandLine(['mint', '10', 'A B']) // "mint 10 'A B'"
 */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word))).join(' ')
}
