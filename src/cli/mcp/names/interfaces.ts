import { decodeRevertReason, decodeSolidityRevert } from '../../../engine/call/revert-reason.ts'
import { canonicalSignature } from '../../../primitives/abi/abi-signature.ts'
import { type Bytes, bytesToHex, type Hex, hexToBytes } from '../../../primitives/hex.ts'
import type { Json, JsonRecord } from '../../../rpc/protocol/json.ts'
import type { AbiItem } from '../../terminal/abi-library.ts'
import { knownContracts } from '../../terminal/known-contracts.ts'
import { abiSelector, decodeEventLog, decodeValues, topicOf } from './abi-values.ts'

/** A call by name. */
export interface DecodedCall {
  /** @example 'transfer(address,uint256)' */
  readonly function: string
  readonly args?: JsonRecord
}

/** Why an execution reverted. */
export type DecodedError = {
  readonly kind: 'revert string' | 'panic' | 'custom error' | 'no data' | 'unknown data' | 'out of gas' | 'halt'
  /** A sentence for people. */
  readonly text: string
  readonly name?: string
  readonly args?: JsonRecord
  readonly data?: Hex
}

/** Functions, errors and events by selector or topic: known ABIs, to which those of contracts are added. */
export class Interfaces {
  readonly #items = new Map<string, AbiItem[]>()

  /** The contracts of `contracts/`, the predeploys of the OP stack and the usual tokens. */
  static known(): Interfaces {
    const interfaces = new Interfaces()
    for (const { abi } of knownContracts()) interfaces.add(abi)
    return interfaces
  }

  /** A copy, to which the items of single contracts can be added. */
  copy(): Interfaces {
    const copy = new Interfaces()
    for (const [key, items] of this.#items) copy.#items.set(key, items)
    return copy
  }

  add(abi: readonly AbiItem[]): void {
    for (const item of abi) {
      if (item.name === undefined) continue
      const key = `${item.type} ${item.type === 'event' ? topicOf(item) : abiSelector(item)}`
      const others = (this.#items.get(key) ?? []).filter((known) => JSON.stringify(known) !== JSON.stringify(item))
      // Later items are of the contract at hand: they come first.
      this.#items.set(key, [item, ...others])
    }
  }

  /** Functions with this name or signature, without spaces and names of parameters. */
  functionsNamed(text: string): readonly AbiItem[] {
    return [...this.#items.values()]
      .flat()
      .filter((item) => item.type === 'function' && (item.name === text || canonicalSignature(item) === text))
  }

  call(input: Bytes): DecodedCall {
    if (input.length === 0) return { function: 'receive' }
    const selector = bytesToHex(input.subarray(0, 4))
    for (const item of this.#items.get(`function ${selector}`) ?? []) {
      const signature = canonicalSignature(item)
      const args = attempted(() => decodeValues(item.inputs ?? [], input.subarray(4)))
      return args === undefined ? { function: signature } : { function: signature, args }
    }
    return { function: selector }
  }

  /** The value that a function returned. */
  result(input: Bytes, output: Bytes): Json | undefined {
    for (const item of this.#items.get(`function ${bytesToHex(input.subarray(0, 4))}`) ?? []) {
      const { outputs } = item as { readonly outputs?: AbiItem['inputs'] }
      const values = outputs && attempted(() => decodeValues(outputs, output))
      if (values !== undefined) return values
    }
    return undefined
  }

  log(topics: readonly Hex[], data: Hex): { readonly event: string; readonly args: JsonRecord } | undefined {
    for (const item of this.#items.get(`event ${topics[0]}`) ?? []) {
      const args = decodeEventLog(item, topics, hexToBytes(data))
      if (args !== undefined) return { event: canonicalSignature(item), args }
    }
    return undefined
  }

  /** @param halt the reason of the EVM, where the execution did not revert */
  error(data: Hex, halt?: string): DecodedError {
    if (halt !== undefined && !/revert/i.test(halt)) {
      const kind = /out of gas/i.test(halt) ? 'out of gas' : 'halt'
      return { kind, text: halt }
    }
    const output = hexToBytes(data)
    if (output.length === 0) return { kind: 'no data', text: 'reverted without a reason' }
    const reason = decodeRevertReason(output)
    if (reason !== undefined) {
      const isPanic = decodeSolidityRevert(output)?.kind === 'panic'
      return { kind: isPanic ? 'panic' : 'revert string', text: isPanic ? `panic: ${reason}` : reason, data }
    }
    return this.#customError(output, data)
  }

  #customError(output: Bytes, data: Hex): DecodedError {
    for (const item of this.#items.get(`error ${bytesToHex(output.subarray(0, 4))}`) ?? []) {
      const args = attempted(() => decodeValues(item.inputs ?? [], output.subarray(4)))
      const known = args ?? {}
      const shown = Object.entries(known).map(([name, value]) => `${name}: ${shownValue(value)}`)
      const name = item.name!
      return { kind: 'custom error', text: `${name}(${shown.join(', ')})`, name, args: known, data }
    }
    return { kind: 'unknown data', text: `reverted with unknown data ${data.slice(0, 74)}`, data }
  }
}

function shownValue(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function attempted<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch {
    // The selector fits, the arguments do not.
    return undefined
  }
}
