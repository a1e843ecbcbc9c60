import type { Logger } from 'pino'
import stockFactory from '../../chain/predeploys/stock-factory.json' with { type: 'json' }
import stockProxy from '../../chain/predeploys/stock-proxy.json' with { type: 'json' }
import stockToken from '../../chain/predeploys/stock-token.json' with { type: 'json' }
import type { ServeOptions } from '../../flags/start-flags.ts'
import { systemClock } from '../../node/core/clock.ts'
import { developmentOf, type ServedNode } from '../../node/roles/node-handle.ts'
import type { Hash } from '../../primitives/hex.ts'
import { AbiBook, type Artifact, artifactOf } from './abi-book.ts'
import { ArtifactFolder, type ArtifactFolderDeps } from './artifact-folder.ts'
import { DeveloperOutput } from './developer-output.ts'
import { ExecutionWatcher } from './execution-watcher.ts'
import { knownDeclarations } from './known-contracts.ts'
import { NO_COLOURS, TERMINAL_COLOURS } from './report-text.ts'

/** A person reads no more; a load test prints a sample. */
const MAX_PER_SECOND = 50
/** Characters that the reader of a pipe may leave unread before reports are dropped. */
const MAX_UNREAD = 1 << 20

export interface DeveloperOutputParts {
  readonly node: ServedNode
  readonly isDevelopment: boolean
  readonly log: Logger
  /** Whether `anvil_setLoggingEnabled` allows output. Default: the setting of this process. */
  readonly isEnabled?: (() => boolean) | undefined
  /** Whether the process sent a transaction by itself: such are printed only if they fail. Default: none. */
  readonly isOwn?: ((hash: Hash) => boolean) | undefined
}

/**
 * Prints what developers read, if the flags ask for it. Reads artifacts for the texts of Hardhat's errors in any case.
 *
 * @throws ArtifactsError
 */
export async function startDeveloperOutput(
  options: Pick<ServeOptions, 'logFormat' | 'quiet' | 'json' | 'jsonReady' | 'abi' | 'compat'>,
  { node, isDevelopment, log, isEnabled, isOwn }: DeveloperOutputParts,
): Promise<ExecutionWatcher | undefined> {
  const { logFormat, quiet, json, jsonReady, abi, compat } = options
  const isUsual = isDevelopment && !json && !jsonReady
  const prints = !quiet && (logFormat !== undefined || isUsual)
  const explains = abi !== undefined && (compat === 'hardhat' || compat === 'hardhat3')
  if (!prints && !explains) return undefined
  const { stdout } = process
  doNotBlock(stdout)
  const format = logFormat ?? 'text'
  const colours =
    format === 'text' && stdout.isTTY && process.env.NO_COLOR === undefined ? TERMINAL_COLOURS : NO_COLOURS
  const now = () => systemClock.monotonic()
  const write = (text: string) => {
    if (stdout.writableLength < MAX_UNREAD) stdout.write(text)
  }
  return new ExecutionWatcher(
    { watchesTransactions: prints && (developmentOf(node) !== undefined || !isDevelopment) },
    {
      node,
      output: new DeveloperOutput({ format, colours, maxPerSecond: MAX_PER_SECOND }, { write, now }),
      book: await openAbiBook(abi, { log, now }),
      now,
      isEnabled: prints ? (isEnabled ?? (() => developmentOf(node)?.logging.isEnabled ?? true)) : () => false,
      isOwn: isOwn ?? (() => false),
      yieldTurn: () => new Promise((resolve) => setImmediate(resolve)),
      onFailure: (error) => log.warn({ err: error }, 'a transaction or call could not be shown'),
    },
  )
}

async function openAbiBook(folder: string | undefined, deps: ArtifactFolderDeps): Promise<AbiBook> {
  const artifacts = folder === undefined ? undefined : new ArtifactFolder(folder, deps)
  const book = new AbiBook(
    stockArtifacts(),
    artifacts && {
      newArtifacts: () => artifacts.readChanged(),
      onFailure: (error) => deps.log.warn({ err: error }, 'the artifacts of --abi could not be read again'),
    },
  )
  book.addDeclarations(knownDeclarations())
  if (artifacts !== undefined) book.add(await artifacts.readAll())
  return book
}

/** The contracts of the demonstration stocks. */
function stockArtifacts(): Artifact[] {
  return Object.entries({ StockToken: stockToken, StockFactory: stockFactory, StockProxy: stockProxy }).flatMap(
    ([name, artifact]) => artifactOf(artifact, name) ?? [],
  )
}

/** Node writes to pipes synchronously: a reader that stops reading would stop the node. */
function doNotBlock(stdout: NodeJS.WriteStream): void {
  const { _handle: handle } = stdout as { _handle?: { setBlocking?: (isBlocking: boolean) => void } }
  if (!stdout.isTTY) handle?.setBlocking?.(false)
}
