import buffer from 'node:buffer'
import crypto from 'node:crypto'
import events from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import stream from 'node:stream'
import { fileURLToPath } from 'node:url'
import util from 'node:util'
import { crc32 } from 'node:zlib'
import type { ProcessTime } from './simulated-globals.ts'

/** Functions of `node:crypto` that depend on chance or run on other threads. */
const CHANCE = /random|generate|webcrypto|subtle|Async|scrypt$|pbkdf2$|hkdf$/
const PURE_CRYPTO = Object.fromEntries(Object.entries(crypto).filter(([name]) => !CHANCE.test(name)))

/**
 * The modules of `HOST_MODULES` as a process sees them. A function that is missing here cannot be called in the
 * simulation.
 *
 * @param clients the modules that reach the simulated network
 * @param hasAddons whether pure native addons load, as on most platforms
 */
export function processModules(
  time: ProcessTime,
  clients: Readonly<Record<string, unknown>>,
  hasAddons: boolean,
): Readonly<Record<string, unknown>> {
  const setTimeout = (milliseconds: number, value?: unknown) =>
    new Promise((resolve) => time.after(Math.max(1, milliseconds), 'timer', () => resolve(value)))
  const setImmediate = (value?: unknown) =>
    new Promise((resolve) => time.after(time.random() * 0.05, 'immediate', () => resolve(value)))
  return {
    'node:buffer': buffer,
    'node:crypto': {
      ...PURE_CRYPTO,
      randomBytes: (size: number) => time.randomBytes(size),
      randomInt: (end: number) => Math.floor(time.random() * end),
      randomUUID: () => time.randomBytes(16).toString('hex'),
    },
    'node:events': events,
    // Files of the program, such as WebAssembly: the files of a node are in its data directory.
    // A directory of a node exists.
    'node:fs': { readFileSync: readAsset, statSync: () => ({ isDirectory: () => true }) },
    'node:fs/promises': {},
    'node:module': { createRequire: requireOfAssets(hasAddons) },
    'node:path': path,
    'node:stream': stream,
    'node:stream/promises': {},
    'node:timers/promises': { setTimeout, setImmediate },
    'node:util': util,
    'node:zlib': { crc32 },
    ...clients,
  }
}

/** Native addons whose functions have no state and no effects, so that all processes may share them. */
const PURE_ADDONS = ['secp256k1/bindings.js']

/** Finds files of packages, and loads pure addons: where one does not load, the sources use their WebAssembly. */
function requireOfAssets(hasAddons: boolean) {
  return (from: string) => {
    const require = createRequire(fileURLToPath(from))
    const load = (name: string): unknown => {
      if (hasAddons && PURE_ADDONS.includes(name)) return require(name)
      throw new Error(`native modules are not simulated: ${name}`)
    }
    return Object.assign(load, { resolve: require.resolve })
  }
}

/** Reads WebAssembly, beside a source or in a package. */
function readAsset(file: URL | string, encoding?: BufferEncoding): Buffer | string {
  const path = typeof file === 'string' ? file : fileURLToPath(file)
  if (path.endsWith('.wasm') || path.includes('/node_modules/')) return readFileSync(path, encoding)
  throw new Error(`${path} is no file of the program`)
}
