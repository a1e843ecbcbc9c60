import type { QueuedClient } from '../protocol/rpc-client.ts'
import type { CallSlots } from './call-slots.ts'

/** A call slot that its request gives back while it waits for another node (fork mode). */
export class ReleasedSlot {
  readonly #slots: CallSlots
  readonly #client: QueuedClient
  #isHeld = true

  /** @param slots in which the client has entered */
  constructor(slots: CallSlots, client: QueuedClient) {
    this.#slots = slots
    this.#client = client
  }

  /**
   * Waits without the slot, and takes one again.
   *
   * @throws RpcError -32005 when too many requests wait for a slot
   */
  readonly awaitState = async (load: () => Promise<void>): Promise<void> => {
    if (!this.#isHeld || !this.#slots.pause()) return load()
    this.#isHeld = false
    try {
      await load()
    } finally {
      this.#slots.resumed()
      const entered = this.#slots.enter(this.#client)
      if (entered !== true) await entered
      this.#isHeld = true
    }
  }

  /** Call when the request ends. */
  leave(): void {
    if (this.#isHeld) this.#slots.leave()
    this.#isHeld = false
  }
}
