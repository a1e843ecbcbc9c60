import type { RPC_CODES } from './errors.ts'

export interface RpcErrorMeaning {
  readonly meaning: string
  /** What a client can do. */
  readonly advice: string
}

/** What each code stands for; `docs/errors.md` derives from it. */
export const ERROR_MEANINGS: Readonly<Record<keyof typeof RPC_CODES, RpcErrorMeaning>> = {
  parse: { meaning: 'The text is not JSON.', advice: 'Send JSON.' },
  invalidRequest: {
    meaning: 'Not a JSON-RPC 2.0 request, an empty batch, or one that is too large or nested too deeply.',
    advice: 'Mend the request. See `--batch-max-items`, `--max-nesting`.',
  },
  methodNotFound: {
    meaning: 'There is no such method, its namespace is not enabled here, or it needs a WebSocket.',
    advice: '`rpc_modules` says which namespaces there are. See `--http-api`, `--ws-api`.',
  },
  invalidParams: {
    meaning: 'A parameter is wrong, or asks for more than one answer may hold.',
    advice:
      'The message says which one, and what part of a range can be answered. See `--logs-max-results`, `--logs-max-range`, `--logs-max-bytes`.',
  },
  internal: { meaning: 'A fault of the node.', advice: 'Report it with what the log says.' },
  server: {
    meaning:
      'What was asked for is not possible: a transaction is refused, a block is unknown, a call fails or takes too long.',
    advice: 'The message says why; it will fail again until that has changed. See `--call-timeout`.',
  },
  notFound: {
    meaning: 'What was asked for does not exist, and never will.',
    advice: 'Do not ask again.',
  },
  timedOut: {
    meaning: 'It took longer than it may, or the process that keeps a filter does not answer (`--rpc-workers`).',
    advice: 'Ask for less, or of a filter again. See `--logs-timeout`, `--batch-timeout`.',
  },
  responseTooLarge: {
    meaning: 'The answer, or that to the batch, is too large.',
    advice: 'Ask for less at once. See `--max-answer-bytes`, `--batch-max-bytes`.',
  },
  limitExceeded: {
    meaning:
      'Too much at once: the address has used up what it may (`data.retryAfter`: milliseconds; over HTTP the status is 429), too many long requests or blobs wait, or too many bytes of answers are being put together.',
    advice: 'Try again later. See `--rate-limit`, `--call-workers`, `--max-assembled-bytes`.',
  },
  tooManySubscriptions: {
    meaning:
      'The connection has as many subscriptions, or criteria in them, as it may; or the address, or all of them, as many filters.',
    advice:
      'End some, or open another connection; uninstall filters. See `--max-subscriptions`, `--max-filters-per-client`, `--max-filters`.',
  },
  historyPruned: {
    meaning: 'State of a block that `--history` does not keep.',
    advice: 'Ask for a newer block; blocks, receipts and logs are kept.',
  },
  reverted: { meaning: 'The call reverted; `data` is what it returned.', advice: 'Decode `data` with the ABI.' },
  timeout: {
    meaning: 'Sent, but not included in time (EIP-7966); `data` is the hash.',
    advice: 'Ask for the receipt later.',
  },
  notReady: {
    meaning: 'Sent, but it waits behind a nonce gap (EIP-7966); `data` is the nonce that comes first.',
    advice: 'Send the transactions before it.',
  },
}
