import { POOL_LIMITS } from '../pool/options.ts'
import type { Limit, LimitTable, LimitValues } from '../primitives/limit.ts'
import { MAX_UINT256 } from '../primitives/quantity.ts'
import { REQUEST_LIMITS, SOCKET_LIMITS } from '../rpc/protocol/limits.ts'
import { SERVER_LIMITS } from '../server/transport/limits.ts'
import { type Flag, flag } from './flag.ts'
import { bigInteger, integer } from './values.ts'

const POOL_LIMIT_FLAGS = flagsOf(POOL_LIMITS)

/** Limits and admission rules of the pool. */
export const POOL_FLAGS = {
  ...POOL_LIMIT_FLAGS,
  replacementBumpPercent: flag<bigint | undefined>({
    ...POOL_LIMIT_FLAGS.replacementBumpPercent,
    fallback: undefined,
    shown: `${POOL_LIMITS.replacementBumpPercent.fallback}; with --compat anvil 0`,
  }),
  maxTransactionBytes: flag<number | undefined>({
    ...POOL_LIMIT_FLAGS.maxTransactionBytes,
    fallback: undefined,
    shown: `${POOL_LIMITS.maxTransactionBytes.fallback}; with --compat ${POOL_LIMITS.maxTransactionBytes.maximum}`,
  }),
  delegatedSlots: flag<number | undefined>({
    ...POOL_LIMIT_FLAGS.delegatedSlots,
    fallback: undefined,
    shown: `${POOL_LIMITS.delegatedSlots.fallback}; with --compat and with blocks on demand no limit`,
  }),
}

/** Limits of a JSON-RPC request, and the workers that execute it. */
export const REQUEST_FLAGS = {
  ...flagsOf(REQUEST_LIMITS),
  callWorkers: flag<number>({
    value: 'n',
    description:
      'worker threads for long calls and traces; 0: everything, including sender recovery and state roots, runs on the main thread in time slices',
    parse: integer(0, 64),
    fallback: 1,
  }),
  rpcWorkers: flag<number>({
    value: 'n',
    description:
      'processes per network that share its port and answer its requests; limits of connections, filters and rates apply to each of them; 0: the process that builds blocks answers itself',
    parse: integer(0, 64),
    fallback: 0,
  }),
}

/** Limits of connections. */
export const CONNECTION_FLAGS = flagsOf({ ...SERVER_LIMITS, ...SOCKET_LIMITS })

type FlagsOf<Table extends LimitTable> = { readonly [Name in keyof Table]: Flag<LimitValues<Table>[Name]> }

function flagsOf<Table extends LimitTable>(table: Table): FlagsOf<Table> {
  return Object.fromEntries(Object.entries(table).map(([name, row]) => [name, flagOf(row)])) as FlagsOf<Table>
}

function flagOf({ unit, fallback, bounds, reached, minimum, maximum }: Limit<number> | Limit<bigint>): Flag<unknown> {
  const parse =
    typeof minimum === 'bigint'
      ? bigInteger(minimum, BigInt(maximum ?? MAX_UINT256))
      : integer(minimum, maximum === undefined ? undefined : Number(maximum))
  return { value: unit, description: bounds, reached, parse, fallback }
}
