import type { Random } from './random.ts'
import type { Actor, Scheduler } from './scheduler.ts'
import type { Trace } from './trace.ts'

/** A message from one end of a connection to the other. */
export type Frame =
  | { readonly kind: 'data'; readonly bytes: Buffer; readonly isBinary: boolean }
  | { readonly kind: 'ping' | 'pong' }
  | { readonly kind: 'close'; readonly code: number; readonly reason: string }
  /** The connection was reset. */
  | { readonly kind: 'lost' }

interface Queued {
  readonly frame: Frame
  readonly sent: number
  readonly due: number
  readonly onDelivered?: (() => void) | undefined
}

export interface NetworkSettings {
  /** Median of the time that a message takes, in milliseconds. */
  readonly latencyMs: number
  /** Whether all messages take about as long. */
  readonly isSteady?: boolean
}

export interface NetworkDeps {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly trace: Trace
}

/** Accepts a connection to a path of a process. */
export type Listener = (path: string, end: LinkEnd) => void

interface Listening {
  readonly actor: Actor
  readonly accept: Listener
  readonly opens: 'at once' | 'later'
}

/** Connections between processes, in the order of TCP: delayed, cut and reset, never reordered. */
export class SimulatedNetwork {
  settings: NetworkSettings
  readonly deps: NetworkDeps
  readonly #listeners = new Map<string, Listening>()
  readonly #links = new Set<Link>()
  /** Simulated time at which a direction works again, by `FROM TO`. */
  readonly #cuts = new Map<string, number>()

  constructor(settings: NetworkSettings, deps: NetworkDeps) {
    this.settings = settings
    this.deps = deps
  }

  /** @param opens `later`: the client waits until a process calls `LinkEnd.open`. Default: at once. */
  listen(actor: Actor, accept: Listener, opens: Listening['opens'] = 'at once'): void {
    this.#listeners.set(actor.name, { actor, accept, opens })
  }

