import { readFile } from 'node:fs/promises'

/** The script and the style of the page. */
export interface PageFiles {
  readonly style: string
  readonly script: string
}

/** Reads what the build writes; without a build, as when the node runs from its sources, the page is plain text. */
export async function readPageFiles(directory: URL): Promise<PageFiles> {
  const read = (name: string) =>
    readFile(new URL(name, directory), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
  const [style, script] = await Promise.all([read('reference.css'), read('reference.js')])
  return { style, script }
}
