// Joins the built modules into few files, `dist/bundle`. Loading 900 modules takes Node 700 ms of processor time up to
// the first answer of createNode, loading the bundle 350 ms. Threads and worker processes load the single modules.
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const ENTRIES = {
  main: 'cli/main.js',
  index: 'library/index.js',
  vitest: 'library/adapters/vitest.js',
  playwright: 'library/adapters/playwright.js',
  'node-test': 'library/adapters/node-test.js',
  prool: 'library/adapters/prool.js',
  viem: 'library/adapters/viem.js',
  ethers: 'library/adapters/ethers.js',
}

/** Keeps the URLs of files beside a module, such as WebAssembly modules and programs of threads. */
function keepUrls(bundle) {
  return {
    name: 'keep-urls',
    transform(code, id) {
      if (!code.includes('import.meta.url')) return null
      const path = relative(bundle, id).replaceAll('\\', '/')
      return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(path)}, import.meta.url).href`)
    },
  }
}

/** @param {string} dist the folder of the built modules */
export async function bundle(dist) {
  const dir = join(dist, 'bundle')
  const input = Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(dist, path)]))
  const build = await rolldown({
    input,
    platform: 'node',
    external: /^[^./]/,
    plugins: [keepUrls(dir)],
    logLevel: 'silent',
  })
  await build.write({ dir, format: 'esm', hashCharacters: 'hex' })
  await build.close()
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await bundle(join(dirname(import.meta.dirname), 'dist'))
}
