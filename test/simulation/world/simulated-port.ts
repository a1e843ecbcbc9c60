import { EventEmitter } from 'node:events'
import type { LinkEnd, SimulatedNetwork } from './network.ts'
import type { Actor, Scheduler } from './scheduler.ts'

/**
 * The part of a `Socket` of `node:net` that the sources use of an accepted connection: nothing is read from it before
 * a process serves it.
 */
export class AcceptedConnection extends EventEmitter {
  readonly end: LinkEnd
  readonly #process: Actor
  destroyed = false

  /** @param process the one that has it open through this object */
  constructor(end: LinkEnd, process: Actor) {
    super()
    this.end = end
    this.#process = process
    end.onFrame = ({ kind }) => {
      if (kind === 'lost') this.destroy()
    }
  }

  destroy(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.end.terminate(this.#process)
  }
}

/** The part of `node:net` that the sources use: a server that accepts connections for other processes. */
export function portModule(
  process: Actor,
  deps: { readonly network: SimulatedNetwork; readonly scheduler: Scheduler },
) {
  const { network, scheduler } = deps
  class PortServer extends EventEmitter {
    listen(port: number): this {
      const accept = (_: string, end: LinkEnd) => void this.emit('connection', new AcceptedConnection(end, process))
      network.listen(process, accept, 'later')
      scheduler.after(0, process, `listen ${port}`, () => this.emit('listening'))
      return this
    }

    address() {
      return { address: process.name, family: 'simulated', port: 0 }
    }

    close(): void {
      network.closeListener(process)
    }
  }
  const createServer = (_: object, onConnection: (socket: AcceptedConnection) => void) =>
    new PortServer().on('connection', onConnection)
  return { Socket: AcceptedConnection, createServer }
}
