/** HTTP statuses other than 200 of JSON-RPC, upgrades and operations pages, and their meaning. */
export const HTTP_STATUSES = {
  400:
    'The query of `/feed` has a parameter that is not known, or a value that is no address, topic or ' +
    'choice; the body says which.',
  403:
    'The `Host` header names neither this machine nor an allowed host, or a web page of another origin ' +
    'asks for a WebSocket. See `--allowed-hosts`, `--ws-origins`.',
  404: 'There is nothing at this path.',
  405:
    'JSON-RPC goes by POST, and a GET without a body is answered 200 and nothing, for whoever probes the ' +
    'port; `Allow` says what the path takes.',
  408: 'The request did not come in time. See `--headers-timeout`, `--request-timeout`.',
  413: 'The body is too large. See `--max-body-bytes`.',
  415: 'The body is not declared as `application/json`.',
  429:
    'The address has used up what it may. `Retry-After` says in how many seconds it may ask again; the ' +
    'body is error -32005. See `--rate-limit`. At `/feed`: it has too many of them open, see ' +
    '`--max-feed-subscribers-per-address`.',
  426: 'This path takes WebSockets only: `/feed`.',
  431: 'The headers are larger than 16 KiB.',
  500: 'A fault of the node; its log says more, under the `X-Request-Id` of the answer.',
  503:
    'Too many unread answers (`Retry-After`) or too many WebSockets (`--max-sockets`, ' +
    '`--max-feed-subscribers`), as the body says; at `/ready`: the node is not ready, and why.',
} as const

export type HttpStatus = keyof typeof HTTP_STATUSES

/** Close codes of WebSockets and their meaning. */
export const CLOSE_CODES = {
  1001: 'The node is shutting down.',
  1007: 'A text message is not UTF-8.',
  1008: 'A replica must not follow this node; the message before says why.',
  1009: 'A message is too large. See `--max-body-bytes`; at `/feed` a client has nothing to send.',
  1013:
    'Too slow: messages were not read, or the node has too many unread answers. Connect again and read ' +
    'faster, or subscribe to less. See `--max-queued-bytes`, `--max-unread-bytes`.',
} as const

export type CloseCode = keyof typeof CLOSE_CODES
