import type { EVM, InterpreterStep } from '@ethereumjs/evm'
import type { Tracer, TraceStep } from '../../src/engine/tracer.ts'
import type { Address } from '../../src/primitives/hex.ts'
import { bytesToHex, EMPTY_BYTES } from '../../src/primitives/hex.ts'

/**
 * Reports the steps of the oracle to a tracer, with the costs that it computes beforehand: without the gas passed to a
 * call, and whether or not there is enough. It does not report frames and return data.
 *
 * @returns ends it
 */
export function traceSteps(evm: EVM, tracer: Tracer): () => void {
  const onStep = (event: InterpreterStep) => {
    tracer.onStep?.(stepOf(event))
    tracer.onCharged?.({ cost: Number(event.opcode.dynamicFee ?? event.opcode.fee), top: () => 0n })
  }
  evm.events.on('step', onStep)
  return () => evm.events.off('step', onStep)
}

function stepOf(event: InterpreterStep): TraceStep {
  const { stack, memory } = event
  return {
    programCounter: event.pc,
    opcode: event.opcode.code,
    gas: Number(event.gasLeft),
    refund: Number(event.gasRefund),
    depth: event.depth + 1,
    address: bytesToHex(event.address.bytes) as Address,
    stackSize: stack.length,
    word: (index) => stack[stack.length - 1 - index]!,
    memorySize: memory.length,
    memory: () => memory,
    memorySlice: (offset, size) => memory.subarray(offset, offset + size),
    returnData: () => EMPTY_BYTES,
  }
}
