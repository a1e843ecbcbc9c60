import { createHash } from 'node:crypto'
import { JetStreamApiError, type JetStreamManager, type StreamInfo } from '@nats-io/jetstream'
import type { StreamIdentity } from '../../node/log/record-source.ts'
import { type ReplicatedLogDescription, ReplicatedLogError } from '../../node/log/replicated-log.ts'
import type { Hash } from '../../primitives/hex.ts'
import { foreignText } from '../../primitives/text/foreign-text.ts'
import { STREAM_VERSION } from '../messages.ts'
import { isElecting, isStreamGone, reasonOf } from './nats-failure.ts'

const PREFIX = 'tickertape'
const CHAIN_STREAM = new RegExp(`^${PREFIX}-[0-9a-f]{64}$`)
const STREAM_NAME_IN_USE = 10_058
/** Nanoseconds per millisecond. */
const NANOSECONDS = 1_000_000
/** Milliseconds for which the server detects duplicates of a message. */
const DUPLICATE_WINDOW_MS = 120_000

/** Header by which NATS detects duplicates. */
export const MESSAGE_ID = 'Nats-Msg-Id'

/** Names in NATS for one chain; chains with different genesis blocks have different names. */
export interface ChainSubjects {
  readonly stream: string
  readonly records: string
  readonly submit: string
  readonly request: string
  /** Requests between failover nodes; those to a single one have its id after this. */
  readonly peers: string
}

export function chainSubjects({ genesisHash }: StreamIdentity): ChainSubjects {
  const chain = genesisHash.slice(2)
  return {
    stream: `${PREFIX}-${chain}`,
    records: `${PREFIX}.${chain}.records`,
    submit: `${PREFIX}.${chain}.submit`,
    request: `${PREFIX}.${chain}.request`,
    peers: `${PREFIX}.${chain}.peers`,
  }
}

export interface StreamLimits {
  /** Maximum bytes of the stream; it deletes the oldest records first. */
  readonly maxBytes: number
  /** Milliseconds for which records are retained; 0: no limit. */
  readonly maxAgeMs: number
  /** Number of servers that store the stream. */
  readonly replicas: number
}

/**
 * Creates the stream of a chain, or updates an existing one to this node's limits and settings. Call only as leader.
 *
 * @param signal aborted when this node no longer leads: then nothing is updated
 * @returns the previous description; `undefined`: there was no stream
 * @throws ReplicatedLogError `FOREIGN_CHAIN`, `INCOMPATIBLE`, `REFUSED`; the reason of `signal`
 */
export async function openStream(
  manager: JetStreamManager,
  description: ReplicatedLogDescription,
  limits: StreamLimits,
  signal?: AbortSignal,
): Promise<ReplicatedLogDescription | undefined> {
  const { stream } = chainSubjects(description)
  const found = await findStream(manager, description)
  // Another node may have become leader during the request.
  signal?.throwIfAborted()
  if (found === undefined) return makeStream(manager, description, limits)
  const wanted = configOf(description, limits)
  const isConfigured = Object.entries(wanted).every(
    ([name, value]) => found.info.config[name as keyof typeof wanted] === value,
  )
  // An update needs the meta leader, which may not be elected yet.
  if (!isConfigured) {
    await manager.streams.update(stream, wanted).catch((error: unknown) => {
      throw refused(stream, error)
    })
  }
  return found.description
}

/** Creates the stream of a chain; never changes an existing one. */
export async function findOrMakeStream(
  manager: JetStreamManager,
  description: ReplicatedLogDescription,
  limits: StreamLimits,
): Promise<ReplicatedLogDescription | undefined> {
  const found = await findStream(manager, description)
  return found === undefined ? makeStream(manager, description, limits) : found.description
}

async function makeStream(
  manager: JetStreamManager,
  description: ReplicatedLogDescription,
  limits: StreamLimits,
): Promise<ReplicatedLogDescription | undefined> {
  const { stream, records } = chainSubjects(description)
  try {
    await manager.streams.add({ name: stream, subjects: [records], ...configOf(description, limits) })
    return undefined
  } catch (error) {
    const isMade = error instanceof JetStreamApiError && error.code === STREAM_NAME_IN_USE
    if (!isMade) throw refused(stream, error)
    // Another node was faster, with other flags.
    return (await findStream(manager, description))?.description
  }
}

function configOf(description: ReplicatedLogDescription, { maxBytes, maxAgeMs, replicas }: StreamLimits) {
  return {
    description: encodeDescription(description),
    max_bytes: maxBytes,
    max_age: maxAgeMs * NANOSECONDS,
    // The server rejects a duplicate window longer than the retention.
    duplicate_window: Math.min(maxAgeMs || DUPLICATE_WINDOW_MS, DUPLICATE_WINDOW_MS) * NANOSECONDS,
    num_replicas: replicas,
  }
}

function refused(stream: string, error: unknown): unknown {
  if (!(error instanceof JetStreamApiError) || isElecting(error)) return error
  const advice = 'see --nats-max-bytes, --nats-max-age-seconds and --nats-replicas'
  return new ReplicatedLogError('REFUSED', `NATS refuses the stream ${stream}: ${reasonOf(error)}; ${advice}`, {
    cause: error,
  })
}

