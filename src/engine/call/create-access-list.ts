import { rulesOf } from '../../chain/forks/rules.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import type { InvalidTransaction } from '../../chain/transaction/refusal.ts'
import type { AccessList } from '../../chain/transaction/transaction.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { BlockEnv, Call, Engine, Executed, MayContinue, Session } from '../types.ts'
import { CALL_CHECKS, type CallRequest, type CallRequestError, callMessage } from './call-message.ts'

export interface CreateAccessListOptions {
  /** Gas cap. */
  readonly gasCap: bigint
  /** Precompiles moved by state overrides. */
  readonly movedPrecompiles?: ReadonlyMap<Address, Address | null>
  /** Called before and during each run; `false` stops the search. */
  readonly mayContinue: MayContinue
}

export type CreatedAccessList =
  | {
      readonly kind: 'created'
      /** Sorted by address and key. */
      readonly accessList: AccessList
      /** The run with that list; if it failed, the list covers the accesses until then. */
      readonly executed: Executed
    }
  | { readonly kind: 'invalid'; readonly error: InvalidTransaction | CallRequestError }
  | { readonly kind: 'timedOut' }

/** Accounts with their slots, accumulated over runs. */
type Places = Map<Address, Set<Hash>>

/**
 * The access list (EIP-2930) with which a call has no cold access, by go-ethereum's method: run, add cold accesses, and
 * repeat until none are left, since a list changes gas and gas may change control flow. Accounts that are warm anyway
 * are listed only for their slots.
 *
 * @example await createAccessList(engine, blockEnv(header, engine.config), state, { to, data }, { gasCap, mayContinue
 *   })
 */
export async function createAccessList(
  engine: Engine,
  env: BlockEnv,
  state: StateReader,
  request: CallRequest,
  { gasCap, movedPrecompiles, mayContinue }: CreateAccessListOptions,
): Promise<CreatedAccessList> {
  const message = callMessage(request, env, engine.config.chainId, gasCap)
  if (message.kind === 'invalid') return message
  const { call } = message
  const session = engine.open(message.env, state, {
    mayContinue,
    ...(movedPrecompiles && { movedPrecompiles }),
  })
  try {
    const warm = warmAccounts(call, env, state, engine)
    const positions = placesOf(call.accessList.filter((item) => item.storageKeys.length > 0 || !warm.has(item.address)))
    while (await mayContinue()) {
      const accessList = listOf(positions)
      const run = await runOnce(session, { ...call, accessList })
      if (run.kind === 'invalid') return run
      if (!addAll(positions, run.cold)) return { kind: 'created', accessList, executed: run.executed }
    }
    return { kind: 'timedOut' }
  } finally {
    session.close()
  }
}

type Run =
  | { readonly kind: 'executed'; readonly executed: Executed; readonly cold: AccessList }
  | { readonly kind: 'invalid'; readonly error: InvalidTransaction }

async function runOnce(session: Session, call: Call): Promise<Run> {
  session.checkpoint()
  try {
    const result = await session.call(call, CALL_CHECKS)
    if (result.kind === 'invalid') return result
    return { kind: 'executed', executed: result, cold: session.coldAccesses() }
  } finally {
    session.revert()
  }
}

/** Warm without a list: sender, recipient, precompiles (EIP-2929) and coinbase (EIP-3651). */
function warmAccounts({ from, to, nonce }: Call, env: BlockEnv, state: StateReader, engine: Engine): Set<Address> {
  const created = () => createAddress(from, nonce ?? state.account(from)?.nonce ?? 0n)
  const warm = new Set([from, to ?? created(), ...engine.precompiles(env)])
  if (rulesOf(env.fork).hasWarmCoinbase) warm.add(env.coinbase)
  return warm
}

function placesOf(list: AccessList): Places {
  const positions: Places = new Map()
  addAll(positions, list)
  return positions
}

/** Whether anything was added. */
function addAll(positions: Places, list: AccessList): boolean {
  let isNew = false
  for (const { address, storageKeys } of list) {
    const keys = positions.get(address) ?? new Set()
    const before = keys.size
    for (const key of storageKeys) keys.add(key)
    isNew ||= !positions.has(address) || keys.size > before
    positions.set(address, keys)
  }
  return isNew
}

function listOf(positions: Places): AccessList {
  return Array.from(positions, ([address, keys]) => ({ address, storageKeys: [...keys].sort() })).sort((a, b) =>
    a.address < b.address ? -1 : 1,
  )
}
