// Installs missing packages and builds stale outputs. Does nothing if everything is up to date, so every script calls
// it first. Plain JavaScript without dependencies, because it runs before any is installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SHARED_CONSTANTS, WASM_MODULES } from './build-wasm.mjs'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Packages for development without which nothing can be built. `npm start` installs no other: 100 instead of 350. */
const BUILD_PACKAGES = ['assemblyscript', 'preact', 'rolldown', 'uplot', 'viem']
/** Ends the stamp of an installation without the other packages for development. */
const ONLY_BUILD = ' only-build'

const INSTALL_STAMP = join(root, 'node_modules', '.installed-from')
const WASM_STAMP = join(root, 'node_modules', '.wasm-built-from')
const PROGRAMS_STAMP = join(root, 'dist', '.programs-built-from')
const MODULES_STAMP = join(root, 'dist', '.modules-built-from')
/** Tools that commands run and the package lacks: pages of `docs/`, oracle EVM, conformance suites, fuzzer. */
const TEST_BUILD = join(root, 'dist-test')
const TEST_BUILD_STAMP = join(TEST_BUILD, '.built-from')

function digest(parts) {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest('hex')
}

function stampOf(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

function writeStamp(path, stamp) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, stamp)
}

/** Runs a command with its output on standard error: standard output is reserved for the program that follows. */
function run(command, args, doing) {
  process.stderr.write(`${doing} ...\n`)
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (error !== undefined) throw error
  if (status !== 0) {
    process.stderr.write(`${doing} failed: \`${command} ${args.join(' ')}\` exited with ${status}\n`)
    process.exit(status ?? 1)
  }
}

/** Digest of everything that determines the installed packages. */
function installDigest() {
  return digest([readFileSync(join(root, 'package-lock.json')), process.version])
}

function sources(folder = 'src') {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter(({ name }) => /\.(?:tsx?|json|css|html|svg)$/.test(name) && !name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function isAssembly(path) {
  return path.includes(`${sep}assembly${sep}`)
}

/** Changes whenever a file changes. Uses sizes and times only, because every script computes it. */
function stampFor(paths, installed) {
  const files = paths.map((path) => {
    const { mtimeMs, size } = statSync(path)
    return `${relative(root, path)} ${mtimeMs} ${size}`
  })
  return digest([installed, ...files])
}

/** Compiles the WebAssembly modules into `src`, where tests load them, if their sources changed. */
export function prepareWasm({ rebuild = false } = {}) {
  const shared = SHARED_CONSTANTS.map((path) => join(root, path))
  const inputs = [...sources().filter(isAssembly), ...shared, join(root, 'scripts/build-wasm.mjs')]
  const stamp = stampFor(inputs, installDigest())
  const areThere = WASM_MODULES.every(({ output }) => existsSync(join(root, output)))
  if (!rebuild && areThere && stampOf(WASM_STAMP) === stamp) return
  run(process.execPath, [join(root, 'scripts/build-wasm.mjs')], 'Compiling WebAssembly')
  writeStamp(WASM_STAMP, stamp)
}

/**
 * Installs the locked packages if the lock file or Node changed, or some are missing.
 *
 * @param {{ onlyBuild?: boolean }} options `onlyBuild`: a checkout without packages gets those that building and
 *   running need
 * @returns the digest of the installation
 */
function install({ onlyBuild = false } = {}) {
  const wanted = installDigest()
  const stamp = stampOf(INSTALL_STAMP)
  if (stamp === wanted || (onlyBuild && stamp === wanted + ONLY_BUILD)) return wanted
  const hasAll = stamp === undefined && isInstalledByHand()
  const isPart = !hasAll && onlyBuild && (stamp === undefined || stamp.endsWith(ONLY_BUILD))
  // npm warns that the packages are no longer those of development; nothing is saved.
  const part = ['install', '--no-save', '--save-prod', '--omit=dev', '--loglevel=error', ...buildPackages()]
  const command = isPart ? part : ['ci']
  if (!hasAll) run('npm', [...command, '--no-audit', '--no-fund'], 'Installing dependencies')
  writeStamp(INSTALL_STAMP, isPart ? wanted + ONLY_BUILD : wanted)
  return wanted
}

function buildPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return BUILD_PACKAGES.map((name) => `${name}@${packages[`node_modules/${name}`].version}`)
}

/** Whether the user has run `npm ci`: npm lists what it has installed, without packages for other platforms. */
function isInstalledByHand() {
  const list = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(list)) return false
  const packagesOf = (path) => JSON.parse(readFileSync(path, 'utf8')).packages
  const installed = packagesOf(list)
  return Object.entries(packagesOf(join(root, 'package-lock.json'))).every(([path, { version, optional }]) => {
    if (path === '' || (optional && installed[path] === undefined)) return true
    return installed[path]?.version === version
  })
}