  closeListener(actor: Actor): void {
    if (this.#listeners.get(actor.name)?.actor === actor) this.#listeners.delete(actor.name)
  }

  /** Connects to a process by its name. The connection is open, or lost, when its first frame arrives. */
  connect(from: Actor, to: string, path: string, onOpen: () => void): LinkEnd {
    const link = new Link({ from: from.name, to, path, onOpen }, this)
    const end = new LinkEnd(link, from, to)
    link.ends.push(end)
    this.#links.add(link)
    const { scheduler } = this.deps
    const arrive = () => {
      const listener = this.#listeners.get(to)
      if (listener === undefined || !listener.actor.isAlive) return link.break('lost')
      const other = new LinkEnd(link, listener.actor, from.name)
      link.ends.push(other)
      if (listener.opens === 'at once') other.open()
      listener.accept(path, other)
    }
    const cut = Math.max(this.openAt(from.name, to), this.openAt(to, from.name))
    const delay = Math.max(0, cut - scheduler.now) + this.latency()
    scheduler.after(delay, from, `connect ${to}${path}`, arrive)
    return end
  }

  latency(): number {
    const { latencyMs, isSteady = false } = this.settings
    return isSteady ? latencyMs : this.deps.random.delay(latencyMs)
  }

  /** Holds all messages of a direction. */
  cut(from: string, to: string, durationMs: number): void {
    this.#cuts.set(`${from} ${to}`, this.deps.scheduler.now + durationMs)
  }

  /** Ends all cuts; messages that wait arrive at their times. */
  healAll(): void {
    this.#cuts.clear()
  }

  /** Simulated time from which messages of a direction arrive. */
  openAt(from: string, to: string): number {
    return this.#cuts.get(`${from} ${to}`) ?? 0
  }

  /** The ends of all connections. */
  *ends(): Iterable<LinkEnd> {
    for (const { ends } of this.#links) yield* ends
  }

  /** Resets a connection chosen by chance. */
  resetOne(): string | undefined {
    const links = [...this.#links]
    if (links.length === 0) return undefined
    const link = this.deps.random.pick(links)
    link.break('lost')
    return link.name
  }

  /**
   * Ends the connections of a dead process.
   *
   * @param delayMs until the others notice; they may find out earlier by silence
   */
  drop(actor: Actor, delayMs: () => number): void {
    this.closeListener(actor)
    for (const link of [...this.#links]) {
      const end = link.ends.find((one) => one.isHeldBy(actor))
      const other = link.ends.find((one) => one !== end)
      if (end === undefined || !end.release(actor)) continue
      this.#links.delete(link)
      if (other === undefined) continue
      const lost = () => other.receive({ kind: 'lost' })
      this.deps.scheduler.after(delayMs(), other, `lost ${actor.name}`, lost)
    }
  }

  forget(link: Link): void {
    this.#links.delete(link)
  }
}

interface LinkOptions {
  readonly from: string
  readonly to: string
  readonly path: string
  /** Called in the process that connected. */
  readonly onOpen: () => void
}

class Link {
  readonly network: SimulatedNetwork
  readonly name: string
  readonly path: string
  readonly onOpen: () => void
  readonly ends: LinkEnd[] = []
  isBroken = false

  constructor({ from, to, path, onOpen }: LinkOptions, network: SimulatedNetwork) {
    this.network = network
    this.name = `${from} - ${to}`
    this.path = path
    this.onOpen = onOpen
  }

  /** Both ends find out. */
  break(kind: 'lost'): void {
    if (this.isBroken) return
    this.isBroken = true
    this.network.forget(this)
    const { scheduler } = this.network.deps
    for (const end of this.ends) scheduler.after(0, end, kind, () => end.receive({ kind }))
  }
}

/** One end of a connection. Its effects belong to the process that reads it at that time. */
export class LinkEnd implements Actor {
  /** The machine or client: cuts concern all of its processes. */
  readonly host: string
  readonly peerHost: string
  #owner: Actor
  /** Processes that have it open, and how often: a process may give it away and get it back before it closes it. */
  readonly #holders = new Map<Actor, number>()
  readonly #link: Link
  readonly #queue: Queued[] = []
  #isPumping = false
  #lastDue = 0
  #isPaused = false
  readonly #unread: Frame[] = []
  /** Bytes of the newest write that began when the other end had read everything. */
  firstWrite = 0
  onFrame: (frame: Frame) => void = () => undefined

  constructor(link: Link, owner: Actor, peerHost: string) {
    this.#link = link
    this.#owner = owner
    this.#holders.set(owner, 1)
    this.host = owner.name
    this.peerHost = peerHost
  }

  /** The process that reads it. */
  get owner(): Actor {
    return this.#owner
  }

  get name(): string {
    return this.#owner.name
  }

  get isAlive(): boolean {
    return this.#owner.isAlive
  }

  get pausedUntil(): number {
    return this.#owner.pausedUntil
  }

  /** Lets another process of the machine read it: it is closed when all processes that have it have closed it. */
  giveTo(process: Actor): void {
    this.#holders.set(process, 1 + (this.#holders.get(process) ?? 0))
    this.#owner = process
    const lost = () => this.receive({ kind: 'lost' })
    if (this.#link.isBroken) this.#link.network.deps.scheduler.after(0, this, 'lost', lost)
  }

  isHeldBy(process: Actor): boolean {
    return this.#holders.has(process)
  }

  /** A process has died. @returns whether none has it open any more */
  release(process: Actor): boolean {
    this.#holders.delete(process)
    const [other] = this.#holders.keys()
    if (other !== undefined && process === this.#owner) this.#owner = other
    return other === undefined
  }

  /** The client finds its connection open. */
  open(): void {
    const other = this.#other
    if (other === undefined) return
    const { network, onOpen } = this.#link
    network.deps.scheduler.after(network.latency(), other, `open ${this.host}`, onOpen)
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Path that was connected to. */
  get path(): string {
    return this.#link.path
  }

  /** The process at the other end, once it is connected. */
  get peer(): Actor | undefined {
    return this.#other?.owner
  }

  /** Bytes that the other end has not read. */
  get unreadBytes(): number {
    const waiting = [...this.#queue.map(({ frame }) => frame), ...(this.#other?.unread ?? [])]
    return waiting.reduce((sum, frame) => sum + (frame.kind === 'data' ? frame.bytes.length : 0), 0)
  }

  get unread(): readonly Frame[] {
    return this.#unread
  }

  get #other(): LinkEnd | undefined {
    return this.#link.ends.find((end) => end !== this)
  }

  /**
   * @param onDelivered called when the other end has received it
   * @param writeBytes bytes of the write that begins with this frame. Default: the frame alone.
   */
  send(frame: Frame, onDelivered?: () => void, writeBytes?: number): void {
    if (this.#link.isBroken) return
    if (frame.kind === 'data' && this.unreadBytes === 0) this.firstWrite = writeBytes ?? frame.bytes.length
    const { network } = this.#link
    this.#lastDue = Math.max(this.#lastDue, network.deps.scheduler.now + network.latency())
    this.#queue.push({ frame, sent: network.deps.scheduler.now, due: this.#lastDue, onDelivered })
    this.#pump()
  }

  /**
   * Closes it in one process. If no other one has it open, the connection is reset; the other end finds out later.
   *
   * @param process Default: the one that reads it
   */
  terminate(process: Actor = this.#owner): void {
    const times = this.#holders.get(process) ?? 0
    if (times > 1) this.#holders.set(process, times - 1)
    if (times > 1 || !this.release(process) || this.#link.isBroken) return
    const { network } = this.#link
    this.#link.isBroken = true
    network.forget(this.#link)
    const other = this.#other
    if (other === undefined) return
    network.deps.scheduler.after(network.latency(), other, 'lost', () => other.receive({ kind: 'lost' }))
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    while (!this.#isPaused && this.#unread.length > 0) this.onFrame(this.#unread.shift()!)
  }

  receive(frame: Frame): void {
    if (this.#isPaused && frame.kind !== 'lost') this.#unread.push(frame)
    else this.onFrame(frame)
  }

  #pump(): void {
    const [head] = this.#queue
    if (this.#isPumping || head === undefined || this.#link.isBroken) return
    const { network } = this.#link
    const { scheduler, trace } = network.deps
    const other = this.#other
    if (other === undefined) return
    this.#isPumping = true
    const open = network.openAt(this.host, this.peerHost)
    scheduler.after(Math.max(head.due, open) - scheduler.now, other, `receive ${head.frame.kind}`, () => {
      this.#isPumping = false
      if (this.#link.isBroken) return
      if (network.openAt(this.host, this.peerHost) <= scheduler.now) {
        this.#queue.shift()
        if (head.frame.kind === 'data') trace.message(this.name, other.name, head.sent, head.frame.bytes)
        other.receive(head.frame)
        head.onDelivered?.()
      }
      this.#pump()
    })
  }
}
