import { BERLIN, CONSTANTINOPLE, ISTANBUL, LONDON, PETERSBURG } from '../../../../chain/forks/ordinals.ts'
import { SLOT_COLD, SLOT_ORIGINAL } from '../../abi/records.ts'
import { CONTINUE, OUT_OF_GAS, WRITE_PROTECTION } from '../../abi/status.ts'
import { WARM_GAS } from '../gas-table.ts'
import { charge, frame, IS_STATIC, pop, SELF, stackPointer } from '../memory/frames.ts'
import { fork } from '../session-rules.ts'
import { addRefund } from '../session-state.ts'
import { COLD_SLOT_GAS, needSlot } from '../state/access.ts'
import { noteColdSlot } from '../state/cold-accesses.ts'
import { currentValue, isWarmSlot, keepOriginal, needsValue, setValue, slotOf, warmSlot } from '../state/slots.ts'
import { setTransientValue, transientValue } from '../state/transient.ts'
import { copyWord, isEqual, isZero, setWord } from '../words/word.ts'
import { passesSentry } from './gas-need.ts'

/** SLOAD, SSTORE, TLOAD, TSTORE. */

const SET_GAS: i64 = 20000
const RESET_GAS: i64 = 5000
const CLEARING_REFUND: i64 = 15000
/** EIP-3529 */
const CLEARING_REFUND_LONDON: i64 = 4800

/** Charges for a cold access; the caller charges the base price. */
function chargeColdSlot(slot: usize): bool {
  if (fork < BERLIN || isWarmSlot(slot)) return true
  warmColdSlot(slot)
  return charge(COLD_SLOT_GAS)
}

function warmColdSlot(slot: usize): void {
  warmSlot(slot)
  noteColdSlot(slot, SLOT_COLD)
}

export function loadSlot(): u32 {
  const self = load<usize>(frame, SELF)
  const key = stackPointer - 32
  const slot = slotOf(self, key)
  if (needsValue(slot)) return needSlot(self, stackPointer - 32)
  if (fork >= BERLIN) {
    const isWarm = isWarmSlot(slot)
    if (!isWarm) warmColdSlot(slot)
    if (!charge(isWarm ? WARM_GAS : COLD_SLOT_GAS)) return OUT_OF_GAS
  }
  copyWord(stackPointer - 32, currentValue(slot))
  return CONTINUE
}

export function storeSlot(): u32 {
  if (load<u32>(frame, IS_STATIC) !== 0) return WRITE_PROTECTION
  if (fork >= ISTANBUL && !passesSentry()) return OUT_OF_GAS
  const self = load<usize>(frame, SELF)
  const slot = slotOf(self, stackPointer - 32)
  if (needsValue(slot)) return needSlot(self, stackPointer - 32)
  const value = pop(2)
  keepOriginal(slot)
  if (!chargeColdSlot(slot)) return OUT_OF_GAS
  const isNetMetered = fork >= CONSTANTINOPLE && fork !== PETERSBURG
  if (!(isNetMetered ? chargeNetWrite(slot, value) : chargeWrite(slot, value))) return OUT_OF_GAS
  setValue(slot, value)
  return CONTINUE
}

/** Yellow Paper, appendix H.2, SSTORE before Constantinople. */
function chargeWrite(slot: usize, value: usize): bool {
  const wasZero = isZero(currentValue(slot))
  const isNowZero = isZero(value)
  if (!wasZero && isNowZero) addRefund(CLEARING_REFUND)
  return charge(wasZero && !isNowZero ? SET_GAS : RESET_GAS)
}

/** EIP-1283, EIP-2200, EIP-2929, EIP-3529: the price depends on the value at the start of the transaction. */
function chargeNetWrite(slot: usize, value: usize): bool {
  const noopGas: i64 = fork >= BERLIN ? WARM_GAS : fork >= ISTANBUL ? 800 : 200
  const resetGas = fork >= BERLIN ? RESET_GAS - COLD_SLOT_GAS : RESET_GAS
  const clearingRefund = fork >= LONDON ? CLEARING_REFUND_LONDON : CLEARING_REFUND
  const current = currentValue(slot)
  const original = slot + SLOT_ORIGINAL
  if (isEqual(current, value)) return charge(noopGas)
  const wasZero = isZero(original)
  if (isEqual(original, current)) {
    if (wasZero) return charge(SET_GAS)
    if (isZero(value)) addRefund(clearingRefund)
    return charge(resetGas)
  }
  if (!wasZero) {
    if (isZero(current)) addRefund(-clearingRefund)
    else if (isZero(value)) addRefund(clearingRefund)
  }
  if (isEqual(original, value)) addRefund(wasZero ? SET_GAS - noopGas : resetGas - noopGas)
  return charge(noopGas)
}

/** EIP-1153 */
export function loadTransient(): u32 {
  const word = stackPointer - 32
  const value = transientValue(load<usize>(frame, SELF), word)
  if (value === 0) setWord(word, 0)
  else copyWord(word, value)
  return CONTINUE
}

export function storeTransient(): u32 {
  if (load<u32>(frame, IS_STATIC) !== 0) return WRITE_PROTECTION
  const value = pop(2)
  setTransientValue(load<usize>(frame, SELF), value + 32, value)
  return CONTINUE
}
