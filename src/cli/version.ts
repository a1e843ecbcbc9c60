import { readFileSync } from 'node:fs'

/** Of the package that this file is part of, in source and built form alike. */
export const VERSION = versionOf(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')))

function versionOf(manifest: { readonly version: string }): string {
  return manifest.version
}
