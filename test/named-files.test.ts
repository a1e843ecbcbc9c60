import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))
/** Written by the build, or by who runs the commands of an example. */
const UNTRACKED = /(^|\/)(node_modules|dist|dist-test|\.git)(\/|$)|^(examples|contracts)\/.*\b(out|artifacts|cache)\//
const NAMED_IN = new Set(['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'])
const EXTENSIONS = 'ts|tsx|mjs|js|cjs|json|jsonc|md|sol|html|css|yml|yaml|toml|wasm|service'

/** Files and folders of the repository, relative to its root; folders end with a slash. */
const places = placesIn('')

function placesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name + (entry.isDirectory() ? '/' : '')
    if (UNTRACKED.test(path)) return []
    return entry.isDirectory() ? [path, ...placesIn(path)] : [path]
  })
}

const documents = places.filter((path) => NAMED_IN.has(basename(path)))

/** Each alternative of `{a,b}`. */
function alternatives(text: string): readonly string[] {
  const [, before, inside, after] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(text) ?? []
  if (inside === undefined) return [text]
  return inside.split(',').flatMap((one) => alternatives(`${before}${one}${after}`))
}

/** The pattern of a path in which `<name>`, `…`, `*` and NAME stand for any text. */
function patternOf(path: string): string {
  return path
    .split(/<[^>]*>|…|\*+|\b[A-Z]{3,}\b(?!\.md)/)
    .map((part) => part.replace(/[.+?^$()[\]{}|\\]/g, '\\$&'))
    .join('[^/]*')
}

/**
 * Whether a path stands for a file or folder: relative to the document, to a folder above it, or within the folder of
 * the document. Documents of the root may name a file by the end of its path, after its folder.
 */
function isThere(path: string, document: string): boolean {
  const folder = dirname(document)
  const above = folder.split('/').map((_, depth, parts) => parts.slice(0, depth + 1).join('/'))
  const isWithin = document.includes('/') && !path.includes('/') ? `${folder}/(?:.*/)?` : '(?:.*/)?'
  const pattern = new RegExp(`^(?:${isWithin}|${['', 'src', 'src/rpc', ...above].join('/|')}/)?${patternOf(path)}/?$`)
  return places.some((place) => pattern.test(place))
}

function pathsIn(text: string): readonly string[] {
  const isPath = new RegExp(`^[\\w.@<>{},…*/-]+(?:\\.(?:${EXTENSIONS})|/)$`)
  return [...text.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)]
    .map(([, code = '']) => code)
    .filter((code) => isPath.test(code) && !code.startsWith('/') && !code.startsWith('.'))
}

function linksIn(text: string): readonly string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^(\w+:|#)/.test(target))
}

describe.each(documents)('%s', (document) => {
  const text = readFileSync(join(root, document), 'utf8').replaceAll(/```.*?```/gs, '')

  test('names files that exist', () => {
    const missing = pathsIn(text).filter((path) => !alternatives(path).every((one) => isThere(one, document)))
    expect([...new Set(missing)]).toEqual([])
  })

  test('links to files that exist', () => {
    const targets = linksIn(text).map((target) => target.replace(/#.*/, ''))
    const missing = targets.filter((target) => !existsSync(join(root, posix.join(dirname(document), target))))
    expect([...new Set(missing)]).toEqual([])
  })
})
