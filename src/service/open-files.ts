import { readFileSync } from 'node:fs'

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
  limit = openFilesLimit(),
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

/** Files that this process may open at once; unlimited where the system does not say. */
function openFilesLimit(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
