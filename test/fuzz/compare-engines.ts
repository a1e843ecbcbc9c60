import { isDeepStrictEqual } from 'node:util'
import type { AccessList } from '../../src/chain/transaction/transaction.ts'
import { createEngine } from '../../src/engine/session/create-engine.ts'
import type { Engine, Result } from '../../src/engine/types.ts'
import { bytesToHex, EMPTY_BYTES, type Hash, ZERO_HASH } from '../../src/primitives/hex.ts'
import { bigintToHash } from '../../src/primitives/quantity.ts'
import { genesisDiff } from '../../src/state/genesis-state.ts'
import { layerReader } from '../../src/state/layered-reader.ts'
import type { StateDiff } from '../../src/state/state-diff.ts'
import type { StateReader } from '../../src/state/state-reader.ts'
import { createEthereumjsEngine } from '../oracle/ethereumjs-engine.ts'
import { callTo, ENV, ETHER, LAYER_2, NO_CHECKS, SENDER } from '../support/engine-fixture.ts'
import { codeOf, type FuzzProgram } from './fuzz-program.ts'

const ENGINE = createEngine({ config: LAYER_2 })
const ORACLE = createEthereumjsEngine({ config: LAYER_2 })
const BASE: StateReader = {
  account: () => undefined,
  storage: () => 0n,
  hasStorage: () => false,
  code: () => EMPTY_BYTES,
  blockHash: (number): Hash => (number < 0 ? ZERO_HASH : bigintToHash(BigInt(number))),
}

/** A difference between engine and oracle: the call, and the differing members. */
export interface Difference {
  readonly call: number
  readonly what: string
  readonly ours: unknown
  readonly oracle: unknown
}

/** Runs a program in both; undefined if everything observable is equal. */
export async function difference(program: FuzzProgram): Promise<Difference | undefined> {
  const ours = await outcomes(ENGINE, program, true)
  const oracle = await outcomes(ORACLE, program, false)
  for (const [call, wanted] of oracle.entries()) {
    const got = ours[call]!
    // Later calls start from different states, and are not compared.
    if (program.calls[call]?.to === null && oracleHaltsOnRevert(got, wanted)) return undefined
    for (const what of Object.keys({ ...wanted, ...got })) {
      // The oracle words some faults differently: only that the frame halted is compared.
      if (what === 'halt' || isDeepStrictEqual(got[what], wanted[what])) continue
      return { call, what, ours: got[what], oracle: wanted[what] }
    }
  }
  return undefined
}

type Seen = Readonly<Record<string, unknown>>

/**
 * Whether a creation reverted with data that begins with 0xef, for which @ethereumjs/evm halts. EIP-3541 is about code
 * to deploy only: see `initNewContract` in core/vm/evm.go of go-ethereum. Creations within a call are still reported.
 */
function oracleHaltsOnRevert(ours: Seen, oracle: Seen): boolean {
  if (ours.status !== 'revert' || !String(ours.output).startsWith('0xef')) return false
  return oracle.halt === 'invalid code: must not begin with 0xef'
}

/**
 * Everything observable of each call, exceptions included.
 *
 * @param rehearses each call is made and reverted first, which must leave nothing
 */
async function outcomes(engine: Engine, program: FuzzProgram, rehearses: boolean): Promise<readonly Seen[]> {
  const session = engine.open({ ...ENV, fork: program.fork }, stateOf(program))
  const seen: Seen[] = []
  try {
    for (const { data, ...call } of program.calls) {
      const message = callTo(call.to, { ...call, data: codeOf(data) })
      if (rehearses) {
        session.checkpoint()
        await session.call(message, NO_CHECKS)
        session.revert()
      }
      const result = await session.call(message, NO_CHECKS)
      // The return data of a Frontier creation that cannot pay for its code is unspecified and not observable on a
      // chain.
      const hasOutput = call.to !== null || program.fork !== 'frontier'
      const coldSlots = result.kind === 'executed' && slotsOf(session.coldAccesses())
      seen.push({ ...visible(result, hasOutput), coldSlots, ...visibleDiff(session.takeDiff()) })
    }
  } catch (error) {
    seen.push({ threw: String(error) })
  } finally {
    session.close()
  }
  return seen
}

function stateOf({ accounts }: FuzzProgram): StateReader {
  const alloc = new Map([
    [SENDER, { nonce: 0n, balance: 10n * ETHER, code: EMPTY_BYTES, storage: new Map() }],
    ...[...accounts].map(([address, { code, ...account }]) => [address, { ...account, code: codeOf(code) }] as const),
  ])
  return layerReader(BASE, [{ diff: genesisDiff(alloc) }], new Map())
}

function visible(result: Result, hasOutput: boolean): Seen {
  if (result.kind === 'invalid') return { invalid: result.error }
  // The oracle counts neither emissions nor the needed gas, which `needed-gas.test.ts` verifies.
  const { emission: _emission, neededGasLimit: _needed, framesOutOfGas: _frames, output, logs, ...rest } = result
  return {
    ...rest,
    ...(hasOutput && { output: bytesToHex(output) }),
    logs: logs.map((log) => ({ ...log, data: bytesToHex(log.data) })),
  }
}

/** Accounts are not compared: the oracle also lists accesses of a frame without enough gas. */
function slotsOf(accesses: AccessList): readonly string[] {
  return accesses.flatMap(({ address, storageKeys }) => storageKeys.map((key) => `${address} ${key}`)).sort()
}

function visibleDiff({ accounts, storage, code }: StateDiff): Seen {
  return {
    accounts: new Map(accounts),
    storage: new Map(storage),
    code: new Map([...code].map(([hash, bytes]) => [hash, bytesToHex(bytes)])),
  }
}
