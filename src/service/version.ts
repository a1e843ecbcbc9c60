import { readFileSync } from 'node:fs'

/** Version of the package that contains this file, in source or built form. */
export const VERSION = versionOf(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')))

function versionOf(manifest: { readonly version: string }): string {
  return manifest.version
}
