import { parseArgs } from 'node:util'

/**
 * The options of a test program. Prints the help text after `--help`, and a message after options that are unknown or
 * not valid, and ends the process with code 0 or 2.
 *
 * @param {{
 *   command: string,
 *   purpose: string,
 *   options: Record<string, { value?: string, default?: number | string | boolean, choices?: string[], text: string }>,
 *   examples: string[],
 * }} program Options with a number as default are numbers, those without `value` are switches.
 */
export function programOptions(program) {
  const { options } = program
  try {
    const { values } = parseArgs({ options: { ...parserOptions(options), help: { type: 'boolean', short: 'h' } } })
    if (values.help === true) {
      process.stdout.write(helpText(program))
      process.exit(0)
    }
    return Object.fromEntries(
      Object.entries(options).map(([name, option]) => [name, optionValue(name, option, values[name])]),
    )
  } catch (error) {
    // The second sentence of a message of parseArgs is about positional arguments, which do not exist here.
    const [reason] = error.message.split('. ')
    process.stderr.write(
      `${reason}${hintFor(reason, program)}\nnpm run ${program.command} -- --help lists all options\n`,
    )
    process.exit(2)
  }
}

/** What the user may have meant by an argument that is not known. */
function hintFor(reason, { command, options }) {
  if (reason.startsWith('Unexpected argument')) {
    return `: if npm kept a flag before it, write -- before the flags, as in npm run ${command} -- --help`
  }
  const [, given] = /^Unknown option '--([^']+)'/.exec(reason) ?? []
  const meant = Object.keys(options).find((name) => given && (name.startsWith(given) || given.startsWith(name)))
  return meant === undefined ? '' : `: did you mean --${meant}?`
}

function parserOptions(options) {
  return Object.fromEntries(
    Object.entries(options).map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }]),
  )
}

/** @throws Error with a message for the user */
function optionValue(name, { value, default: fallback, choices }, given) {
  if (given === undefined) return value === undefined ? false : fallback
  if (choices !== undefined) {
    const wrong = given.split(',').find((one) => !choices.includes(one))
    if (wrong !== undefined) throw new Error(`--${name} does not know '${wrong}': choose from ${choices.join(', ')}`)
  }
  if (typeof fallback !== 'number') return given
  const number = Number(given)
  if (given.trim() === '' || !Number.isSafeInteger(number) || number < 0) {
    throw new Error(`--${name} needs a whole number from 0, not '${given}'`)
  }
  return number
}

function helpText({ command, purpose, options, examples }) {
  const rows = Object.entries(options).map(([name, option]) => [
    option.value === undefined ? `--${name}` : `--${name} ${option.value}`,
    option.default === undefined ? option.text : `${option.text} (default: ${option.default})`,
  ])
  rows.push(['--help', 'Print this text'])
  const width = Math.max(...rows.map(([flag]) => flag.length))
  return `Usage: npm run ${command} -- [options]

${purpose}

Options:
${rows.map(([flag, text]) => `  ${flag.padEnd(width)}  ${text}`).join('\n')}

Examples:
${examples.map((flags) => `  $ npm run ${command} -- ${flags}`).join('\n')}
`
}
