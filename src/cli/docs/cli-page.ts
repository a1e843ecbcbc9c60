import { type Flag, type FlagGroup, flagName, shownDefault } from '../flags/flag.ts'
import { START_FLAG_GROUPS } from '../flags/start-flags.ts'
import { code, page, table } from './markdown.ts'

const INTRODUCTION = `\`npm start -- [flags]\`, or \`tickertape start [flags]\`. Limits are no laxer than go-ethereum's by default. A flag that
is given wrongly ends the start with exit code 1 and a line that says what is wanted; nothing was changed then.`

const EXITS = `Exit codes: 0 after SIGTERM or SIGINT (requests under way are finished first, within five seconds, however clients
behave), 1 when the node cannot start or go on, and after a second signal. \`tickertape verify\`, \`export\` and \`import\`
have their flags in \`tickertape COMMAND --help\`.`

/** `docs/cli.md`: every flag of `tickertape start`. */
export function cliPage(): string {
  return page('Flags', '`src/cli/flags`', INTRODUCTION, ...START_FLAG_GROUPS.map(section), EXITS)
}

function section({ title, flags }: FlagGroup): string {
  return `## ${title}\n\n${table(['flag', 'what it does', 'default'], Object.entries(flags).map(row))}`
}

function row([name, flag]: [string, Flag<unknown>]): string[] {
  const { value, description, choices, env } = flag
  const notes = [choices && `One of ${choices.map(code).join(', ')}.`, env && `Environment: ${code(env)}.`]
  const text = [`${description[0]!.toUpperCase()}${description.slice(1)}.`, ...notes].filter(Boolean).join(' ')
  return [code(value === undefined ? flagName(name) : `${flagName(name)} <${value}>`), text, shownDefault(flag)]
}
