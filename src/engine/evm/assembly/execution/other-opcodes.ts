import * as Op from '../../abi/opcodes.ts'
import { INVALID_OPCODE } from '../../abi/status.ts'
import { returnSize } from '../host-data.ts'
import { codeSize, frame, INPUT_SIZE } from '../memory/frames.ts'
import { call, callCode, delegateCall, staticCall } from './calls.ts'
import { create } from './creation.ts'
import { emitLog } from './emission.ts'
import { selfDestruct } from './endings.ts'
import * as Environment from './environment.ts'
import { markGasObserved } from './gas-need.ts'
import { loadSlot, loadTransient, storeSlot, storeTransient } from './storage.ts'

/** Instructions that need more than the stack. Gas and stack were checked against the table. */
export function runComplex(opcode: u32): u32 {
  switch (opcode) {
    case Op.ADDRESS:
      return Environment.pushSelf()
    case Op.BALANCE:
      markGasObserved()
      return Environment.balance()
    case Op.CALLER:
      return Environment.pushCaller()
    case Op.CALLVALUE:
      return Environment.pushValue()
    case Op.CALLDATALOAD:
      return Environment.loadCallData()
    case Op.CALLDATASIZE:
      return Environment.pushNumber(load<u32>(frame, INPUT_SIZE))
    case Op.CALLDATACOPY:
      return Environment.copyCallData()
    case Op.CODESIZE:
      return Environment.pushNumber(codeSize)
    case Op.CODECOPY:
      return Environment.copyCode()
    case Op.EXTCODESIZE:
      return Environment.externalCodeSize()
    case Op.EXTCODECOPY:
      return Environment.copyExternalCode()
    case Op.RETURNDATASIZE:
      return Environment.pushNumber(returnSize)
    case Op.RETURNDATACOPY:
      return Environment.copyReturnData()
    case Op.EXTCODEHASH:
      return Environment.externalCodeHash()
    case Op.BLOCKHASH:
      return Environment.blockHash()
    case Op.SELFBALANCE:
      markGasObserved()
      return Environment.selfBalance()
    case Op.BLOBHASH:
      return Environment.blobHash()
    case Op.SLOAD:
      return loadSlot()
    case Op.SSTORE:
      return storeSlot()
    case Op.TLOAD:
      return loadTransient()
    case Op.TSTORE:
      return storeTransient()
    case Op.MCOPY:
      return Environment.copyMemory()
    case Op.LOG0:
    case Op.LOG0 + 1:
    case Op.LOG0 + 2:
    case Op.LOG0 + 3:
    case Op.LOG0 + 4:
      return emitLog(opcode - Op.LOG0)
    case Op.CREATE:
      markGasObserved()
      return create(false)
    case Op.CREATE2:
      markGasObserved()
      return create(true)
    case Op.CALL:
      markGasObserved()
      return call()
    case Op.CALLCODE:
      markGasObserved()
      return callCode()
    case Op.DELEGATECALL:
      markGasObserved()
      return delegateCall()
    case Op.STATICCALL:
      markGasObserved()
      return staticCall()
    case Op.SELFDESTRUCT:
      markGasObserved()
      return selfDestruct()
    case Op.ORIGIN:
    case Op.GASPRICE:
    case Op.COINBASE:
    case Op.TIMESTAMP:
    case Op.NUMBER:
    case Op.PREVRANDAO:
    case Op.GASLIMIT:
    case Op.CHAINID:
    case Op.BASEFEE:
    case Op.BLOBBASEFEE:
      return Environment.pushEnvironment(opcode)
    default:
      return INVALID_OPCODE
  }
}
