// Builds the studio, `src/studio`, into static files below `dist/studio`: its script, those that it loads on demand,
// one style sheet, the page and its icon, each also compressed, so that the node compresses nothing. The script and
// the style of the page at `/docs` are built beside them: that page contains both.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '..')
const source = join(root, 'src/studio')
const target = join(root, 'dist/studio')

/** The style sheets in the order of their rules; that of uPlot first, so that ours apply. */
const STYLES = ['base.css', 'shell.css', 'parts.css', 'forms.css', 'live.css', 'debugger.css']

/** Scripts that the page loads on demand, by the name of the module that it imports. */
const LOADED_ON_DEMAND = { 'debugger-view': 'debugger.js' }

/**
 * @param onDemand names of the scripts for modules that the entry imports on demand
 * @returns scripts by name, that of the entry as `app.js`
 */
async function scripts(entry, onDemand = {}) {
  const build = await rolldown({
    input: join(source, entry),
    platform: 'browser',
    tsconfig: join(source, 'tsconfig.json'),
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' }, target: 'es2022' },
    logLevel: 'silent',
  })
  const { output } = await build.generate({
    format: 'esm',
    minify: true,
    entryFileNames: 'app.js',
    chunkFileNames: ({ name }) => onDemand[name] ?? `${name}.js`,
  })
  await build.close()
  const names = output.map(({ fileName }) => fileName)
  const expected = ['app.js', ...Object.values(onDemand)]
  if (names.sort().join() !== expected.sort().join()) throw new Error(`${entry} became the scripts ${names.join(', ')}`)
  // rolldown leaves the import of a package that is not installed to the browser, which cannot resolve it.
  const missing = output.flatMap(({ imports }) => imports).filter((name) => !expected.includes(name))
  if (missing.length > 0) throw new Error(`${entry} needs ${missing.join(', ')}: add it to scripts/prepare.mjs`)
  return new Map(output.map(({ fileName, code }) => [fileName, code]))
}

function styles() {
  const all = readdirSync(join(source, 'style')).sort()
  if (all.join() !== [...STYLES].sort().join()) throw new Error('scripts/build-studio.mjs lists the style sheets')
  const files = [
    join(root, 'node_modules/uplot/dist/uPlot.min.css'),
    ...STYLES.map((name) => join(source, 'style', name)),
  ]
  return files.map((file) => readFileSync(file, 'utf8')).join('\n')
}

/** The style of the page at `/docs`: it shares colours, type scale, header and parts with the studio. */
function referenceStyle() {
  const files = [
    ...['base.css', 'shell.css', 'parts.css'].map((name) => join('style', name)),
    'reference/reference.css',
  ]
  const text = files.map((file) => readFileSync(join(source, file), 'utf8')).join('\n')
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/\s+/g, ' ')
}

function write(name, content) {
  const bytes = Buffer.from(content)
  writeFileSync(join(target, name), bytes)
  writeFileSync(join(target, `${name}.gz`), gzipSync(bytes, { level: 9 }))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(join(target, `${name}.br`), brotliCompressSync(bytes, { params }))
}

export async function buildStudio() {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  for (const [name, code] of await scripts('main.tsx', LOADED_ON_DEMAND)) write(name, code)
  write('style.css', styles())
  writeFileSync(join(target, 'reference.js'), (await scripts('reference/main.ts')).get('app.js').trim())
  writeFileSync(join(target, 'reference.css'), referenceStyle())
  for (const name of ['index.html', 'icon.svg']) write(name, readFileSync(join(source, name)))
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await buildStudio()
