/** Names of members in parameters, and names that objects have without them. */
export const PARAMETER_MEMBERS = [
  ...['blockNumber', 'blockHash', 'requireCanonical', 'fromBlock', 'toBlock', 'address', 'topics', 'storageKeys'],
  ...['from', 'to', 'gas', 'input', 'data', 'nonce', 'accessList', 'authorizationList', 'blobVersionedHashes', 'raw'],
  ...[
    'balance',
    'code',
    'state',
    'stateDiff',
    'number',
    'time',
    'timestamp',
    'withdrawals',
    'blockStateCalls',
    'calls',
  ],
  ...['__proto__', 'constructor', 'toString'],
]
