import type { Header } from '../../chain/block/header.ts'
import type { Hash } from '../../primitives/hex.ts'
import { CHAIN_TIME_KEY } from '../../state/chain-store/encoding/metadata-keys.ts'
import type { TableName } from '../../state/chain-store/encoding/tables.ts'
import { put } from '../../state/chain-store/encoding/write.ts'
import { type KeyValueStore, withSnapshot } from '../../storage/key-value.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import { type NextBlockSettings, type OneBlockSettings, withChainTime } from './next-block.ts'

/** Settings that survive a restart. Others begin anew with the flags. */
export type StoredTime = Pick<NextBlockSettings, 'offsetMs' | 'timestampInterval' | 'once'>

/** Chain time that was never changed. */
export const WALL_CLOCK: StoredTime = { offsetMs: 0n, timestampInterval: undefined, once: undefined }

/** Chain time of a new chain. @param timestamp Unix seconds; default: the wall clock */
export function initialTime(timestamp: bigint | undefined, wallMs: number): StoredTime {
  return timestamp === undefined ? WALL_CLOCK : withChainTime(WALL_CLOCK, timestamp, wallMs)
}

/** Chain time as of the last change; `undefined`: it was never changed. */
export function storedTime(store: KeyValueStore<TableName>): StoredTime | undefined {
  const value = withSnapshot(store, (reader) => reader.get('metadata', CHAIN_TIME_KEY))
  return value === undefined ? undefined : decoded(Buffer.from(value).toString('ascii'))
}

/** The newest sealed block of a chain that starts again, and whether alterations follow it. */
export interface RecoveredEnd {
  readonly newest: Pick<Header, 'number'>
  readonly isAltered: boolean
}

/**
 * Chain time after a restart. Settings for the next block stay if it is still the next one; a base fee also needs the
 * alteration that was recorded with it. A process may have ended between the seal of a block with a chosen timestamp
 * and the write of the time that continues from it: time then continues from that timestamp now.
 */
export function recoveredTime(stored: StoredTime, { newest, isAltered }: RecoveredEnd, wallMs: number): StoredTime {
  const { once } = stored
  if (once === undefined) return stored
  if (once.number === newest.number + 1) {
    return isAltered ? stored : { ...stored, once: { ...once, baseFeePerGas: undefined } }
  }
  const dropped = { ...stored, once: undefined }
  const isServed = once.number <= newest.number && once.timestamp !== undefined
  return isServed ? withChainTime(dropped, once.timestamp, wallMs) : dropped
}

/** Writes chain time when it changes. */
export class TimeStore {
  readonly #store: KeyValueStore<TableName>
  /** As encoded. */
  #stored: string
  #writing: Promise<void> = Promise.resolve()

  constructor(stored: StoredTime, { store }: { readonly store: KeyValueStore<TableName> }) {
    this.#stored = encoded(stored)
    this.#store = store
  }

  /** Resolves when the time is durable. */
  keep(time: StoredTime): Promise<void> {
    const text = encoded(time)
    if (text === this.#stored) return this.#writing
    this.#stored = text
    this.#writing = this.#writing.then(async () => {
      const batch = new WriteBatch<TableName>()
      batch.add(put('metadata', CHAIN_TIME_KEY, Buffer.from(text, 'ascii')))
      await this.#store.commit(batch)
    })
    return this.#writing
  }
}

type EncodedOnce = readonly [
  number: number,
  timestamp: string | null,
  baseFeePerGas: string | null,
  prevRandao: Hash | null,
]
type EncodedTime = readonly [offsetMs: string, timestampInterval: string | null, once: EncodedOnce | null]

function encoded({ offsetMs, timestampInterval, once }: StoredTime): string {
  return JSON.stringify([String(offsetMs), digits(timestampInterval), once ? encodedOnce(once) : null] as EncodedTime)
}

function encodedOnce({ number, timestamp, baseFeePerGas, prevRandao }: OneBlockSettings): EncodedOnce {
  return [number, digits(timestamp), digits(baseFeePerGas), prevRandao ?? null]
}

function digits(value: bigint | undefined): string | null {
  return value?.toString() ?? null
}

function decoded(text: string): StoredTime {
  const [offsetMs, interval, once] = JSON.parse(text) as EncodedTime
  return {
    offsetMs: BigInt(offsetMs),
    timestampInterval: bigintOf(interval),
    once: once ? decodedOnce(once) : undefined,
  }
}

function decodedOnce([number, timestamp, baseFeePerGas, prevRandao]: EncodedOnce): OneBlockSettings {
  return {
    number,
    timestamp: bigintOf(timestamp),
    baseFeePerGas: bigintOf(baseFeePerGas),
    prevRandao: prevRandao ?? undefined,
  }
}

function bigintOf(text: string | null): bigint | undefined {
  return text === null ? undefined : BigInt(text)
}