/**
 * The stream of a chain with its description; `undefined`: there is none.
 *
 * @throws ReplicatedLogError `FOREIGN_CHAIN`, `INCOMPATIBLE`
 */
export async function findStream(
  manager: JetStreamManager,
  identity: StreamIdentity,
): Promise<{ readonly info: StreamInfo; readonly description: ReplicatedLogDescription } | undefined> {
  const { stream } = chainSubjects(identity)
  const info = await manager.streams.info(stream).catch((error: unknown) => {
    if (isStreamGone(error)) return undefined
    throw error
  })
  if (info === undefined) return undefined
  const description = decodeDescription(stream, info.config.description)
  if (description.chainId !== identity.chainId || description.genesisHash !== identity.genesisHash) {
    throw new ReplicatedLogError(
      'FOREIGN_CHAIN',
      `the stream ${stream} is of chain ${description.chainId}, this is chain ${identity.chainId}: start ` +
        `with the same --network and genesis flags`,
    )
  }
  return { info, description }
}

/** Streams of other chains. */
export async function otherChains(manager: JetStreamManager, identity: StreamIdentity): Promise<readonly string[]> {
  const own = chainSubjects(identity).stream
  const found: string[] = []
  for await (const name of manager.streams.names()) {
    if (name.startsWith(`${PREFIX}-`) && name !== own) found.push(foreignText(name))
  }
  return found
}

/**
 * The chains that have a stream.
 *
 * @throws ReplicatedLogError `INCOMPATIBLE`
 */
export async function chainStreams(manager: JetStreamManager): Promise<readonly ReplicatedLogDescription[]> {
  const found: ReplicatedLogDescription[] = []
  for await (const name of manager.streams.names()) {
    if (!CHAIN_STREAM.test(name)) continue
    const { config } = await manager.streams.info(name)
    found.push(decodeDescription(name, config.description))
  }
  return found
}

/**
 * A node with another genesis flag would lead a second chain beside the first one.
 *
 * @param neighbours genesis hashes of chains that may be there
 * @throws ReplicatedLogError `FOREIGN_CHAIN` when there are other chains and not this one
 */
export async function refuseOtherChains(
  manager: JetStreamManager,
  identity: StreamIdentity,
  neighbours: readonly Hash[],
): Promise<void> {
  if ((await findStream(manager, identity)) !== undefined) return
  const known = new Set(neighbours.map((genesisHash) => chainSubjects({ ...identity, genesisHash }).stream))
  const others = (await otherChains(manager, identity)).filter((name) => !known.has(name))
  if (others.length === 0) return
  throw new ReplicatedLogError(
    'FOREIGN_CHAIN',
    `the NATS servers have records of another chain (${others.join(', ')}) and none of this one ` +
      `(${chainSubjects(identity).stream}): start with the network and genesis flags of its nodes (--chain-id, ` +
      '--gas-limit, --balance, --profile and others), or begin a chain beside it with --new-chain',
  )
}

/** Duplicate detection stores the message for a position once, however often it is sent. */
export function messageId(streamSequence: number, data: Uint8Array): string {
  return `${streamSequence}-${createHash('sha256').update(data).digest('hex').slice(0, 24)}`
}

function encodeDescription({ chainId, genesisHash, settings }: ReplicatedLogDescription): string {
  const { gasLimit, ...numbers } = settings
  return JSON.stringify({
    version: STREAM_VERSION,
    chainId: chainId.toString(),
    genesisHash,
    settings: { ...numbers, gasLimit: gasLimit.toString() },
  })
}

function decodeDescription(stream: string, text: string | undefined): ReplicatedLogDescription {
  const unreadable = (reason: string) =>
    new ReplicatedLogError('INCOMPATIBLE', `the stream ${stream} ${reason}: run the same release everywhere`)
  let written: ReturnType<typeof parseDescription>
  try {
    written = parseDescription(text ?? '')
  } catch (error) {
    throw Object.assign(unreadable('does not say what it holds'), { cause: error })
  }
  if (written.version !== STREAM_VERSION) throw unreadable(`has version ${written.version}, this is ${STREAM_VERSION}`)
  return written
}

function parseDescription(text: string): ReplicatedLogDescription & { readonly version: unknown } {
  const { version, chainId, genesisHash, settings } = JSON.parse(text)
  const { blockTime, slots, gasLimit, finalityDepth, codeSizeLimit, profile, denimTime, forks } = settings
  if (![blockTime, slots, finalityDepth].every(Number.isSafeInteger)) throw new SyntaxError('settings are missing')
  return {
    version,
    chainId: BigInt(chainId),
    genesisHash,
    settings: {
      blockTime,
      slots,
      gasLimit: BigInt(gasLimit),
      finalityDepth,
      ...(codeSizeLimit && { codeSizeLimit }),
      ...(profile && { profile }),
      ...(denimTime !== undefined && { denimTime }),
      ...(forks && { forks }),
    },
  }
}
