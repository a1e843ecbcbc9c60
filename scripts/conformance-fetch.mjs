// `npm run conformance:fetch` fetches the public conformance suites at pinned commits with git into `.conformance/`.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const SOURCES = join(ROOT, 'scripts/support/conformance-sources.json')
/** File in a fetched suite with the sources it was fetched from, so that a second run fetches nothing. */
const STAMP = '.fetched-from.json'

const USAGE = `usage: npm run conformance:fetch -- [SUITE ...] [options]

Fetches public conformance suites with git into .conformance/, which git ignores. The tests read them there.
A suite that exists at the pinned commit is not fetched again.

  SUITE          execution-apis, state-tests, blockchain-tests, tracers; default: all
  --sources FILE repositories and commits; default: scripts/support/conformance-sources.json
  --into DIR     target folder instead of .conformance
  --help         this text

Exit code 0: every suite is there; 1: git failed, the message says where; 2: wrong usage.

Example:
  $ npm run conformance:fetch -- execution-apis
`

class FetchError extends Error {}

function git(directory, ...args) {
  const { status, error, stderr } = spawnSync('git', ['-C', directory, ...args], { encoding: 'utf8' })
  if (error !== undefined) throw new FetchError(`git failed to start: ${error.message}. Install git and try again.`)
  if (status !== 0) throw new FetchError(`git ${args.join(' ')} failed:\n${stderr.trim()}`)
}

/** Checks out one path of one commit. Other blobs are not downloaded if the server supports partial clones. */
function fetchPart({ repository, commit, from, to = '.' }, suite) {
  const checkout = mkdtempSync(join(dirname(suite), '.checkout-'))
  try {
    git(checkout, 'init', '--quiet')
    git(checkout, 'remote', 'add', 'origin', repository)
    git(checkout, 'sparse-checkout', 'set', '--no-cone', `/${from}`)
    git(checkout, 'fetch', '--quiet', '--depth', '1', '--filter=blob:none', 'origin', commit)
    git(checkout, 'checkout', '--quiet', 'FETCH_HEAD')
    const source = join(checkout, from)
    if (!existsSync(source)) throw new FetchError(`${repository} has no ${from} at ${commit}`)
    cpSync(source, join(suite, to), { recursive: true })
  } finally {
    rmSync(checkout, { recursive: true, force: true })
  }
}

/** Replaces a suite atomically, so that a failed fetch keeps the previous one. */
function fetchSuite({ suite, parts }, into) {
  const target = join(into, suite)
  const wanted = JSON.stringify(parts)
  const stamp = join(target, STAMP)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return 'is up to date'
  const fetched = mkdtempSync(join(into, '.fetching-'))
  try {
    for (const part of parts) fetchPart(part, fetched)
    writeFileSync(join(fetched, STAMP), wanted)
    rmSync(target, { recursive: true, force: true })
    renameSync(fetched, target)
  } finally {
    rmSync(fetched, { recursive: true, force: true })
  }
  return 'fetched'
}

function main(args) {
  const options = {
    sources: { type: 'string', default: SOURCES },
    into: { type: 'string', default: join(ROOT, '.conformance') },
    help: { type: 'boolean', short: 'h', default: false },
  }
  let parsed
  try {
    parsed = parseArgs({ args, allowPositionals: true, options })
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`)
    return 2
  }
  const { values, positionals } = parsed
  if (values.help) {
    process.stdout.write(USAGE)
    return 0
  }
  const sources = JSON.parse(readFileSync(values.sources, 'utf8'))
  const unknown = positionals.filter((name) => !sources.some(({ suite }) => suite === name))
  if (unknown.length > 0) {
    process.stderr.write(
      `unknown suite ${unknown.join(', ')}; known: ${sources.map(({ suite }) => suite).join(', ')}\n`,
    )
    return 2
  }
  const into = resolve(values.into)
  mkdirSync(into, { recursive: true })
  for (const source of sources) {
    if (positionals.length > 0 && !positionals.includes(source.suite)) continue
    process.stderr.write(`${source.suite} (${source.tests}) ...\n`)
    try {
      process.stdout.write(`${source.suite} ${fetchSuite(source, into)}\n`)
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      process.stderr.write(`${source.suite}: ${error.message}\n`)
      return 1
    }
  }
  return 0
}

process.exitCode = main(process.argv.slice(2))
