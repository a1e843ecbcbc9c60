import { parseArgs } from 'node:util'
import { SuiteError } from './suite-files.ts'
import { runSuite, type SuiteKind, type SuiteReport } from './suite-run.ts'

const EXIT_FAILED = 1
const EXIT_USAGE = 2
/** Warnings that are printed; the others are counted. */
const PRINTED_WARNINGS = 20

/** Standard output and standard error of a command. */
export interface CommandOutput {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

function usage(kind: SuiteKind): string {
  const what = kind === 'state' ? 'state tests' : 'blockchain tests'
  return `usage: npm run conformance:${kind} -- DIR [--filter TEXT] [--json]

Runs every case of a folder of ${what} (.json or .json.gz files at any depth) in the engine of the node.

  DIR            such as ../shared/conformance/${kind === 'state' ? 'state-tests' : 'blockchain-tests'}
  --filter TEXT  only the cases whose name contains TEXT
  --json         the report as JSON on standard output
  --help         this text

Progress goes to standard error. Exit code 0: all passed; 1: some failed, each is listed; 2: no such tests there.
`
}

/**
 * `npm run conformance:state` and `npm run conformance:blocks`.
 *
 * @returns the exit code
 */
export async function conformanceCommand(
  kind: SuiteKind,
  args: readonly string[],
  { out, err }: CommandOutput,
): Promise<number> {
  const options = parse(args)
  if (options.kind === 'help') {
    out(usage(kind))
    return 0
  }
  if (options.kind === 'wrong') {
    err(`${options.message}\n\n${usage(kind)}`)
    return EXIT_USAGE
  }
  try {
    const report = await runSuite(
      kind,
      options.folder,
      ({ id }) => id.includes(options.filter),
      (file, sum) => err(progress(file, sum)),
    )
    if (options.json) out(`${JSON.stringify(report, undefined, 2)}\n`)
    const text = options.json ? err : out
    printWarnings(report, err)
    for (const { file, id, reason } of report.failures) text(`failed: ${id} (${file})\n  ${reason}\n`)
    text(`${report.passed} passed, ${report.failed} failed\n`)
    return report.failed === 0 ? 0 : EXIT_FAILED
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    err(`${error.message}\n\n${usage(kind)}`)
    return EXIT_USAGE
  }
}

type Options =
  | { readonly kind: 'run'; readonly folder: string; readonly filter: string; readonly json: boolean }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string }

function parse(args: readonly string[]): Options {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        filter: { type: 'string', default: '' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) return { kind: 'help' }
    const [folder, ...others] = positionals
    if (folder === undefined) return { kind: 'wrong', message: 'name the folder of the tests' }
    if (others.length > 0) return { kind: 'wrong', message: `one folder at a time, got also ${others.join(' ')}` }
    return { kind: 'run', folder, filter: values.filter, json: values.json }
  } catch (error) {
    return { kind: 'wrong', message: error instanceof Error ? error.message : String(error) }
  }
}

function progress(file: string, { passed, failed }: SuiteReport): string {
  return `${passed + failed} run${failed === 0 ? '' : `, ${failed} failed`}: ${file}\n`
}

function printWarnings({ warnings }: SuiteReport, err: CommandOutput['err']): void {
  for (const { id, reason } of warnings.slice(0, PRINTED_WARNINGS)) err(`warning: ${id}\n  ${reason}\n`)
  if (warnings.length === 0) return
  err(`${warnings.length} refused for another reason than the suite names (they count as passed)\n`)
}
