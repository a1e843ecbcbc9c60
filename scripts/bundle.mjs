// Joins the built modules into the files of the package, `dist/bundle`: programs with the chunks that they share, and
// the declarations of the library. Loading 900 modules takes Node 700 ms of processor time up to the first answer of
// createNode, loading the bundle 350 ms.
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

/** Entries of the package, with declarations. */
const LIBRARY = {
  index: 'library/index',
  vitest: 'library/adapters/vitest',
  playwright: 'library/adapters/playwright',
  'node-test': 'library/adapters/node-test',
  prool: 'library/adapters/prool',
  viem: 'library/adapters/viem',
  ethers: 'library/adapters/ethers',
}
/** The command, and programs of worker threads and processes, which modules load by URL. */
const PROGRAMS = {
  main: 'cli/main',
  'rpc-worker': 'cli/rpc-worker',
  'address-index-thread': 'node/address-index/address-index-thread',
  'signature-thread': 'node/intake/signature-thread',
  'trie-thread': 'node/tries/trie-thread',
  'call-thread': 'rpc/threads/call-thread',
}

const isExternal = (id) => /^[^./]/.test(id)

function inputs(dist, entries, extension) {
  return Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(dist, `${path}${extension}`)]))
}

/** Keeps the URLs of files beside a module, such as WebAssembly modules. Those of programs become URLs of entries. */
function keepUrls(dist, bundle) {
  const entries = new Set(Object.values(inputs(dist, PROGRAMS, '.js')))
  return {
    name: 'keep-urls',
    transform(code, id) {
      if (!code.includes('import.meta.url')) return null
      const path = relative(bundle, id).replaceAll('\\', '/')
      return code
        .replaceAll(/new URL\('([^']+)\.js', import\.meta\.url\)/g, (_, name) => {
          const program = resolve(dirname(id), `${name}.js`)
          if (!entries.has(program)) throw new Error(`scripts/bundle.mjs must list the program ${program}`)
          return `new URL('./${basename(program)}', import.meta['url'])`
        })
        .replaceAll('import.meta.url', `new URL(${JSON.stringify(path)}, import.meta.url).href`)
        .replaceAll("import.meta['url']", 'import.meta.url')
    },
  }
}

export async function bundlePrograms(dist, dir = join(dist, 'bundle')) {
  const build = await rolldown({
    input: inputs(dist, { ...LIBRARY, ...PROGRAMS }, '.js'),
    platform: 'node',
    external: isExternal,
    plugins: [keepUrls(dist, dir)],
    logLevel: 'silent',
  })
  await build.write({ dir, format: 'esm', hashCharacters: 'hex' })
  await build.close()
}

/** One build for all entries: a class that two of them name must be declared once. */
async function bundleDeclarations(dist, dir) {
  const build = await rollup({
    input: inputs(dist, LIBRARY, '.d.ts'),
    external: isExternal,
    plugins: [dts({ tsconfig: false })],
    onwarn({ message }) {
      throw new Error(message)
    },
  })
  await build.write({
    dir,
    format: 'esm',
    hashCharacters: 'hex',
    entryFileNames: '[name].d.ts',
    chunkFileNames: ({ name }) => `${name.replace(/\.d$/, '')}-[hash].d.ts`,
  })
  await build.close()
}

/** @param {string} dist the folder of the built modules */
export async function bundle(dist) {
  const dir = join(dist, 'bundle')
  await bundlePrograms(dist, dir)
  await bundleDeclarations(dist, dir)
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await bundle(join(dirname(import.meta.dirname), 'dist'))
}
