import { GroupAssembler, readGroupPart } from '../../../src/replication/nats/record-groups.ts'
import { decodeRecord } from '../../../src/state/records/record.ts'
import type { Actor } from '../world/scheduler.ts'
import type { Ledger } from './ledger.ts'

/** Checks that only the life of a node that began the newest epoch publishes records. */
export class Epochs {
  readonly #ledger: Ledger
  readonly #assembler = new GroupAssembler({ maxBytes: 2 ** 26 })
  #leader: Actor | undefined
  /** Epochs so far. */
  count = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** A message that the replicated log has stored. */
  stored(publisher: Actor, headers: Readonly<Record<string, string>>, data: Uint8Array): void {
    const assembled = this.#assembler.take(
      readGroupPart((name) => headers[name]),
      data,
    )
    if (assembled.kind !== 'records') return
    for (const { sequence, payload } of assembled.records) {
      const record = decodeRecord(payload)
      if (record.kind === 'epoch') {
        this.#leader = publisher
        this.count += 1
      } else if (this.#leader !== publisher && this.#leader !== undefined) {
        this.#ledger.fail(
          'fenced',
          `${publisher.name} published record ${sequence} in an epoch of ${this.#leader.name}`,
        )
      }
      this.#ledger.record(publisher.name, sequence, payload)
    }
  }
}
