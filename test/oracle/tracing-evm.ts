import { EVM, type EVMResult, type EVMRunCallOpts, type Log } from '@ethereumjs/evm'
import { type Address, type Bytes, bytesToHex, hexToBytes } from '../../src/primitives/hex.ts'
import { bigintToWord } from '../../src/primitives/quantity.ts'
import type { SelfDestructTransfer } from './state-manager.ts'

/** Emitter of the logs that stand for value transfers (`eth_simulateV1`). */
const TRANSFER_EMITTER = hexToBytes(`0x${'ee'.repeat(20)}`)
/** Topic of `Transfer(address,address,uint256)`. */
const TRANSFER_TOPIC = hexToBytes('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')

/**
 * The EVM that can report value transfers as logs, in execution order: a frame's own transfer precedes the logs of its
 * code, that of its SELFDESTRUCT follows them. A failing frame drops them with its logs.
 */
export class TracingEvm extends EVM {
  traceTransfers = false
  /** Set by the owner: value moved by the SELFDESTRUCT that ended the last frame. */
  takeSelfDestruct: () => SelfDestructTransfer | undefined = () => undefined

  override async runCall(options: EVMRunCallOpts): Promise<EVMResult> {
    const result = await super.runCall(options)
    if (!this.traceTransfers) return result
    const destruct = this.takeSelfDestruct()
    const { execResult } = result
    if (execResult.exceptionError !== undefined) return result
    const entered = enteringTransfer(options, result)
    const left = destruct === undefined ? undefined : destructTransfer(destruct, result)
    if (entered === undefined && left === undefined) return result
    const logs = [...(execResult.logs ?? [])]
    if (entered !== undefined) logs.unshift(entered)
    if (left !== undefined) logs.push(left)
    execResult.logs = logs
    return result
  }
}

function enteringTransfer(options: EVMRunCallOpts, result: EVMResult): Log | undefined {
  const { message } = options
  if (message !== undefined) {
    // CALLCODE, like DELEGATECALL, runs foreign code on the caller's own account: no value moves.
    const runsForeignCode = message.to !== undefined && !message.to.equals(message.codeAddress)
    if (message.delegatecall || runsForeignCode) return undefined
  }
  const { caller, to = result.createdAddress, value = 0n } = message ?? options
  if (value === 0n || caller === undefined || to === undefined) return undefined
  return transferLog(caller.bytes, to.bytes, value)
}

function destructTransfer(destruct: SelfDestructTransfer, result: EVMResult): Log | undefined {
  const beneficiary = result.execResult.selfdestruct?.get(destruct.from)
  if (beneficiary === undefined || beneficiary === destruct.from || destruct.amount === 0n) return undefined
  return transferLog(hexToBytes(destruct.from), hexToBytes(beneficiary as Address), destruct.amount)
}

function transferLog(from: Bytes, to: Bytes, amount: bigint): Log {
  return [TRANSFER_EMITTER, [TRANSFER_TOPIC, topic(from), topic(to)], bigintToWord(amount)]
}

function topic(address: Bytes): Bytes {
  return hexToBytes(`0x${'00'.repeat(12)}${bytesToHex(address).slice(2)}`)
}
