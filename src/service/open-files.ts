import { openFilesLimit } from '../server/metrics/open-files-limit.ts'

/** Descriptors that connections leave to records, database, threads, workers and peers. */
const RESERVED_FILES = 256

interface ConnectionOptions {
  readonly maxConnections: number
  /** Whether two networks listen. */
  readonly testnet?: boolean
}

/**
 * The options with fewer connections, if the process may not open as many files: without a free descriptor the node
 * could not write records.
 *
 * @param notify called with the reason
 */
export function withinOpenFiles<Options extends ConnectionOptions>(
  options: Options,
  notify: (reason: string) => void,
  limit = openFilesLimit() ?? Number.POSITIVE_INFINITY,
): Options {
  const networks = options.testnet === true ? 2 : 1
  const room = Math.floor((limit - Math.min(RESERVED_FILES, limit / 2)) / networks)
  if (options.maxConnections <= room) return options
  notify(
    `at most ${room} connections instead of ${options.maxConnections} (--max-connections): this process may open ` +
      `${limit} files; raise its limit (ulimit -n, LimitNOFILE=)`,
  )
  return { ...options, maxConnections: room }
}
