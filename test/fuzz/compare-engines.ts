import { isDeepStrictEqual } from 'node:util'
import type { AccessList } from '../../src/chain/transaction/transaction.ts'
import { createEngine } from '../../src/engine/create-engine.ts'
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

/** Where the engine and the oracle part: the call, and of it what differs. */
export interface Difference {
  readonly call: number
  readonly what: string
  readonly ours: unknown
  readonly oracle: unknown
}

/** Runs a program in both; undefined: everything that can be seen of it is the same. */
export async function difference(program: FuzzProgram): Promise<Difference | undefined> {
  const ours = await outcomes(ENGINE, program, true)
  const oracle = await outcomes(ORACLE, program, false)
  for (const [call, wanted] of oracle.entries()) {
    const got = ours[call]!
    for (const what of Object.keys({ ...wanted, ...got })) {
      if (isDeepStrictEqual(got[what], wanted[what])) continue
      return { call, what, ours: got[what], oracle: wanted[what] }
    }
  }
  return undefined
}

type Seen = Readonly<Record<string, unknown>>

/**
 * Everything that can be seen of each call; a throw is one of the things.
 *
 * @param rehearses every call is made and taken back before: nothing of it may be left
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
      // What a creation of Frontier that cannot pay for its code returns is nobody's rule: no chain shows it.
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
  // The oracle words some faults differently; that the frame halted is what counts.
  // It does not count emissions either, nor what a run needs: `needed-gas.test.ts` runs that again.
  const { halt: _, emission: _emission, neededGasLimit: _needed, output, logs, ...rest } = result
  return {
    ...rest,
    ...(hasOutput && { output: bytesToHex(output) }),
    logs: logs.map((log) => ({ ...log, data: bytesToHex(log.data) })),
  }
}

/** Accounts besides are not compared: the oracle lists what a frame without gas for it would have looked at. */
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
