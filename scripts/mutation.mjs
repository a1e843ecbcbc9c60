// `npm run mutation -- PATH ... [--tests PATH ...]` changes source files below the paths in small ways, one at a time,
// and runs the tests of the same folder, and those of `--tests`, for each change: a change that no test notices is a
// survivor. docs/testing.md lists the results.
// Files whose source and tests are as in the last run are not run again (`--fresh` runs them).
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './prepare.mjs'
import { mutantsOf } from './support/mutants.mjs'

const CACHE = join(root, 'node_modules/.mutation/results.json')
/** Mutants that behave like the original, or that only change a text or a speed: `FILE: ORIGINAL => MUTANT`. */
const EQUIVALENTS = join(root, 'test/mutation-equivalents.json')
/** Milliseconds after which the tests of an unchanged file have failed. */
const LIMIT_MS = 60_000
/** A mutant counts as killed when it takes this many times as long as the unchanged file in a new process: it loops. */
const LOOP_FACTOR = 3
const MIN_LOOP_MS = 10_000

// The same random cases for every mutant.
process.env.TEST_SEED ??= '1'

/** In the child process: runs the tests of a folder with a mutant in place of a file. */
async function serveRuns() {
  const { createVitest } = await import('vitest/node')
  let current
  const plugin = {
    name: 'mutation',
    enforce: 'pre',
    transform: (_, id) => (id.split('?')[0] === current?.file ? current.source : undefined),
  }
  const vitest = await createVitest(
    'test',
    {
      root,
      config: false,
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      setupFiles: ['test/support/fast-check-seed.ts'],
      testTimeout: LIMIT_MS / 2,
      isolate: false,
      watch: true,
      bail: 1,
      maxWorkers: 1,
      reporters: [{}],
    },
    { plugins: [plugin] },
  )
  process.on('message', async ({ file, source, tests }) => {
    const changed = new Set([current?.file ?? file, file])
    current = { file, source }
    for (const path of changed) vitest.invalidateFile(path)
    const specifications = (await vitest.globTestSpecifications(tests)).filter(({ moduleId }) =>
      tests.includes(moduleId),
    )
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
    const isGood = unhandledErrors.length === 0 && testModules.length > 0 && testModules.every((module) => module.ok())
    process.send({ isGood })
  })
  process.send({ isReady: true })
}

/** Runs tests in a warm child process, which is replaced when a mutant loops. */
class Runner {
  #child

  async run(request, limitMs) {
    this.#child ??= await this.#start()
    const child = this.#child
    child.send(request)
    return new Promise((resolve) => {
      const end = (outcome) => {
        clearTimeout(timer)
        child.removeAllListeners()
        resolve(outcome)
      }
      const timer = setTimeout(() => {
        this.stop()
        end('killed')
      }, limitMs)
      child.once('message', ({ isGood }) => end(isGood ? 'survived' : 'killed'))
      child.once('exit', () => {
        this.#child = undefined
        end('killed')
      })
    })
  }

  async #start() {
    const child = fork(fileURLToPath(import.meta.url), ['--serve'], { detached: true, stdio: 'ignore' })
    await new Promise((resolve) => child.once('message', resolve))
    return child
  }

  stop() {
    const { pid } = this.#child ?? {}
    this.#child = undefined
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  }
}

async function main(args) {
  const named = args.filter((argument) => argument !== '--fresh')
  const end = named.includes('--tests') ? named.indexOf('--tests') : named.length
  const paths = named.slice(0, end)
  const furtherTests = named.slice(end + 1).flatMap((path) => testsBelow(path))
  if (paths.length === 0) throw new Error('usage: npm run mutation -- PATH ... [--fresh] [--tests PATH ...]')
  const sources = paths.flatMap(filesBelow)
  const cache = existsSync(CACHE) && !args.includes('--fresh') ? JSON.parse(readFileSync(CACHE, 'utf8')) : {}
  const equivalents = new Set(JSON.parse(readFileSync(EQUIVALENTS, 'utf8')))
  const runner = new Runner()
  process.once('exit', () => runner.stop())
  // A signal ends the process without the event.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
  let [killed, all] = [0, 0]
  for (const path of sources.filter((path) => !/\.test\.ts$|\.d\.ts$/.test(path)).sort()) {
    const file = join(root, relative(root, path))
    const source = readFileSync(file, 'utf8')
    const tests = [...new Set([...testsOf(file), ...furtherTests])].sort()
    const hash = createHash('sha256').update(source)
    for (const test of tests) hash.update(test).update(readFileSync(test))
    const key = hash.digest('hex')
    const mutants = mutantsOf(source).map((mutant) => ({ ...mutant, name: nameOf(path, source, mutant) }))
    const wanted = mutants.filter(({ name }) => !equivalents.has(name))
    if (cache[path]?.key !== key)
      cache[path] = { key, survivors: await survivorsOf(wanted, { file, source, tests }, runner) }
    const survivors = cache[path].survivors.filter((name) => !equivalents.has(name))
    mkdirSync(dirname(CACHE), { recursive: true })
    writeFileSync(CACHE, JSON.stringify(cache))
    killed += wanted.length - survivors.length
    all += wanted.length
    console.log(`${path}: ${wanted.length - survivors.length} of ${wanted.length} killed`)
    for (const name of survivors) console.log(`  survives: ${name}`)
  }
  console.log(`${killed} of ${all} mutants killed, ${((100 * killed) / Math.max(all, 1)).toFixed(1)} %`)
  runner.stop()
}

function filesBelow(path) {
  if (statSync(path).isFile()) return [path]
  const files = readdirSync(path, { recursive: true }).filter((file) => file.endsWith('.ts'))
  return files.map((file) => join(path, file))
}

const testsBelow = (path) =>
  filesBelow(path).flatMap((file) => (file.endsWith('.test.ts') ? [join(root, relative(root, file))] : []))

/** Tests of the folder, and those of its layer that import the file. */
function testsOf(file) {
  const layer = relative(root, file).split('/').slice(0, 2).join('/')
  const imports = (test) =>
    [...readFileSync(test, 'utf8').matchAll(/from '(\.[^']+)'/g)].some(([, path]) => join(dirname(test), path) === file)
  return filesBelow(join(root, layer)).filter((path) => {
    if (!path.endsWith('.test.ts') || path.includes('.long.')) return false
    return dirname(path) === dirname(file) || imports(path)
  })
}

function nameOf(path, source, { start, end, text }) {
  const line = source.slice(source.lastIndexOf('\n', start) + 1, source.indexOf('\n', start)).trim()
  return `${path}: ${line} | ${source.slice(start, Math.min(end, start + 40)).split('\n')[0]} => ${text.slice(0, 40)}`
}

async function survivorsOf(mutants, { file, source, tests }, runner) {
  if (mutants.length === 0) return []
  // A new process: the last mutants of another file may have left it in any state.
  runner.stop()
  const begun = performance.now()
  if ((await runner.run({ file, source, tests }, LIMIT_MS)) !== 'survived')
    throw new Error(`the tests of ${file} fail as they are`)
  const limitMs = Math.max(MIN_LOOP_MS, LOOP_FACTOR * (performance.now() - begun))
  const survivors = []
  for (const { start, end, text, name } of mutants) {
    const mutated = source.slice(0, start) + text + source.slice(end)
    if ((await runner.run({ file, source: mutated, tests }, limitMs)) === 'survived') survivors.push(name)
  }
  return survivors
}

await (process.argv[2] === '--serve' ? serveRuns() : main(process.argv.slice(2)))
