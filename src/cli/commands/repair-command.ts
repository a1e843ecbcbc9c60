import type { Command } from 'commander'
import { decodeBlock } from '../../chain/block/block-codec.ts'
import { type BlockSource, backupSource, type RepairOutcome, repairChain } from '../../node/tools/repair-chain.ts'
import { hexToBytes } from '../../primitives/hex.ts'
import { type ChainOptions, type CommandResult, chainCommand, locationOf, runChainCommand } from './chain-command.ts'

const EXAMPLES = `  $ tickertape repair                                  damage outside blocks: they are executed again
  $ tickertape repair --from http://10.0.0.2:8545      damaged blocks from another node with --http-api eth,debug
  $ tickertape repair --from /backups/main             damaged blocks from a backup or a stopped data directory
`

/** `tickertape repair` */
export function repairCommand(): Command {
  return chainCommand(
    'repair',
    'Build a damaged chain anew by executing its blocks; damaged blocks come from another node or a backup',
    EXAMPLES,
  )
    .option('--from <source>', 'URL of a node, or a backup or data directory of the same chain')
    .action((options: ChainOptions & { readonly from?: string }) =>
      runChainCommand(options, async (step) => {
        const location = await locationOf(options)
        const source = options.from === undefined ? undefined : await sourceOf(options.from, location.genesis)
        try {
          return resultOf(await repairChain(location, source, step))
        } finally {
          await source?.close()
        }
      }),
    )
}

function sourceOf(from: string, genesis: Parameters<typeof backupSource>[0]['genesis']): Promise<BlockSource> {
  return /^https?:\/\//.test(from) ? Promise.resolve(nodeSource(from)) : backupSource({ directory: from, genesis })
}

/** Milliseconds. */
const ANSWER_TIMEOUT_MS = 30_000

/** Blocks of a node, by `debug_getRawBlock`. */
function nodeSource(url: string): BlockSource {
  const { host } = new URL(url)
  return {
    name: host,
    async block(number) {
      const params = [`0x${number.toString(16)}`]
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: number, method: 'debug_getRawBlock', params }),
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      }).catch((error: unknown) => {
        throw new SourceUnusableError(`${host} does not respond: ${(error as Error).message}`)
      })
      const { result, error } = (await response.json().catch(() => ({}))) as {
        readonly result?: unknown
        readonly error?: { readonly message?: string }
      }
      if (typeof result === 'string' && result !== '0x') return decodeBlock(hexToBytes(result))
      if (result === null || result === '0x') return undefined
      const reason = error?.message ?? `HTTP status ${response.status}`
      throw new SourceUnusableError(`${host} gives no block ${number}: ${reason}; it needs --http-api eth,debug`)
    },
    close: async () => {},
  }
}

/** The node named with `--from` cannot be asked for blocks. */
class SourceUnusableError extends Error {
  override readonly name = 'SourceUnusableError'
  readonly code = 'SOURCE_UNUSABLE'
}

function resultOf(outcome: RepairOutcome): CommandResult {
  switch (outcome.kind) {
    case 'sound':
      return { exitCode: 0, line: 'Nothing to repair: all pages match their checksums', value: { repaired: false } }
    case 'failed':
      return { exitCode: 1, line: `tickertape: ${outcome.message}`, value: { repaired: false, error: outcome } }
    case 'repaired': {
      const { parts, blocks, fetched, old } = outcome
      const tables = [...new Set(parts.map(({ table }) => table))]
      const line = `Repaired ${tables.join(', ')}: ${blocks} blocks executed, ${fetched} of them fetched; the damaged directory is ${old}`
      return { exitCode: 0, line, value: { repaired: true, tables, blocks, fetched, old } }
    }
  }
}
