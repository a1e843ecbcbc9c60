import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { prepareStudio } from './prepare-studio.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const built = join(root, 'dist/studio')
const source = join(root, 'src/studio')

/** Bytes of the files that the page loads together, as they are transferred. */
const MAX_COMPRESSED_BYTES = 150 * 1024
/** Bytes of the debugger, which is loaded on demand. */
const MAX_DEBUGGER_BYTES = 100 * 1024

describe('the files of the studio', () => {
  prepareStudio()
  const names = readdirSync(built)

  test('are one page, its script, that of the debugger, style sheet and icon, each also compressed, and two parts of the reference', () => {
    const files = ['app.js', 'debugger.js', 'icon.svg', 'index.html', 'style.css']
    const compressed = files.flatMap((name) => [name, `${name}.br`, `${name}.gz`])
    // The node writes these into the page at `/docs`, which it compresses.
    expect(names.sort()).toEqual([...compressed, 'reference.css', 'reference.js'].sort())
  })

  test.each(['.br', '.gz'])('have at most 150 KB as %s, and the debugger at most 100 KB more', (suffix) => {
    const debuggerName = `debugger.js${suffix}`
    const atOnce = names.filter((name) => name.endsWith(suffix) && name !== debuggerName)
    const sizeOf = (name: string) => readFileSync(join(built, name)).length
    expect(atOnce).toHaveLength(4)
    expect(atOnce.reduce((sum, name) => sum + sizeOf(name), 0)).toBeLessThanOrEqual(MAX_COMPRESSED_BYTES)
    expect(sizeOf(debuggerName)).toBeLessThanOrEqual(MAX_DEBUGGER_BYTES)
  })

  test('have the debugger in a script of its own', () => {
    const script = (name: string) => readFileSync(join(built, name), 'utf8')
    expect(script('debugger.js')).toContain('stepColumnsTracer')
    expect(script('app.js')).not.toContain('stepColumnsTracer')
    expect(script('app.js')).toMatch(/import\(.\.\/debugger\.js.\)/)
  })

  test('load nothing from another host', () => {
    // XML namespaces, pages that error messages of libraries point to, and examples in our own texts. That no request
    // leaves the node is what the browser test and the content security policy show.
    const HARMLESS =
      /^https?:\/\/(?:www\.w3\.org|viem\.sh|abitype\.dev|docs\.soliditylang\.org|4byte\.sourcify\.dev|localhost|127\.0\.0\.1|$)/
    const addresses = ['app.js', 'debugger.js', 'style.css', 'index.html', 'icon.svg'].flatMap((name) =>
      [...readFileSync(join(built, name), 'utf8').matchAll(/(?:https?|wss?):\/\/[\w.-]*/g)].map(([address]) => address),
    )
    expect(addresses.filter((address) => !HARMLESS.test(address))).toEqual([])
    const page = readFileSync(join(built, 'index.html'), 'utf8')
    const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address)
    expect(loaded).toEqual(['studio/icon.svg', 'studio/style.css', 'studio/app.js'])
    expect(readFileSync(join(built, 'style.css'), 'utf8')).not.toMatch(/url\(|@import/)
  })
})

test('no view turns text into markup', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
  expect(files.length).toBeGreaterThan(40)
  const MARKUP = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|javascript:/
  const isSource = (name: string) => !name.endsWith('.test.ts')
  expect(files.filter((name) => isSource(name) && MARKUP.test(readFileSync(join(source, name), 'utf8')))).toEqual([])
})
