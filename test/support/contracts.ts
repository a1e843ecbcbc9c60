import { hexToBytes } from '../../src/primitives/hex.ts'

/** Init code that leaves this runtime code (hex digits, below 256 bytes). */
export function initCode(runtime: string): Uint8Array {
  const size = (runtime.length / 2).toString(16).padStart(2, '0')
  // PUSH1 size, PUSH1 10, PUSH0, CODECOPY, PUSH1 size, PUSH0, RETURN: ten bytes
  return hexToBytes(`0x60${size}600a5f3960${size}5ff3${runtime}`)
}

/** Returns NUMBER, TIMESTAMP, BASEFEE, PREVRANDAO and COINBASE as five words. */
export const ENVIRONMENT_RUNTIME = `43${'5f52'}42${'602052'}48${'604052'}44${'606052'}41${'608052'}60a05ff3`

/** Reverts with `Error("nope")`: copies the 100 bytes that follow its ten bytes of code. */
export const REVERT_DATA = `08c379a0${'20'.padStart(64, '0')}${'4'.padStart(64, '0')}${Buffer.from('nope').toString('hex').padEnd(64, '0')}`
export const REVERTING_RUNTIME = `6064600a5f3960645ffd${REVERT_DATA}`

/** Adds one to slot 0 and returns the sum. */
export const COUNTER_RUNTIME = '5f54600101805f555f5260205ff3'

/** LOG1 for every call: the first word of the calldata as topic, the second as data. */
export const LOGGER_RUNTIME = '602060205f375f3560205fa100'

/** Emits a log with 0, 1, 2, 3 and 4 topics (1, 2, 3, 4), each with the word 0xdd as data, and deploys nothing. */
export const FIVE_LOGS_INIT = hexToBytes(
  '0x60dd5f5260205fa0600160205fa16002600160205fa260036002600160205fa3600460036002600160205fa45f5ff3',
)

/** 32 bytes in hex that end in a small number. */
export function word(value: number | bigint | string): string {
  return `0x${BigInt(value).toString(16).padStart(64, '0')}`
}
