import type { NodeAccess } from '../guest/node-access.ts'
import type { Forked, NodeObserver, SimulatedRole, SimulatedSettings } from '../guest/simulation.ts'
import type { EmittedItems } from '../oracles/deliveries.ts'
import type { Ledger } from '../oracles/ledger.ts'
import { type DatabaseContent, SimulatedDatabase } from '../world/database.ts'
import { type DiskCopy, SimulatedDisk } from '../world/disk.ts'
import { DiskCondition } from '../world/disk-condition.ts'
import { MachineClock } from '../world/machine-clock.ts'
import { type CompiledProgram, type ProcessWorld, SimulatedProcess } from '../world/simulated-process.ts'
import { NATURE, type World } from '../world/world.ts'
import { Readers } from './readers.ts'

export interface MachineOptions {
  readonly name: string
  readonly settings: SimulatedSettings
  readonly syncMs: number
  readonly commitMs: number
  /** Milliseconds that its clock is ahead. */
  readonly clockOffsetMs: number
  /** Share by which its clock is faster. */
  readonly clockDrift: number
  /** Whether its program may refuse the servers of the replicated log. */
  readonly mayRefuse: boolean
}

export interface MachineDeps {
  readonly world: World
  readonly program: CompiledProgram
  readonly ledger: Ledger
  readonly emitted: EmittedItems
}

/** Median of the time after which a node knows of its commit, in milliseconds. */
const NOTICE_MS = 1

/** `power`: unsynced data is lost as well. */
export type CrashKind = 'kill' | 'power'

/** A disk, a database and at most one process on them. */
export class Machine {
  readonly name: string
  readonly #options: MachineOptions
  readonly #deps: MachineDeps
  readonly #disk: SimulatedDisk
  readonly #database: SimulatedDatabase
  readonly condition: DiskCondition
  readonly clock: MachineClock
  /** An older state of the disk. */
  #copy: { readonly files: DiskCopy; readonly content: DatabaseContent } | undefined
  #process: SimulatedProcess | undefined
  readonly #readers: Readers
  #isRetired = false
  /** Lives that were ended by a crash. */
  crashes = 0
  /** Starts that ended because the program refused the servers of the replicated log. */
  refusals = 0

