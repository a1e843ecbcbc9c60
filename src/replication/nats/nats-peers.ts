import type { NatsConnection } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import type { StreamIdentity } from '../../node/log/record-source.ts'
import type { LeadershipRole } from '../../node/roles/failover/next-role.ts'
import type { HandOverResult, Peer, PeerHandlers, PeerIdentity, Peers } from '../../node/roles/failover/peers.ts'
import { foreignText } from '../../primitives/text/foreign-text.ts'
import { isUnanswered } from './nats-failure.ts'
import { connectNats, type NatsTiming } from './nats-servers.ts'
import { chainSubjects } from './nats-stream.ts'

/** Milliseconds in which nodes answer a request to all of them. */
const ANSWER_TIME_MS = 300

type PeerRequest =
  | { readonly kind: 'state' }
  | { readonly kind: 'applied'; readonly sequence: number }
  | { readonly kind: 'lead' }
  | { readonly kind: 'handOver'; readonly to?: string | undefined }

/** A node as it answers a request about its state. */
export interface AnsweringPeer extends Peer {
  readonly version: string
  /** Its time in milliseconds since 1970, and the times here between which it answered. */
  readonly wallMs: number
  readonly askedMs: number
  readonly answeredMs: number
}

export interface NatsPeersOptions extends NatsTiming, PeerIdentity {
  /** Comma-separated. */
  readonly urls: string
  readonly chain: StreamIdentity
  readonly version: string
  /** Milliseconds since 1970. */
  readonly wall: () => number
}

/**
 * Requests between the failover nodes of a chain, over NATS: one subject for all nodes, and one for each. Nothing is
 * stored, so an answer is as current as the node.
 */
export class NatsPeers implements Peers {
  readonly #options: NatsPeersOptions
  readonly #deps: { readonly log: Pick<Logger, 'warn'> }
  #open: NatsConnection | undefined

  constructor(options: NatsPeersOptions, deps: { readonly log: Pick<Logger, 'warn'> }) {
    this.#options = options
    this.#deps = deps
  }

  async answer(handlers: PeerHandlers): Promise<void> {
    const { urls, chain, id } = this.#options
    const connection = await connectNats(urls, this.#options, true)
    this.#open = connection
    for (const subject of [chainSubjects(chain).peers, peerSubject(chain, { id })]) {
      connection.subscribe(subject, {
        callback: (error, message) => {
          if (error !== null) {
            this.#deps.log.warn({ err: error, subject }, 'other nodes cannot reach this one over NATS')
            return
          }
          const respond = (answer: unknown) => {
            if (!connection.isClosed()) message.respond(JSON.stringify(answer))
          }
          this.#answerTo(message.string(), handlers).then(respond, (failure: unknown) => {
            this.#deps.log.warn({ err: failure }, 'a request of another node could not be answered')
          })
        },
      })
    }
  }

  async others(): Promise<readonly Peer[]> {
    const { chain, id: own } = this.#options
    const found = await answeringPeers(this.#connection(), chain, this.#options.wall)
    return found.filter(({ id }) => id !== own)
  }

  async applied(peer: PeerIdentity, sequence: number, timeoutMs: number): Promise<boolean> {
    return (await this.#ask(peer, { kind: 'applied', sequence }, timeoutMs)) === true
  }

  async lead(peer: PeerIdentity, timeoutMs: number): Promise<boolean> {
    return (await this.#ask(peer, { kind: 'lead' }, timeoutMs)) === true
  }

  async close(): Promise<void> {
    await this.#open?.close()
  }

  #connection(): NatsConnection {
    if (this.#open === undefined) throw new Error('not connected: call answer first')
    return this.#open
  }

  #ask(peer: PeerIdentity, request: PeerRequest, timeoutMs: number): Promise<unknown> {
    return ask(this.#connection(), peerSubject(this.#options.chain, peer), request, timeoutMs).catch(
      (error: unknown) => {
        this.#deps.log.warn({ err: error, node: peer.name, request: request.kind }, 'another node did not answer')
        return undefined
      },
    )
  }

  async #answerTo(text: string, handlers: PeerHandlers): Promise<unknown> {
    const request = readRequest(text)
    switch (request?.kind) {
      case 'state': {
        const { id, name, version, wall } = this.#options
        return { id, name, version, wallMs: wall(), ...handlers.state() }
      }
      case 'applied':
        await handlers.applied(request.sequence)
        return true
      case 'lead':
        return handlers.lead()
      case 'handOver':
        return handlers.handOver(request.to)
      default:
        throw new Error('the request is not known: run the same release on all nodes')
    }
  }
}

