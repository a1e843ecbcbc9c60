import { describe, expect, it } from 'vitest'
import { codeOf } from '../../../test/fuzz/fuzz-program.ts'
import { randomStatements } from '../../../test/fuzz/random-statements.ts'
import { createEthereumjsEngine } from '../../../test/oracle/ethereumjs-engine.ts'
import { address, callTo, ENV, LAYER_2, NO_CHECKS, stateOf } from '../../../test/support/engine-fixture.ts'
import { testRandom } from '../../../test/support/test-seed.ts'
import { FORKS, type Fork } from '../../chain/forks/forks.ts'
import { type Address, bytesToHex } from '../../primitives/hex.ts'
import { createEngine } from '../session/create-engine.ts'
import type { Tracer } from '../tracer.ts'
import type { Call, Engine } from '../types.ts'

/** Number of programs for each recent fork, and for each older fork. `FUZZ_RUNS` replaces both. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 150)
const OLD_RUNS = Number(process.env.FUZZ_RUNS ?? 10)
const RECENT: ReadonlySet<Fork> = new Set(['cancun', 'prague', 'osaka'])

const CONTRACTS = [address(0xa1), address(0xb1), address(0xc1)] as const
const AROUND = {
  accounts: [...CONTRACTS, address(2), address(4), address(0xdead)],
  precompiles: [address(2), address(4)],
}
/**
 * CREATE, CALL, CALLCODE, DELEGATECALL, CREATE2, STATICCALL: the oracle's cost excludes the gas passed to the new
 * frame.
 */
const FORWARDS_GAS: ReadonlySet<number> = new Set([0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa])

const STOP = 0x00
const SSTORE = 0x55
const INVALID = 0xfe

const engine = createEngine({ config: LAYER_2 })
const oracle = createEthereumjsEngine({ config: LAYER_2 })

/** Observable state of the machine before an instruction. */
interface SeenStep {
  readonly pc: number
  op: number
  readonly gas: number
  readonly depth: number
  readonly refund: number
  readonly address: Address
  readonly stack: readonly bigint[]
  readonly memory: string
  cost?: number
  fault?: string
}

class Recorder implements Tracer {
  readonly steps: SeenStep[] = []

  onStep: Tracer['onStep'] = (step) => {
    this.steps.push({
      pc: step.programCounter,
      op: step.opcode,
      gas: step.gas,
      depth: step.depth,
      refund: step.refund,
      address: step.address,
      stack: Array.from({ length: step.stackSize }, (_, index) => step.word(index)),
      memory: bytesToHex(step.memory()),
    })
  }

  onCharged: Tracer['onCharged'] = ({ cost, fault }) => {
    const step = this.steps.at(-1)!
    expect(step.cost).toBeUndefined()
    step.cost = cost
    if (fault !== undefined) step.fault = fault
  }
}

/** The comparable part of each step: the oracle reports no faults, and reports undefined opcodes as INVALID. */
function comparable(steps: readonly SeenStep[], faults: readonly SeenStep[]): unknown {
  return steps.map(({ cost, fault: _, op, refund, ...seen }, index) => {
    const fault = faults[index]?.fault
    const isInvalid = fault?.startsWith('invalid opcode')
    return {
      ...seen,
      op: isInvalid ? INVALID : op,
      // The refund that the oracle reports for SSTORE includes that of the instruction itself.
      ...(op !== SSTORE && { refund }),
      ...(fault === undefined && !FORWARDS_GAS.has(op) && { cost }),
    }
  })
}

/**
 * Omits steps that the oracle does not report: it computes the gas of an instruction first, which fails on a stack
 * underflow.
 */
function reported(ours: readonly SeenStep[], theirs: readonly SeenStep[]): readonly SeenStep[] {
  let missing = 0
  return ours.filter(({ fault, pc, depth }, index) => {
    const other = theirs[index - missing]
    if (fault !== 'stack underflow' || (other?.pc === pc && other.depth === depth)) return true
    missing++
    return false
  })
}

async function stepsOf(on: Engine, fork: Fork, code: Readonly<Record<Address, string>>, calls: readonly Call[]) {
  const recorders: Recorder[] = []
  const session = on.open({ ...ENV, fork }, stateOf({ code }), {
    tracer: () => {
      recorders.push(new Recorder())
      return recorders.at(-1)
    },
  })
  for (const call of calls) await session.call(call, NO_CHECKS)
  session.close()
  // go-ethereum and this engine report the implicit STOP at the end of code as a step; the oracle does not.
  return recorders.map(({ steps }) => steps.filter(({ op }) => op !== STOP))
}

/**
 * The oracle reads the data of a REVERT before it charges for the memory, and throws a RangeError when the size is
 * terabytes.
 */
function stop(error: unknown): undefined {
  if (!(error instanceof RangeError)) throw error
}

describe('random programs take the same steps as in @ethereumjs/evm', () => {
  it.each(FORKS)('%s', { timeout: 600_000 }, async (fork) => {
    let count = 0
    let skipped = 0
    for (let run = 0; run < (RECENT.has(fork) ? RUNS : OLD_RUNS); run++) {
      const random = testRandom(run)
      const code = Object.fromEntries(
        CONTRACTS.map((contract) => [
          contract,
          bytesToHex(codeOf(randomStatements(random, AROUND, 4 + Math.floor(random() * 20)))),
        ]),
      )
      const calls = CONTRACTS.map((to) =>
        callTo(random() < 0.15 ? null : to, {
          data: codeOf(randomStatements(random, AROUND, 6)),
          gasLimit: BigInt(60_000 + Math.floor(random() * 1_000_000)),
        }),
      )
      const ours = await stepsOf(engine, fork, code, calls)
      const theirs = await stepsOf(oracle, fork, code, calls).catch(stop)
      if (theirs === undefined) {
        skipped++
        continue
      }
      for (const [message, all] of ours.entries()) {
        const steps = reported(all, theirs[message]!)
        const context = `run ${run}, message ${message}: ${JSON.stringify(code)}`
        expect(comparable(steps, steps), context).toEqual(comparable(theirs[message]!, steps))
      }
      count += ours.flat().length
    }
    expect(count).toBeGreaterThan(100)
    expect(skipped).toBeLessThan(5)
  })
})
