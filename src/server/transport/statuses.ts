/** HTTP statuses other than 200 of JSON-RPC, upgrades and operations pages, and their meaning. */
export const HTTP_STATUSES = {
  400:
    'The request breaks HTTP/1.1, or the query of `/feed` has an unknown parameter, or an invalid address, topic or ' +
    'choice, or `latest` in the URL of JSON-RPC is neither `sealed` nor `preconfirmed`; the body says which.',
  403:
    'The `Host` header is not allowed, or a web page of another origin requests a WebSocket. See ' +
    '`--allowed-hosts`, `--ws-origins`.',
  404: 'The path does not exist.',
  405:
    'JSON-RPC uses POST (`Allow` names the methods of the path). A GET without a body is answered with ' +
    '200 and no content, for port probes.',
  408: 'The request was not complete in time. See `--headers-timeout-ms`, `--request-timeout-ms`.',
  413: 'The body is too large. See `--max-body-bytes`.',
  415: 'The body is not declared as `application/json`.',
  417: 'The request has an expectation other than `100-continue`.',
  429:
    'The address is over its rate limit: `Retry-After` has the seconds to wait, the body is error ' +
    '-32005. See `--rate-limit`. At `/feed`: too many subscribers of the address, see ' +
    '`--max-feed-subscribers-per-address`.',
  426: 'This path takes WebSockets only: `/feed`.',
  431: 'The headers are larger than 16 KiB, or more than 128.',
  500: 'A fault of the node; its log has details under the `X-Request-Id` of the response.',
  501: 'The body has a transfer encoding other than `chunked`.',
  503:
    'Too many incomplete requests (`--max-incoming-bytes`, `Retry-After`), too many unsent bytes (`Retry-After`) or too ' +
    'many WebSockets (`--max-sockets`, `--max-feed-subscribers`), as the body says; at `/ready`: the node is not ready, with reasons.',
} as const

export type HttpStatus = keyof typeof HTTP_STATUSES

/** Close codes of WebSockets and their meaning. */
export const CLOSE_CODES = {
  1001: 'The node is shutting down.',
  1007: 'A text message is not UTF-8.',
  1008: 'A replica must not follow this node; the previous message has the reason.',
  1009: 'A message is too large. See `--max-body-bytes`; at `/feed` clients send nothing.',
  1013:
    'Too slow: messages were not read, a message was not complete in time, or the node has too many unsent bytes or ' +
    'incomplete messages. Reconnect and read faster, or subscribe to less. See `--max-queued-bytes`, ' +
    '`--max-unread-bytes`, `--max-incoming-bytes`, `--request-timeout-ms`.',
} as const

export type CloseCode = keyof typeof CLOSE_CODES
