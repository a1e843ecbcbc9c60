// Damage to the files of a stopped data directory, chosen by a seeded generator.
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PAGE = 4096

/** How often each kind of damage is chosen. */
const KINDS = [
  [5, 'flip'],
  [4, 'zero'],
  [2, 'noise'],
  [2, 'truncate'],
  [2, 'swap'],
  [2, 'stale'],
  [1, 'remove'],
]

/**
 * Damages one file.
 *
 * @param {string} directory of one network
 * @param {string} older a copy of the same directory from earlier
 * @param {() => number} random
 * @returns {string} what was done, for the report
 */
export function damage(directory, older, random) {
  const below = (end) => Math.floor(random() * end)
  const kind = chosen(KINDS, random)
  const file = fileFor(directory, kind, random)
  const path = join(directory, file)
  if (kind === 'stale') {
    copyFileSync(join(older, file), path)
    return `older copy of ${file}`
  }
  if (kind === 'remove') {
    writeFileSync(path, '')
    return `empty ${file}`
  }
  const { size } = statSync(path)
  if (kind === 'truncate') {
    // Often only the end is missing.
    const length = random() < 0.5 ? below(size) : Math.max(0, size - 1 - below(2 * PAGE))
    truncateSync(path, length)
    return `${file} cut at byte ${length} of ${size}`
  }
  const bytes = readFileSync(path)
  const done = change(bytes, kind, below)
  writeFileSync(path, bytes)
  return `${file}: ${done}`
}

function change(bytes, kind, below) {
  const offset = below(bytes.length)
  if (kind === 'flip') {
    const bit = below(8)
    bytes[offset] ^= 1 << bit
    return `bit ${bit} of byte ${offset} flipped`
  }
  if (kind === 'swap') {
    const pages = Math.floor(bytes.length / PAGE)
    const [left, right] = [below(pages), below(pages)].map((page) => page * PAGE)
    const copy = Buffer.from(bytes.subarray(left, left + PAGE))
    bytes.copyWithin(left, right, right + PAGE)
    copy.copy(bytes, right)
    return `pages at bytes ${left} and ${right} swapped`
  }
  const length = Math.min(bytes.length - offset, [64, 512, PAGE, 4 * PAGE][below(4)])
  for (let at = offset; at < offset + length; at++) bytes[at] = kind === 'zero' ? 0 : below(256)
  return `${length} bytes at ${offset} ${kind === 'zero' ? 'zeroed' : 'overwritten with noise'}`
}

/** Mostly the database; a file that also the older copy has, where its content is taken from there. */
function fileFor(directory, kind, random) {
  const records = readdirSync(join(directory, 'records')).map((name) => join('records', name))
  const files = [[8, 'data.mdb'], [2, 'pages.sum'], ...records.map((name) => [2 / records.length, name])].filter(
    ([, name]) => existsSync(join(directory, name)) && statSync(join(directory, name)).size > 0,
  )
  if (kind === 'swap') return 'data.mdb'
  return chosen(files, random)
}

function chosen(weighted, random) {
  let rest = random() * weighted.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, item] of weighted) {
    rest -= weight
    if (rest < 0) return item
  }
  return weighted[0][1]
}
