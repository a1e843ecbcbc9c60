import type { Command } from 'commander'
import { decodeBlock } from '../../chain/block/block-codec.ts'
import { BatchedRpc } from '../../live/http-rpc.ts'
import { RequestError } from '../../live/request-error.ts'
import { type BlockSource, backupSource, type RepairOutcome, repairChain } from '../../node/tools/repair-chain.ts'
import { boundedFetch } from '../../primitives/bounded-fetch.ts'
import { hexToBytes } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
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
/** A block is far smaller, also in hex. */
const MAX_RESPONSE_BYTES = 256 * 2 ** 20

/** Blocks of a node, by `debug_getRawBlock`. */
function nodeSource(url: string): BlockSource {
  const { host } = new URL(url)
  const rpc = new BatchedRpc(
    { url, timeoutMs: ANSWER_TIMEOUT_MS, maxBatch: 1 },
    { fetch: boundedFetch(MAX_RESPONSE_BYTES) },
  )
  return {
    name: host,
    async block(number) {
      try {
        const raw = await rpc.request('debug_getRawBlock', [toQuantity(number)])
        return typeof raw !== 'string' || raw === '0x' ? undefined : decodeBlock(hexToBytes(raw))
      } catch (error) {
        throw error instanceof RequestError ? new SourceUnusableError(reasonOf(error, host, number)) : error
      }
    },
    close: async () => {},
  }
}

function reasonOf({ code, status, message, cause }: RequestError, host: string, number: number): string {
  if (code === 'UNREACHABLE') return `${host} does not respond: ${(cause as Error).message}`
  const reason = status === undefined ? message : `HTTP status ${status}`
  return `${host} gives no block ${number}: ${reason}; it needs --http-api eth,debug`
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
