import { Command } from 'commander'
import type { ValuesOf } from '../../flags/flag.ts'
import { optionsOf } from '../process/command-options.ts'
import { endingOnWrongUsage } from '../process/process-end.ts'
import { failureLine } from '../terminal/terminal-text.ts'
import { MCP_FLAGS } from './mcp-flags.ts'

export const MCP_EXAMPLES: readonly string[] = [
  'mcp',
  'mcp --rpc-url http://127.0.0.1:8545 --abi out',
  'mcp --allow-writes',
]

export const MCP_EXITS =
  'Exit codes: 0 when the client closes standard input, or after SIGINT or SIGTERM; 1 when the SDK is not installed or the folder of --abi cannot be read; 2 wrong usage.'

/** `tickertape mcp` */
export function mcpCommand(): Command {
  const command = endingOnWrongUsage(new Command('mcp'))
    .description('Serve the Model Context Protocol on standard input and output: tools for agents at a running node')
    .showHelpAfterError('(tickertape mcp --help lists every flag)')
    .addHelpText(
      'after',
      `\n${MCP_EXITS}\n\nExamples:\n${MCP_EXAMPLES.map((example) => `  $ tickertape ${example}\n`).join('')}`,
    )
    .action(run)
  for (const option of optionsOf({ flags: MCP_FLAGS })) command.addOption(option)
  return command
}

async function run(options: ValuesOf<typeof MCP_FLAGS>): Promise<void> {
  // Loaded on demand: other commands need no tools.
  const { serveMcp, McpStartError } = await import('./serve-mcp.ts')
  try {
    await serveMcp(options)
  } catch (error) {
    if (!(error instanceof McpStartError)) throw error
    process.stderr.write(failureLine(error.message))
    process.exit(1)
  }
}
