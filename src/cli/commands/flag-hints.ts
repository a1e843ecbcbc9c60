/** Flags of Anvil and Hardhat's node under another name, and what to use instead (docs/migrating.md). */
const OTHER_SPELLINGS: Readonly<Record<string, string>> = {
  '-a': '--accounts',
  '-b': '--mining interval=SECONDS',
  '-f': '--fork-url',
  '-m': '--mnemonic',
  '-p': '--port',
  '-q': '--quiet',
  '-s': '--state-interval',
  '--allow-origin': '--cors-origins',
  '--auto-unlock': '--auto-impersonate',
  '--block-base-fee-per-gas': '--base-fee',
  '--blockTime': '--mining interval=SECONDS',
  '--cache-path': '--fork-cache-path',
  '--compute-units-per-second': '--fork-requests-per-second',
  '--disable-block-gas-limit': '--gas-limit with a large value',
  '--enable-tx-gas-limit': '--transaction-gas-cap 16777216',
  '--fork': '--fork-url',
  '--gas-price': '--base-fee',
  '--hostname': '--host',
  '--init': '--genesis',
  '--ipcpath': '--ipc',
  '--max-persisted-states': '--history',
  '--mixed-mining': '--mining auto,interval=SECONDS',
  '--no-mine': '--no-mining',
  '--no-rate-limit': 'nothing: only --fork-requests-per-second limits requests to the forked node',
  '--no-request-size-limit': '--max-body-bytes',
  '--no-rpc-rate-limit': 'nothing: only --fork-requests-per-second limits requests to the forked node',
  '--optimism': '--profile op',
  '--preserve-historical-states': 'a data directory (--datadir), which keeps every block and its state',
  '--print-traces': '--abi, which names the calls that are printed for a failed transaction',
  '--prune-history': '--history',
  '--rpc-url': '--fork-url',
  '--slots-in-an-epoch': '--finality-depth',
  '--steps': 'nothing: debug_traceTransaction always has its steps',
  '--steps-tracing': 'nothing: debug_traceTransaction always has its steps',
  '--tracing': 'nothing: debug_traceTransaction always has its steps',
  '--tx-gas-limit': '--transaction-gas-cap 16777216',
}

/** Adds what this node has instead to the error for an unknown flag that is one of Anvil or Hardhat's node. */
export function withFlagHint(error: string): string {
  const [, flag = ''] = /unknown option '([^'=]+)/.exec(error) ?? []
  if (!Object.hasOwn(OTHER_SPELLINGS, flag)) return error
  return `${error.trimEnd()}\nInstead of Anvil's or Hardhat's ${flag} use ${OTHER_SPELLINGS[flag]}; docs/migrating.md has all.\n`
}
