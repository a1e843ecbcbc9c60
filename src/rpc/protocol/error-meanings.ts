import type { RPC_CODES } from './errors.ts'

export interface RpcErrorMeaning {
  readonly meaning: string
  /** Advice for the client. */
  readonly advice: string
}

/** Meaning of each error code; `docs/errors.md` is generated from it. */
export const ERROR_MEANINGS: Readonly<Record<keyof typeof RPC_CODES, RpcErrorMeaning>> = {
  parse: { meaning: 'The text is not JSON.', advice: 'Send JSON.' },
  invalidRequest: {
    meaning:
      'Not a JSON-RPC 2.0 request, an empty batch, or a text that is too large, nested too deeply or has too many values.',
    advice:
      'Correct the request. See `--max-batch-items`, `--max-nesting`, `--max-items`, `--max-members`, `--max-values`.',
  },
  methodNotFound: {
    meaning: 'The method does not exist, its namespace is disabled, or it needs a WebSocket.',
    advice: '`rpc_modules` lists the enabled namespaces. See `--http-api`, `--ws-api`.',
  },
  invalidParams: {
    meaning: 'A parameter is invalid or too large, or its result exceeds a limit.',
    advice:
      'The message names the parameter, or the part of a range that can be answered. See ' +
      '`--max-logs`, `--max-log-blocks`, `--max-log-bytes`, `--max-override-accounts`, `--max-override-slots`.',
  },
  internal: { meaning: 'A fault of the node.', advice: 'Report it with the log of the node.' },
  server: {
    meaning:
      'The request failed: a transaction is refused, a block is unknown, its state is pruned, a call fails or takes too long.',
    advice: 'The message gives the reason; a retry fails until it has changed. See `--call-timeout-ms`, `--history`.',
  },
  notFound: {
    meaning: 'The requested resource does not exist, and never will.',
    advice: 'Do not retry.',
  },
  timedOut: {
    meaning: 'The request timed out, or the worker that holds a filter does not respond (`--rpc-workers`).',
    advice: 'Request less, or poll the filter again. See `--log-timeout-ms`, `--batch-timeout-ms`.',
  },
  responseTooLarge: {
    meaning: 'The response, or that of the batch, is too large.',
    advice: 'Request less at once. See `--max-response-bytes`, `--max-batch-bytes`.',
  },
  limitExceeded: {
    meaning:
      'A limit is reached: the rate limit of the address (`data.retryAfter`: milliseconds; HTTP status ' +
      '429), too many long requests or blobs are queued, or responses under construction use too much ' +
      'memory.',
    advice: 'Try again later. See `--rate-limit`, `--call-workers`, `--max-assembled-bytes`.',
  },
  tooManySubscriptions: {
    meaning:
      'The limit of subscriptions or criteria of the connection, or of filters of the address or the node, is reached.',
    advice:
      'End some, or open another connection; uninstall filters. See `--max-subscriptions`, ' +
      '`--max-filters-per-client`, `--max-filters`.',
  },
  damaged: {
    meaning:
      'The data is stored in a damaged part of the database; `data.table` names the table, `/ready` says degraded.',
    advice: 'Ask another node. The operator runs `tickertape verify` and `tickertape repair`.',
  },
  outcomeUnknown: {
    meaning:
      'The node failed while it recorded the request: the disk is full or broken, or the replicated log is lost. It may take effect after the next start.',
    advice:
      'Look for the transaction when the node runs again, or send the same one again. The operator finds the cause in the log.',
  },
  blockPruned: {
    meaning:
      'The block, its receipts and its logs are not kept: the node began with a snapshot of a later one (EIP-4444).',
    advice: 'Use a newer block, or the node that this one follows.',
  },
  reverted: { meaning: 'The call reverted; `data` is its return data.', advice: 'Decode `data` with the ABI.' },
  timeout: {
    meaning: 'Sent, but not included in time (EIP-7966); `data` is the hash.',
    advice: 'Request the receipt later.',
  },
  conditionFailed: {
    meaning:
      'A condition of `eth_sendRawTransactionConditional` does not hold at the newest block or its parent; the message names it.',
    advice: 'Read the state again, and send the transaction with conditions that hold.',
  },
  notExecutable: {
    meaning:
      'Not in the pool: the next block cannot include it, since its fee cap or that of an earlier transaction of the sender is below the base fee, of gas or of blobs (EIP-7966); `data` is the hash.',
    advice: 'Raise the fee cap that the message names, or use `eth_sendRawTransaction`, which lets it wait.',
  },
  nonceGap: {
    meaning: 'Not in the pool: it is behind a nonce gap (EIP-7966); `data` is the expected nonce.',
    advice: 'Send the transactions before it first, or use `eth_sendRawTransaction`, which lets it wait.',
  },
}
