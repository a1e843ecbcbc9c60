import { describe, expect, it } from 'vitest'
import { createEthereumjsEngine } from '../../../test/oracle/ethereumjs-engine.ts'
import { address, callTo, ENV, LAYER_2, NO_CHECKS, SENDER, stateOf } from '../../../test/support/engine-fixture.ts'
import { randomBytecode } from '../../../test/support/random-bytecode.ts'
import { seededRandom } from '../../../test/support/seeded-random.ts'
import { FORKS, type Fork } from '../../chain/forks.ts'
import { type Address, bytesToHex } from '../../primitives/hex.ts'
import { bigintToSlot } from '../../primitives/quantity.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import { createEngine } from '../create-engine.ts'
import type { Call, Engine, Result, Session } from '../types.ts'

/** Programs for each fork that chains are on, and for each of the others; `FUZZ_RUNS` is for all. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 500)
const OLD_RUNS = Number(process.env.FUZZ_RUNS ?? 25)
const RECENT: ReadonlySet<Fork> = new Set(['cancun', 'prague', 'osaka'])
const SEED = Number(process.env.FUZZ_SEED ?? 1)

const CONTRACTS = [address(0xa1), address(0xb1), address(0xc1)] as const
/** Precompiles that are cheap, an account that is not there, one with money. */
const OTHERS = [address(2), address(4), address(0xdead), address(0xbeef)]
const ACCOUNTS = [...CONTRACTS, ...OTHERS]

const engine = createEngine({ config: LAYER_2 })
const oracle = createEthereumjsEngine({ config: LAYER_2 })

describe('random programs end as in @ethereumjs/evm', () => {
  it.each(FORKS)('%s', { timeout: 600_000 }, async (fork) => {
    for (let run = 0; run < (RECENT.has(fork) ? RUNS : OLD_RUNS); run++) {
      const program = randomProgram(SEED * 1_000_003 + run)
      const [ours, theirs] = [await outcome(engine, fork, program), await outcome(oracle, fork, program)]
      expect(ours, `run ${run}, seed ${SEED}: ${JSON.stringify(program.code)}`).toEqual(theirs)
    }
  })
})

interface Program {
  readonly code: Readonly<Record<Address, string>>
  readonly calls: readonly Call[]
}

function randomProgram(seed: number): Program {
  const random = seededRandom(seed)
  const code = Object.fromEntries(
    CONTRACTS.map((contract) => [
      contract,
      bytesToHex(randomBytecode(random, ACCOUNTS, 4 + Math.floor(random() * 20))),
    ]),
  )
  // The later ones find what the first ones stored.
  const calls = Array.from({ length: 5 }, (_, index) => {
    const data = Uint8Array.from({ length: Math.floor(random() * 80) }, () => Math.floor(random() * 256))
    const creates = random() < 0.15
    return callTo(creates ? null : CONTRACTS[index % CONTRACTS.length]!, {
      data: creates ? randomBytecode(random, ACCOUNTS, 6) : data,
      value: random() < 0.5 ? 0n : 1000n,
      gasLimit: BigInt(100_000 + Math.floor(random() * 1_000_000)),
    })
  })
  return { code, calls }
}

/** Everything that can be seen of a program's calls. */
async function outcome(engine: Engine, fork: Fork, { code, calls }: Program): Promise<unknown> {
  const session = engine.open({ ...ENV, fork }, stateOf({ code, balances: { [address(0xbeef)]: 7n } }))
  session.apply(filledStorage(session))
  const results: unknown[] = []
  for (const call of calls) {
    results.push(comparable(await session.call(call, NO_CHECKS)))
    results.push(comparableDiff(session.takeDiff()))
  }
  expect(session.state.account(SENDER)).toBeDefined()
  session.close()
  return results
}

/** Every slot that programs write holds something before, so that it can be cleared and restored. */
function filledStorage({ state }: Session): StateDiff {
  const slots = new Map([0n, 1n, 2n, 3n].map((slot) => [bigintToSlot(slot), 1n + (slot & 1n)]))
  return {
    accounts: new Map(
      CONTRACTS.map((contract) => [contract, { account: state.account(contract), storageCleared: false }]),
    ),
    storage: new Map(CONTRACTS.map((contract) => [contract, slots])),
    code: new Map(),
  }
}

function comparable(result: Result): unknown {
  if (result.kind === 'invalid') return result
  // The oracle words some faults differently; that the frame halted is what counts.
  const { halt: _, ...rest } = result
  return {
    ...rest,
    output: bytesToHex(result.output),
    logs: result.logs.map((log) => ({ ...log, data: bytesToHex(log.data) })),
  }
}

function comparableDiff({ accounts, storage, code }: StateDiff): unknown {
  return {
    accounts: new Map(accounts),
    storage: new Map(storage),
    code: new Map([...code].map(([hash, bytes]) => [hash, bytesToHex(bytes)])),
  }
}
