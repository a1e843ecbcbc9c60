// `npm run lock`: adds the packages of other platforms that npm left out of package-lock.json.
//
// npm records only the optional packages that it finds in its registry, and a registry mirror may hold those of one
// platform
// alone. `npm ci` of npm 11 rejects such a lock file. The entries added here carry no integrity: npm fetches them
// only on the
// platform that they name.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const OPERATING_SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
/** Spellings in package names, with the value of `process.arch`. */
const PROCESSORS = {
  'arm-eabi': 'arm',
  'arm-gnueabihf': 'arm',
  arm: 'arm',
  arm64: 'arm64',
  ia32: 'ia32',
  loong64: 'loong64',
  mips64el: 'mips64el',
  ppc64: 'ppc64',
  riscv64: 'riscv64',
  s390x: 's390x',
  wasm32: 'wasm32',
  x64: 'x64',
}

/**
 * `os`, `cpu` and `libc` of a package named like `@biomejs/cli-linux-x64-musl`; `undefined`: the name has no
 * platform.
 */
export function platformOf(name) {
  const words = name.split('/').at(-1).split('-')
  const os = words.find((word) => OPERATING_SYSTEMS.includes(word))
  const cpu = words.map((word) => PROCESSORS[word]).find((processor) => processor !== undefined)
  if (cpu === 'wasm32') return { cpu: ['wasm32'] }
  if (os === undefined) return undefined
  const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : undefined
  return { os: [os], ...(cpu && { cpu: [cpu] }), ...(libc && { libc }) }
}

/** Adds the missing entries to a parsed lock file (version 3); returns their paths. */
export function completeLock(lock) {
  const added = []
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      const platform = platformOf(name)
      const isExact = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(range)
      const place = `node_modules/${name}`
      if (platform === undefined || !isExact || lock.packages[place] !== undefined) continue
      if (lock.packages[`${path}/node_modules/${name}`] !== undefined) continue
      lock.packages[place] = { version: range, ...platform, ...(entry.dev && { dev: true }), optional: true }
      added.push(place)
    }
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
  return added
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = new URL('../package-lock.json', import.meta.url)
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const added = completeLock(lock)
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(added.length === 0 ? 'package-lock.json is complete' : `added to package-lock.json:\n${added.join('\n')}`)
}
