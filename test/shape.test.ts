import { readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

// The limits of CONTRIBUTING.md. Lint limits the lines of a function (biome.json); exceptions are the instruction
// dispatch of the EVM and unrolled hash rounds, where a call per instruction or round would cost speed, and tests.
const MAX_FILE_LINES = 400
const MAX_LINE_LENGTH = 120
const MAX_FOLDER_FILES = 20
/** A larger folder needs a README. */
const MAX_FILES_WITHOUT_README = 10

const root = fileURLToPath(new URL('../', import.meta.url))
const FOLDERS = ['src', 'test', 'bench', 'demo', 'scripts', 'contracts']
const SOURCE = new Set(['.ts', '.tsx', '.mjs', '.sol'])

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && SOURCE.has(extname(entry.name)) && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name))),
)
const isTest = (file: string) => file.endsWith('.test.ts')
const linesOf = (file: string) => readFileSync(join(root, file), 'utf8').split('\n')

/** Number of source files by folder, without tests. */
const byFolder = new Map<string, string[]>()
for (const file of files.filter((one) => !isTest(one))) {
  byFolder.set(dirname(file), [...(byFolder.get(dirname(file)) ?? []), file])
}

describe('the shape of the code', () => {
  test(`no file has more than ${MAX_FILE_LINES} lines`, () => {
    const long = files.filter((file) => linesOf(file).length - 1 > MAX_FILE_LINES)
    expect(long).toEqual([])
  })

  test(`no comment line is longer than ${MAX_LINE_LENGTH} characters`, () => {
    // The formatter breaks lines of code.
    const isComment = (line: string) => /^\s*(?:\/\*\*|\*|\/\/)/.test(line)
    const long = files.flatMap((file) =>
      linesOf(file).flatMap((line, index) =>
        line.length > MAX_LINE_LENGTH && isComment(line) ? [`${file}:${index + 1}`] : [],
      ),
    )
    expect(long).toEqual([])
  })

  test('no file has a conflict marker of a merge', () => {
    // Compilers do not report one inside a comment.
    const marked = files.filter((file) => linesOf(file).some((line) => /^(?:<{7}|>{7}) /.test(line)))
    expect(marked).toEqual([])
  })

  test(`no folder below src has more than ${MAX_FOLDER_FILES} source files`, () => {
    const large = [...byFolder].filter(([folder, { length }]) => folder.startsWith('src') && length > MAX_FOLDER_FILES)
    expect(large.map(([folder, { length }]) => `${folder}: ${length}`)).toEqual([])
  })

  test(`every folder below src with more than ${MAX_FILES_WITHOUT_README} source files has a README`, () => {
    const missing = [...byFolder].filter(
      ([folder, { length }]) =>
        folder.startsWith('src') &&
        length > MAX_FILES_WITHOUT_README &&
        !readdirSync(join(root, folder)).includes('README.md'),
    )
    expect(missing.map(([folder]) => folder)).toEqual([])
  })

  test('no name is exported by two files of src', () => {
    const EXPORT = /^export (?:async )?(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm
    const places = new Map<string, Set<string>>()
    for (const file of files.filter((one) => one.startsWith('src') && !isTest(one) && !one.includes('assembly'))) {
      for (const [, name] of readFileSync(join(root, file), 'utf8').matchAll(EXPORT)) {
        places.set(name!, (places.get(name!) ?? new Set()).add(file))
      }
    }
    const twice = [...places].filter(([, { size }]) => size > 1)
    expect(twice.map(([name, where]) => `${name}: ${[...where].join(', ')}`)).toEqual([])
  })

  test('comments cite only what a reader can open', () => {
    const PRIVATE = /spec-facts|design (?:section|claim)|\bissue \d/i
    const citing = files.filter((file) => file !== 'test/shape.test.ts' && PRIVATE.test(linesOf(file).join('\n')))
    expect(citing).toEqual([])
  })
})
