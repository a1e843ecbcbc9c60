// The results of `npm run bench -- rpc`: a table for the terminal, and one of medians for docs/performance.md.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'

/** Delimiters of the generated section in a Markdown file. Runs with `--pin` have their own section. */
function marks({ isPinned }) {
  const name = isPinned ? 'rpc benchmark, a processor each' : 'rpc benchmark'
  return { first: `<!-- ${name}: begin -->`, last: `<!-- ${name}: end -->` }
}

export function machine() {
  const [cpu] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} x ${cpu?.model ?? 'unknown'}, ${memory} GiB, ${process.platform}, Node ${process.versions.node}`
}

const isOurs = (name) => name.startsWith('Tickertape')

/** Ratio of the rates of two nodes. */
function ratio({ results }, mine, theirs) {
  const [my, their] = [results[mine]?.rate, results[theirs]?.rate]
  return my === undefined || their === undefined ? undefined : my / their
}

/**
 * Whether the node without RPC workers reached a row's goal. `undefined` without Anvil. A failure on a Tickertape node
 * counts as missed.
 */
export function isReached(row) {
  if (Object.entries(row.results).some(([name, { failure }]) => isOurs(name) && failure !== undefined)) return false
  const times = ratio(row, 'Tickertape', 'Anvil')
  return times === undefined ? undefined : times >= row.goal
}

export const rounded = (value) => (value === undefined ? '' : value >= 100 ? value.toFixed(0) : value.toPrecision(3))
const times = (value) => (value === undefined ? '' : value.toFixed(2))

function cells(result, withLatency) {
  const none = withLatency ? ['', ''] : ['']
  if (result === undefined) return ['', ...none]
  if (result.failure !== undefined) return ['failed', ...none]
  const { rate, p50, p99, cpu } = result
  const latency = p50 === undefined ? '' : `${rounded(p50)} / ${rounded(p99)}`
  return [rounded(rate), ...(withLatency ? [latency] : []), cpu === undefined ? '' : rounded(cpu)]
}

/** Rows of text; the first is the heading. @param withLatency whether p50 and p99 have a column */
export function table({ names, rows }, { withLatency = true } = {}) {
  const heading = ['responses per second']
  for (const name of names) heading.push(name, ...(withLatency ? ['p50 / p99 ms'] : []), 'CPU us')
  const pairs = names
    .filter(isOurs)
    .flatMap((mine) => names.filter((name) => !isOurs(name)).map((theirs) => [mine, theirs]))
  const isSecond = (mine) => mine !== names[0]
  heading.push(
    ...pairs.map(([mine, theirs]) => `${isSecond(mine) ? 'with workers, ' : ''}ratio to ${theirs}`),
    'goal',
    '',
  )
  const body = rows.map((row) => {
    const reached = isReached(row)
    return [
      row.title,
      ...names.flatMap((name) => cells(row.results[name], withLatency)),
      ...pairs.map(([mine, theirs]) => times(ratio(row, mine, theirs))),
      row.goal.toFixed(1),
      reached === undefined ? '' : reached ? 'reached' : 'MISSED',
    ]
  })
  return [heading, ...body]
}

/** One line for each measurement that failed. */
export function failures({ names, rows }) {
  return rows.flatMap((row) =>
    names
      .filter((name) => row.results[name]?.failure !== undefined)
      .map((name) => `${name}, ${row.title}: ${row.results[name].failure}`),
  )
}

/** One line: anonymous memory (RssAnon) of every node after its last round. */
export function memoryLine({ memory }) {
  const known = Object.entries(memory).filter(([, bytes]) => bytes !== undefined)
  const texts = known.map(([name, bytes]) => `${name} ${Math.round(bytes / 2 ** 20)} MiB`)
  return `anonymous memory after the last round: ${texts.join(', ') || 'unknown on this system'}`
}

function markdown(report) {
  const { first, last } = marks(report)
  const [heading, ...body] = table(report, { withLatency: false })
  const line = (row) => `| ${row.join(' | ')} |`
  return [
    first,
    '',
    `${report.machine}. ${report.date}. ${report.versions.join('; ')}.`,
    '',
    line(heading),
    `|${heading.map((_, column) => (column === 0 ? '---|' : '--:|')).join('')}`,
    ...body.map(line),
    '',
    last,
  ].join('\n')
}

/** Writes the section into a file: between its marks if they exist, otherwise at the end. */
export function writeMarkdown(file, report) {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const { first, last } = marks(report)
  const begin = text.indexOf(first)
  const end = text.indexOf(last)
  const section = markdown(report)
  const isThere = begin >= 0 && end > begin
  writeFileSync(
    file,
    isThere
      ? text.slice(0, begin) + section + text.slice(end + last.length)
      : `${text}${text === '' ? '' : '\n'}${section}\n`,
  )
}
