// Joins the sources into the programs of the package, `dist/bundle`, with the chunks that they share. Loading 900
// modules takes Node 700 ms of processor time up to the first answer of createNode, loading the bundle 350 ms.
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = dirname(import.meta.dirname)
const source = join(root, 'src')

/** Entries of the package, with declarations. */
export const LIBRARY = {
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
  'compile-program': 'sources/compiler/compile-program',
  'find-program': 'sources/build-info/find-program',
}

/**
 * Two chunks for small modules that many programs or commands need. Otherwise each set of programs that shares modules
 * gets a chunk of its own.
 */
const SMALL_MODULES = { minShareCount: 2, maxModuleSize: 8_192 }
const SHARED_CHUNKS = [
  { name: 'primitives', test: /src\/primitives\/(?:(?:abi|text)\/)?[^/]+\.ts$/, ...SMALL_MODULES },
  { name: 'stock-terms', test: /src\/cli\/stock\/(?:terms|report)\/[^/]+\.ts$/, ...SMALL_MODULES },
]

export const isExternal = (id) => /^[^./]/.test(id)

/** The files of entries in a folder of modules. */
export function inputs(folder, entries, extension) {
  return Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(folder, `${path}${extension}`)]))
}

/** Keeps the URLs of files beside a module, such as WebAssembly modules. Those of programs become URLs of entries. */
function keepUrls(dist, bundle) {
  const entries = new Set(Object.values(inputs(source, PROGRAMS, '.js')))
  return {
    name: 'keep-urls',
    transform(code, id) {
      if (!code.includes('import.meta.url')) return null
      const path = relative(bundle, join(dist, relative(source, id))).replaceAll('\\', '/')
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

/** @param {string} dist the folder that has the WebAssembly modules at their paths */
export async function bundlePrograms(dist) {
  const dir = join(dist, 'bundle')
  const build = await rolldown({
    input: inputs(source, { ...LIBRARY, ...PROGRAMS }, '.ts'),
    platform: 'node',
    tsconfig: join(root, 'tsconfig.json'),
    external: isExternal,
    plugins: [keepUrls(dist, dir)],
    logLevel: 'silent',
  })
  await build.write({ dir, format: 'esm', hashCharacters: 'hex', codeSplitting: { groups: SHARED_CHUNKS } })
  await build.close()
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await bundlePrograms(join(root, 'dist'))
}