/** Prepares what `npm start` runs: the programs and the studio. */
export function prepareStart() {
  buildPrograms(install({ onlyBuild: true }))
}

/**
 * Prepares what tests, benchmarks and `npm pack` use as well: single modules and declarations.
 *
 * @param {{ rebuild?: boolean }} options
 */
export function prepare({ rebuild = false } = {}) {
  const stamp = buildPrograms(install(), { rebuild })
  if (stampOf(MODULES_STAMP) === stamp) return
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], 'Building')
  run(process.execPath, [join(root, 'scripts/bundle-declarations.mjs')], 'Bundling declarations')
  chmodSync(join(root, 'dist/cli/main.js'), 0o755)
  writeStamp(MODULES_STAMP, stamp)
}

/** @returns the stamp of the built sources */
function buildPrograms(installed, { rebuild = false } = {}) {
  prepareWasm({ rebuild })
  const scripts = ['build-wasm', 'bundle', 'bundle-declarations', 'build-studio'].map((name) => `scripts/${name}.mjs`)
  const settings = ['tsconfig.build.json', 'tsconfig.json', ...scripts]
  const stamp = stampFor([...sources(), ...settings.map((name) => join(root, name))], installed)
  if (!rebuild && stampOf(PROGRAMS_STAMP) === stamp) return stamp
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  for (const { output } of WASM_MODULES) {
    const built = join(root, output.replace(/^src/, 'dist'))
    mkdirSync(dirname(built), { recursive: true })
    copyFileSync(join(root, output), built)
  }
  run(process.execPath, [join(root, 'scripts/bundle.mjs')], 'Bundling')
  run(process.execPath, [join(root, 'scripts/build-studio.mjs')], 'Building the studio')
  // npx sets the executable bit only when it links the package for the first time.
  chmodSync(join(root, 'dist/bundle/main.js'), 0o755)
  writeStamp(PROGRAMS_STAMP, stamp)
  return stamp
}

/** Compiles what commands run beside the package, and the sources it imports, into `dist-test`. */
export function prepareTestBuild() {
  const installed = install()
  prepareWasm()
  const settings = ['tsconfig.test-build.json', 'tsconfig.json', 'scripts/build-wasm.mjs']
  const inputs = [...sources(), ...sources('test'), ...sources('scripts'), ...settings.map((name) => join(root, name))]
  const stamp = stampFor(inputs, installed)
  if (stampOf(TEST_BUILD_STAMP) === stamp) return
  rmSync(TEST_BUILD, { recursive: true, force: true })
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', settings[0]], 'Building the test tools')
  const copied = [...WASM_MODULES.map(({ output }) => output), 'test/support/seeded-random.mjs']
  // `service/version.ts` reads the version in `package.json`.
  for (const file of [...copied, 'package.json']) copyFileSync(join(root, file), join(TEST_BUILD, file))
  writeStamp(TEST_BUILD_STAMP, stamp)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) prepare({ rebuild: process.argv.includes('--rebuild') })
