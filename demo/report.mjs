import { isDeepStrictEqual } from 'node:util'

/** Collects checks and prints them as they complete, or as one JSON document. */
export class Report {
  #isJson
  #write
  #step = ''
  #checks = []
  #times = []
  #notes = []

  /** @param {{ json: boolean }} options @param {{ write: (text: string) => void }} parts */
  constructor(options, parts) {
    this.#isJson = options.json
    this.#write = parts.write
  }

  get failed() {
    return this.#checks.filter(({ ok }) => !ok).length
  }

  /** Starts a step; later checks belong to it. */
  step(title) {
    this.#step = title
    this.#line(`\n${title}`)
  }

  /** Checks that two values are deeply equal. */
  check(rule, actual, expected) {
    this.#add(rule, isDeepStrictEqual(actual, expected), expected, actual)
  }

  /** Checks a condition; prints `actual` in either case. */
  holds(rule, condition, actual, expected) {
    this.#add(rule, condition, expected, actual)
    if (condition && actual !== undefined) this.#line(`      ${show(actual)}`)
  }

  /** Reports a step that failed before its checks. */
  broken(error) {
    const text = error?.shortMessage
      ? [error.shortMessage, error.details].filter(Boolean).join(' ')
      : (error?.message ?? String(error))
    this.#add('the step can be carried out', false, 'no error', text)
  }

  /** Prints information without a verdict. */
  note(text) {
    this.#notes.push({ step: this.#step, text })
    this.#line(`    · ${text}`)
  }

  /** Records times in milliseconds after sending. */
  time(transaction, { acknowledged, preConfirmed, sealed }) {
    this.#times.push({ transaction, acknowledged, preConfirmed, sealed })
  }

  /** @param {number} seconds total duration */
  finish(seconds) {
    const { failed } = this
    if (this.#isJson) {
      const checks = this.#checks.map((check) => ({ ...check, ...(check.ok && { expected: undefined }) }))
      const document = { ok: failed === 0, seconds, checks, times: this.#times, notes: this.#notes }
      this.#write(`${JSON.stringify(document, plain, 2)}\n`)
      return
    }
    this.#line(this.#times.length === 0 ? '' : `\nMilliseconds after sending\n${table(this.#times)}\n`)
    for (const { step, rule, ok } of this.#checks) if (!ok) this.#line(`✗ ${step}: ${rule}`)
    const held = this.#checks.length - failed
    this.#line(`${failed === 0 ? '✓' : '✗'} ${held} of ${this.#checks.length} rules held, ${seconds.toFixed(1)} s`)
  }

  #add(rule, ok, expected, actual) {
    this.#checks.push({ step: this.#step, rule, ok, expected, actual })
    this.#line(`  ${ok ? '✓' : '✗'} ${rule}`)
    if (!ok) this.#line(`      expected ${show(expected)}\n      actual   ${show(actual)}`)
  }

  #line(text) {
    if (!this.#isJson) this.#write(`${text}\n`)
  }
}

function table(times) {
  const rows = [
    ['transaction', 'acknowledged', 'pre-confirmed', 'sealed'],
    ...times.map(({ transaction, acknowledged, preConfirmed, sealed }) => [
      transaction,
      ...[acknowledged, preConfirmed, sealed].map((time) => time?.toFixed(0) ?? '-'),
    ]),
  ]
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  return rows
    .map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  '))
    .map((line) => `  ${line}`)
    .join('\n')
}

function show(value) {
  if (typeof value === 'string') return value
  const text = JSON.stringify(value, plain) ?? String(value)
  return text.length > 1000 ? `${text.slice(0, 1000)}…` : text
}

function plain(_key, value) {
  return typeof value === 'bigint' ? value.toString() : value
}