  constructor(options: MachineOptions, deps: MachineDeps) {
    this.name = options.name
    this.#options = options
    this.#deps = deps
    const { scheduler, random, trace } = deps.world
    const condition = new DiskCondition({ scheduler, random })
    this.condition = condition
    this.clock = new MachineClock({ offsetMs: options.clockOffsetMs, drift: options.clockDrift }, { scheduler })
    const parts = { scheduler, random, trace, condition }
    const isShared = options.settings.readers > 0
    this.#disk = new SimulatedDisk({ syncMs: options.syncMs, isShared }, parts)
    this.#database = new SimulatedDatabase({ commitMs: options.commitMs, noticeMs: isShared ? NOTICE_MS : 0 }, parts)
    this.#readers = new Readers(options.name, {
      world: deps.world,
      createProcess: (name) => this.#createProcess(name),
      start: (reader, forked) => this.#startReader(reader, forked),
    })
  }

  get isUp(): boolean {
    return this.#process !== undefined
  }

  /** The open node, if there is one. */
  get access(): NodeAccess | undefined {
    return this.#process?.access
  }

  /** Starts a process on the disk as it is. */
  boot(): void {
    if (this.#isRetired) return
    const { world, ledger } = this.#deps
    const { trace } = world
    const { name } = this.#options
    const process = this.#createProcess()
    this.#process = process
    this.condition.hasFailed = false
    trace.note(name, 'starts')
    process.start(this.#worldOf(process)).then(
      (access) => {
        if (!process.isAlive) return
        trace.note(name, () => `is open at record ${access.sequence()}, block ${access.latest()}`)
        ledger.compare(name, access, access.role === 'solo' ? ledger.newest.number : undefined)
      },
      (error: unknown) => {
        if (!process.isAlive) return
        const isRefusal = this.#options.mayRefuse && codeOf(error) === 'REFUSED'
        if (isRefusal) this.refusals += 1
        if (isRefusal || codeOf(error) === 'UNREACHABLE' || this.condition.hasFailed)
          this.#bootLater(process, messageOf(error))
        else ledger.fail('opens', `${name} does not open: ${messageOf(error)}`, error)
      },
    )
  }

  async #startReader(reader: SimulatedProcess, forked: Forked): Promise<void> {
    const { world, ledger } = this.#deps
    const { name } = reader
    const access = await reader.read(this.#worldOf(reader, forked))
    if (!reader.isAlive) return
    world.trace.note(name, () => `serves clients at record ${access.sequence()}, block ${access.latest()}`)
    // It has what any reader of its node has acknowledged; other nodes may be ahead.
    ledger.compare(name, access, this.role === 'solo' ? 0 : undefined)
  }

  crash(kind: CrashKind): void {
    const process = this.#process
    if (process === undefined) return
    const { network, random, trace } = this.#deps.world
    process.kill()
    this.#deps.ledger.transactions.end(process)
    this.#process = undefined
    this.crashes += 1
    trace.note(this.name, kind === 'power' ? 'loses power' : 'is killed')
    this.#disk.kill(process)
    this.#database.kill(process)
    if (kind === 'power') this.#readers.endAll()
    else this.#readers.lose(process)
    if (kind === 'power') this.#disk.losePower()
    // The operating system of a killed process closes its connections.
    network.drop(process, () => (kind === 'power' ? random.between(0, 20_000) : random.between(0, 5)))
  }

  /** Loses power for ever. */
  retire(): void {
    this.#isRetired = true
    this.crash('power')
  }

  get role(): SimulatedRole['kind'] {
    return this.#options.settings.role.kind
  }

  /** The machine that it follows. */
  get source(): string | undefined {
    const { role } = this.#options.settings
    return role.kind === 'replica' ? role.source : undefined
  }

  /** Whether it may start on an older copy of its disk: what it announced is elsewhere, too. */
  get mayGoBack(): boolean {
    return this.#options.settings.role.kind !== 'solo'
  }

  /** Keeps a copy of the disk. */
  keepCopy(): void {
    this.#copy = { files: this.#disk.copy(), content: this.#database.content }
    this.#deps.world.trace.note(this.name, 'has a copy of its disk made')
  }

  /** Loses power, and has the copy of its disk restored. */
  goBack(): void {
    if (this.#copy === undefined || this.#process === undefined) return
    this.crash('power')
    this.#disk.restore(this.#copy.files)
    this.#database.restore(this.#copy.content)
    this.#deps.world.trace.note(this.name, 'gets the copy of its disk')
  }

  /** Ends everything that is wrong with the machine, as its operator does. */
  heal(): void {
    this.condition.heal()
    this.clock.set()
    if (!this.isUp) this.boot()
  }

  /** Kills the process at the end of the simulation. */
  end(): void {
    this.#readers.endAll()
    const process = this.#process
    if (process === undefined) return
    this.#process = undefined
    process.kill()
    this.#disk.kill(process)
    this.#database.kill(process)
  }

  /** Verifies the disk, after `end`. */
  async verify(): Promise<void> {
    const { ledger, world } = this.#deps
    const { name } = this.#options
    const process = this.#createProcess()
    try {
      const found = await process.verify(this.#worldOf(process))
      world.trace.note(name, () => `verifies: ${found?.kind ?? 'begins with a snapshot'}`)
      if (found?.kind === 'different') {
        const { where, what, expected, got } = found.difference
        ledger.fail('verifies', `${name}: ${what} of ${where} is ${got} instead of ${expected}`)
      }
    } catch (error) {
      ledger.fail('verifies', `${name} cannot be verified: ${messageOf(error)}`, error)
    } finally {
      process.kill()
    }
  }

  /** The process executes nothing for a while, and continues then. */
  pause(durationMs: number): void {
    if (this.#process === undefined) return
    const { scheduler, trace } = this.#deps.world
    this.#process.pausedUntil = scheduler.now + durationMs
    trace.note(this.name, `pauses for ${Math.round(durationMs)} ms`)
  }

  /** Ends all pauses. */
  resume(): void {
    for (const process of [this.#process, ...this.#readers.living]) if (process !== undefined) process.pausedUntil = 0
  }

  /** What its processes show: the node, and each reader that it should have; `undefined`: it is not open. */
  shown(): readonly { readonly name: string; readonly access: NodeAccess | undefined }[] {
    const { name, access } = this
    const readers = this.readers
    const numbers = Array.from({ length: this.#options.settings.readers }, (_, index) => index)
    return [
      { name, access },
      ...numbers.map((index) => ({ name: `a reader of ${name}`, access: readers[index]?.access })),
    ]
  }

  /** The readers of the running node. */
  get readers(): readonly SimulatedProcess[] {
    return this.#process === undefined ? [] : this.#readers.of(this.#process)
  }

  pauseReader(reader: SimulatedProcess, durationMs: number): void {
    this.#readers.pause(reader, durationMs)
  }

  killReader(reader: SimulatedProcess): void {
    this.#readers.kill(reader)
  }

  /** A reader that ends because of an error is started again, and no error is expected on a disk without faults. */
  #readerFailed({ name }: SimulatedProcess, error: unknown): void {
    this.#deps.world.trace.note(name, `fails: ${messageOf(error)}`)
    if (this.condition.hasFailed || this.access?.isReplacing()) return
    this.#deps.ledger.fail('runs', `${name} failed: ${messageOf(error)}`, error)
  }

  /** Removes the data directory, as the message of the program says. */
  #wipe(process: SimulatedProcess): void {
    process.kill()
    this.#readers.endAll()
    this.#disk.kill(process)
    this.#database.kill(process)
    this.#disk.restore(new Map())
    this.#database.restore(new Map())
  }

  /** A program ends after an error that it names, and its supervisor starts it again. */
  #bootLater(process: SimulatedProcess, reason: string): void {
    const { scheduler, network, random, trace } = this.#deps.world
    trace.note(this.name, `ends: ${reason}`)
    process.kill()
    this.#deps.ledger.transactions.end(process)
    this.#disk.kill(process)
    this.#database.kill(process)
    this.#readers.lose(process)
    network.drop(process, () => random.between(0, 5))
    this.#process = undefined
    scheduler.after(random.between(100, 2_000), NATURE, `boot ${this.name}`, () => {
      if (!this.isUp) this.boot()
    })
  }

  #createProcess(name = this.name): SimulatedProcess {
    const { world, program } = this.#deps
    const { scheduler, network } = world
    const random = world.random.fork()
    return new SimulatedProcess(name, { program, scheduler, network, random, clock: this.clock })
  }

  /** @param forked present for a reader */
  #worldOf(process: SimulatedProcess, forked?: Forked): ProcessWorld {
    const { trace } = this.#deps.world
    const { settings } = this.#options
    const { name } = process
    const database = this.#database
    return {
      forked,
      fork: () => this.#readers.fork(process),
      settings,
      fileSystem: this.#disk.fileSystem(process),
      database: {
        get content() {
          return database.content
        },
        commit: (content: SimulatedDatabase['content'], label: string) => database.commit(process, content, label),
      },
      observer: this.#observerOf(process, forked !== undefined),
      log: (level: string, message: string, details: unknown) => {
        if (level === 'trace' || level === 'debug') return
        trace.note(name, () => `${level}: ${message}${reasonOf(details)}`)
      },
    }
  }

  #observerOf(process: SimulatedProcess, isReader: boolean): NodeObserver {
    const { ledger, emitted, world } = this.#deps
    const { trace } = world
    const { name } = process
    return {
      flashblock: (shown, sequence) => {
        trace.note(name, () => `flashblock ${shown.number}/${shown.index}, ${shown.transactions.length} transactions`)
        ledger.flashblock(name, shown, sequence)
      },
      sealed: (shown, sequence) => {
        trace.note(name, () => `block ${shown.number} ${shown.hash.slice(0, 10)}`)
        ledger.sealed(name, shown, sequence)
        if (!emitted.addHead(process, shown)) ledger.fail('subscriptions', `${name} announces ${shown.hash} again`)
      },
      unwound: (blocks) => {
        const lowest = blocks.at(-1)
        const emittedBefore = lowest === undefined ? [] : emitted.unwound(process, lowest.number)
        ledger.unwound(name, [...blocks.map(({ hash }) => hash), ...emittedBefore])
      },
      item: (channel, key) => emitted.add(process, channel, key),
      dropped: (hash, reason) => {
        trace.note(name, () => `drops ${hash.slice(0, 10)}: ${reason}`)
        ledger.transactions.drop(hash, process)
      },
      record: (sequence, payload) => ledger.record(name, sequence, payload),
      failed: (error) => {
        if (!process.isAlive) return
        if (isReader) return this.#readerFailed(process, error)
        // Blocks were taken back while it was away that are final for it.
        const isOvertaken = ledger.unwindings > 0 && codeOf(error) === 'FORKED'
        if (isOvertaken) this.#wipe(process)
        const isDisturbed = isWorkerError(error) && this.#readers.hasDisturbed(process)
        if (isOvertaken || isDisturbed || this.condition.hasFailed) this.#bootLater(process, messageOf(error))
        else ledger.fail('runs', `${name} failed: ${messageOf(error)}`, error)
      },
    }
  }
}

/** Whether a reader ended before it served clients. */
function isWorkerError(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkerError'
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown }).code
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function reasonOf(details: unknown): string {
  const { err, reason = err } = (details ?? {}) as { readonly err?: unknown; readonly reason?: unknown }
  return reason === undefined ? '' : ` (${messageOf(reason)})`
}
