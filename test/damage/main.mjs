// `npm run test:damage -- --help` describes this program and its options.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seededRandom } from '../support/seeded-random.mjs'
import { damage } from './damage.mjs'
import { values } from './options.mjs'
import { outcomeOf, verification } from './outcome.mjs'
import { makeReference } from './reference.mjs'

const { directories, seed, blocks, verify: verifyEach } = values
const GOOD = new Set(['complete', 'degraded', 'refused'])
const parent = mkdtempSync(join(tmpdir(), 'tickertape-damage-'))
const counts = {}
const failures = []

try {
  const [datadir, older] = [join(parent, 'sound'), join(parent, 'older')]
  const reference = await makeReference({ datadir, older, blocks }, seededRandom(seed))
  process.stderr.write(`seed ${seed}: ${reference.requests.length} requests to each node\n`)
  for (let number = 1; number <= directories; number++) await damaged(number, { datadir, older, reference })
} finally {
  rmSync(parent, { recursive: true, force: true })
}
finish()

async function damaged(number, { datadir, older, reference }) {
  const random = seededRandom(seed * 1_000_003 + number)
  const copy = join(parent, `${number}`)
  cpSync(datadir, copy, { recursive: true })
  const done = damage(join(copy, 'main'), older, random)
  const checked = join(parent, `${number}.verify`)
  cpSync(copy, checked, { recursive: true })
  const outcome = await outcomeOf(copy, reference, { isCheckedLater: number % 2 === 0 })
  if (outcome.kind !== 'refused' || number % verifyEach === 0) await alsoVerified(checked, outcome)
  count(outcome.kind)
  if (outcome.found !== undefined) count(`found at ${outcome.found}`)
  if (outcome.damagedReads > 0) count('found at read')
  if (!GOOD.has(outcome.kind)) failures.push(`${number}: ${done}: ${outcome.kind}: ${outcome.detail}`)
  process.stderr.write(`${number}/${directories} ${done}: ${outcome.kind} ${(outcome.detail ?? '').slice(0, 200)}\n`)
  rmSync(copy, { recursive: true })
  rmSync(checked, { recursive: true })
}

/** `verify` may find more than a node needs; it must not miss what a node found, nor end with a stack. */
async function alsoVerified(directory, outcome) {
  const { isSound, isClear, text } = await verification(directory)
  count(isSound ? 'sound for verify' : 'found by verify')
  const isMissed = isSound && outcome.kind !== 'complete'
  if (isClear && !isMissed) return
  failures.push(`verify: ${isMissed ? 'missed' : 'unclear'}: ${outcome.detail}: ${text.slice(0, 500)}`)
}

function count(what) {
  counts[what] = (counts[what] ?? 0) + 1
}

function finish() {
  for (const failure of failures.slice(0, 20)) process.stderr.write(`${failure}\n`)
  const figures = Object.entries(counts).map(([what, times]) => `${what} ${times}`)
  process.stdout.write(`directories ${directories}, seed ${seed}: ${figures.join(', ')}; failures ${failures.length}\n`)
  process.exitCode = failures.length > 0 ? 1 : 0
}
