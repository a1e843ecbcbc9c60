import { type Address, type Hex, isHexBytes } from '../../../primitives/hex.ts'
import type { JsonRecord } from '../../../rpc/protocol/json.ts'
import { readArray, readHex, wireObject } from '../../stock/chain/wire.ts'
import type { NamedContracts } from '../names/contracts.ts'

/** The contracts that emitted these logs, one for each log. */
export function addressesOf(logs: readonly unknown[]): readonly Address[] {
  return logs.map((log) => readHex(wireObject(log, 'log').address, 'address of a log').toLowerCase() as Address)
}

/** A log, with its event by name where that is known, otherwise with topics and data. */
export function describeLog(json: unknown, contracts: NamedContracts): JsonRecord {
  const { address, topics, data } = wireObject(json, 'log')
  const hexTopics = readArray(topics, 'topics of a log').filter(isHexBytes) as readonly Hex[]
  const hexData = readHex(data, 'data of a log')
  const decoded = hexTopics.length === 0 ? undefined : contracts.interfaces.log(hexTopics, hexData)
  const name = contracts.of(String(address))?.name
  return {
    address: String(address),
    ...(name !== undefined && { contract: name }),
    ...(decoded ?? { topics: hexTopics, data: hexData }),
  }
}
