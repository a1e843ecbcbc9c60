import { pathToFileURL } from 'node:url'
import type { Content } from '../../src/rest/http/representation.ts'
import { type ReferenceOptions, readReferencePage } from '../../src/server/reference/reference-page.ts'

/** Where the build writes the script and the style of the page. */
const BUILT_STUDIO = pathToFileURL(`${import.meta.dirname}/../../dist/studio/`)

/** The page at `/docs` with its script and style as they are built. */
export function builtReference(methods?: ReferenceOptions['methods']): Promise<Content> {
  return readReferencePage({ directory: BUILT_STUDIO, hasStudio: false, ...(methods && { methods }) })
}

/** The text of an HTML part. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

/** The examples of the page by the id of their entry, then by their label. */
export function examplesIn(page: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const entries = page.matchAll(/<section class="panel" id="([^"]+)"[^>]*>([\s\S]*?)<\/section>/g)
  return new Map(
    Array.from(entries, ([, id, html]) => {
      const figures = html!.matchAll(/<figcaption>([^<]*)<\/figcaption><pre>([\s\S]*?)<\/pre>/g)
      return [textOf(id!), new Map(Array.from(figures, ([, label, text]) => [label!, textOf(text!)]))]
    }),
  )
}

const AsyncFunction = (async () => undefined).constructor as new (
  ...texts: string[]
) => (...values: unknown[]) => Promise<unknown>

/** Code of the page as a function of the names that it uses. */
export function asyncFunction(names: readonly string[], body: string) {
  return new AsyncFunction(...names, body)
}
