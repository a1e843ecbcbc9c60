import type { CallFrame } from '../../../engine/trace/call-tracer.ts'
import type { Erc7562Trace, FrameAccesses } from '../../../engine/trace/erc7562-tracer.ts'
import { bytesToHex } from '../../../primitives/hex.ts'
import { bigintToHash, toQuantity } from '../../../primitives/quantity.ts'
import type { JsonRecord } from '../../protocol/json.ts'
import { callsOf, formatFrameMembers } from './call-frame.ts'

/** The frames of a message, as go-ethereum's `erc7562Tracer` returns them (eth/tracers/native/erc7562.go). */
export function formatErc7562Trace({ top, accesses, preimages }: Erc7562Trace): JsonRecord {
  const remaining = accesses.values()
  const format = (frame: CallFrame): JsonRecord => {
    const own = remaining.next().value
    return {
      ...formatFrameMembers(frame),
      ...(own !== undefined && formatAccesses(own)),
      // As in go-ethereum, the message's own frame does not say it.
      outOfGas: frame !== top && isOutOfGas(frame),
      ...callsOf(frame.calls.map(format)),
    }
  }
  const keccak = preimages.map((preimage) => bytesToHex(preimage))
  return { ...format(top), ...(keccak.length > 0 && { keccak }) }
}

function isOutOfGas({ error }: CallFrame): boolean {
  return error === 'out of gas' || error === 'contract creation code storage out of gas'
}

function formatAccesses(accesses: FrameAccesses): JsonRecord {
  const { reads, writes, transientReads, transientWrites, extCodeAccesses, usedOpcodes, contractSizes } = accesses
  return {
    accessedSlots: {
      reads: Object.fromEntries(Array.from(reads, ([slot, value]) => [slot, [bigintToHash(value)]])),
      writes: Object.fromEntries(writes),
      transientReads: Object.fromEntries(transientReads),
      transientWrites: Object.fromEntries(transientWrites),
    },
    extCodeAccessInfo: extCodeAccesses,
    usedOpcodes: Object.fromEntries(Array.from(usedOpcodes, ([opcode, times]) => [toQuantity(opcode), times])),
    contractSize: Object.fromEntries(
      Array.from(contractSizes, ([address, { size, opcode }]) => [address, { contractSize: size, opcode }]),
    ),
  }
}