/** @returns undefined for a request in another form */
function readRequest(text: string): PeerRequest | undefined {
  const { kind, sequence, to } = readObject(text)
  if (kind === 'state' || kind === 'lead') return { kind }
  if (kind === 'applied' && Number.isSafeInteger(sequence)) return { kind, sequence: Number(sequence) }
  if (kind === 'handOver' && (to === undefined || typeof to === 'string')) return { kind, to }
  return undefined
}

/** Any program with access to NATS may send a message. @returns its members; none if it is not a JSON object */
function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** The failover nodes of a chain that answer. */
export async function answeringPeers(
  connection: NatsConnection,
  chain: StreamIdentity,
  wall: () => number,
): Promise<readonly AnsweringPeer[]> {
  const asked = wall()
  const found: AnsweringPeer[] = []
  try {
    const request: PeerRequest = { kind: 'state' }
    const options = { strategy: 'timer', maxWait: ANSWER_TIME_MS } as const
    const answers = await connection.requestMany(chainSubjects(chain).peers, JSON.stringify(request), options)
    for await (const answer of answers) {
      const peer = readPeer(answer.string())
      if (peer !== undefined) found.push({ ...peer, askedMs: asked, answeredMs: wall() })
    }
  } catch (error) {
    if (!isUnanswered(error)) throw error
  }
  return found
}

/** Asks the leader to hand over. @throws Error when it does not answer in time */
export async function askToHandOver(
  connection: NatsConnection,
  chain: StreamIdentity,
  {
    leader,
    to,
    timeoutMs,
  }: { readonly leader: PeerIdentity; readonly to: string | undefined; readonly timeoutMs: number },
): Promise<HandOverResult> {
  const answer = await ask(connection, peerSubject(chain, leader), { kind: 'handOver', to }, timeoutMs)
  const { kind, to: next, sequence, message } = answer as Record<string, unknown>
  if (kind === 'handed-over') return { kind, to: foreignText(String(next)), sequence: Number(sequence) }
  return { kind: 'refused', message: foreignText(String(message)) }
}

async function ask(
  connection: NatsConnection,
  subject: string,
  request: PeerRequest,
  timeoutMs: number,
): Promise<unknown> {
  return (await connection.request(subject, JSON.stringify(request), { timeout: timeoutMs })).json()
}

function peerSubject(chain: StreamIdentity, { id }: Pick<PeerIdentity, 'id'>): string {
  return `${chainSubjects(chain).peers}.${id}`
}

const ROLES: ReadonlySet<string> = new Set<LeadershipRole>([
  'standby',
  'taking-over',
  'leader',
  'handing-over',
  'standing-down',
])

/** @returns undefined for an answer in another form */
function readPeer(text: string): Omit<AnsweringPeer, 'askedMs' | 'answeredMs'> | undefined {
  const { id, name, version, wallMs, role, sequence, block, epoch, couldLead } = readObject(text)
  const isUsable =
    /^[0-9a-zA-Z-]+$/.test(String(id)) && ROLES.has(String(role)) && [sequence, block].every(Number.isSafeInteger)
  if (!isUsable) return undefined
  return {
    id: String(id),
    name: foreignText(String(name)),
    version: foreignText(String(version)),
    wallMs: Number(wallMs),
    role: role as LeadershipRole,
    sequence: Number(sequence),
    block: Number(block),
    epoch: readEpoch(epoch),
    couldLead: couldLead === true,
  }
}

function readEpoch(epoch: unknown): Peer['epoch'] {
  if (typeof epoch !== 'object' || epoch === null) return undefined
  const { sequence, leader } = epoch as Record<string, unknown>
  return { sequence: Number(sequence), leader: foreignText(String(leader)) }
}
