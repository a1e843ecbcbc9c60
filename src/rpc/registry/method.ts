import type { ProfileName } from '../../chain/forks/chain-profile.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { type Codec, InvalidValueError } from '../codecs/codec.ts'
import type { NodeConventions } from '../compat/node-conventions.ts'
import type { ReadContext } from '../context/reading.ts'
import type { WriteContext } from '../context/writing.ts'
import type { Dialect } from '../protocol/dialect.ts'
import type { MethodResult } from '../protocol/encoded-json.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import type { ValueLimits } from '../protocol/limits.ts'
import type { MethodDescription, ParameterDescription } from '../protocol/method-description.ts'
import { withHexNumbers } from './json-numbers.ts'

/** A positional parameter. */
export interface MethodParameter<T> extends ParameterDescription {
  /** Decodes and encodes its values. */
  readonly codec: Codec<NonNullable<T>>
  /** @param json `undefined` when it is missing or `null`, and not required */
  read(json: unknown): T
}

export function requiredParam<T extends {}>(name: string, codec: Codec<T>): MethodParameter<T> {
  return { name, required: true, codec, schema: codec.schema, read: (json) => codec.decode(json) }
}

/** An optional parameter; `undefined` when it is missing or `null`. */
export function optionalParam<T extends {}>(name: string, codec: Codec<T>): MethodParameter<T | undefined> {
  return {
    name,
    required: false,
    codec,
    schema: codec.schema,
    read: (json) => (json === undefined ? undefined : codec.decode(json)),
  }
}

/** An optional parameter; `fallback` when it is missing or `null`. */
export function defaultedParam<T extends {}>(name: string, codec: Codec<T>, fallback: T): MethodParameter<T> {
  return {
    name,
    required: false,
    codec,
    schema: { ...codec.schema, default: codec.encode(fallback) },
    read: (json) => (json === undefined ? fallback : codec.decode(json)),
  }
}

/** The decoded values of a list of parameters. */
export type Values<P extends readonly MethodParameter<unknown>[]> = {
  readonly [K in keyof P]: P[K] extends MethodParameter<infer T> ? T : never
}

/** A method as its file defines it. */
export interface Definition<P extends readonly MethodParameter<unknown>[], C>
  extends Omit<MethodDescription, 'params' | 'writes' | 'effect'> {
  /** Absent: in all dialects. */
  readonly dialect?: Dialect
  /** Profiles of the chains that have it. Absent: all. */
  readonly profiles?: readonly ProfileName[]
  /** Besides by the dialect, it is enabled on development nodes. */
  readonly development?: DevelopmentTraits
  /** With `--compat` its result depends on what only the leader knows: followers forward it. */
  readonly runsOnLeaderWithCompat?: boolean
  /** It has no parameters and one result per view: a batch computes it once. */
  readonly isSameInView?: boolean
  /** It usually takes long: it runs on a worker thread whenever possible. */
  readonly takesLong?: boolean
  /** It executes code: the number of concurrent runs is bounded. */
  readonly runsCode?: boolean
  /** At `pending` its result follows from the open block and the pool: it needs no forecast. */
  readonly isPendingFromPool?: boolean
  readonly params: P
  handle(params: Values<P>, context: C): MaybePromise<MethodResult>
}

interface WritingDefinition<P extends readonly MethodParameter<unknown>[]> extends Definition<P, WriteContext> {
  /** Default: `chain`. */
  readonly effect?: 'client'
  /**
   * It waits, for example for the disk, and its result does not depend on its view: consecutive items of a batch start
   * in order and wait together.
   */
  readonly runsTogether?: boolean
}

/** What distinguishes a method of development nodes. */
export interface DevelopmentTraits {
  /** The node whose responses it gives without `--compat`. */
  readonly conventions: NodeConventions
  /** The method that it is another name of. */
  readonly aliasOf: string | undefined
  /** It exists on every node, and not on development nodes only. */
  readonly isOnEveryNode?: boolean
}

/** A JSON-RPC method of the registry. */
export interface Method extends MethodDescription {
  readonly params: readonly MethodParameter<unknown>[]
  readonly isSameInView?: boolean
  readonly takesLong?: boolean
  readonly runsCode?: boolean
  readonly isPendingFromPool?: boolean
  readonly runsTogether?: boolean
  readonly dialect?: Dialect
  readonly profiles?: readonly ProfileName[]
  /** Present on methods of development nodes. */
  readonly development?: DevelopmentTraits
  readonly runsOnLeaderWithCompat?: boolean
  /** @throws RpcError */
  call(params: readonly unknown[], context: WriteContext): MaybePromise<MethodResult>
}

/**
 * Defines a method that reads from its view alone.
 *
 * @example
 * defineMethod({ name: 'eth_chainId', params: [], handle: (_, { config }) => toQuantity(config.chainId), … })
 */
export function defineMethod<const P extends readonly MethodParameter<unknown>[]>(
  definition: Definition<P, ReadContext>,
): Method {
  return define(definition, { writes: false, effect: 'none' })
}

/** Defines a method that writes: it sends, subscribes or changes per-client state. */
export function defineWritingMethod<const P extends readonly MethodParameter<unknown>[]>(
  definition: WritingDefinition<P>,
): Method {
  return define(definition, { writes: true, effect: definition.effect ?? 'chain' })
}

function define<P extends readonly MethodParameter<unknown>[]>(
  definition: WritingDefinition<P>,
  traits: Pick<MethodDescription, 'writes' | 'effect'>,
): Method {
  const { params, handle, ...description } = definition
  return {
    ...description,
    ...traits,
    params,
    call: (values, context) => handle(readParameters(params, values, context), context),
  }
}

/** What the decoding of parameters depends on. */
interface DecodingContext {
  readonly options: ValueLimits
  readonly conventions: Pick<NodeConventions, 'isReproduced' | 'jsonNumbers'>
}

/**
 * Decodes positional parameters. The texts are go-ethereum's (rpc/json.go).
 *
 * @throws RpcError
 */
export function readParameters<P extends readonly MethodParameter<unknown>[]>(
  params: P,
  values: readonly unknown[],
  context: DecodingContext,
): Values<P> {
  if (values.length > params.length) {
    throw invalidParams(`too many arguments, want at most ${params.length}`)
  }
  // `map` keeps the length and order of the tuple, which its type cannot express.
  return params.map((parameter, index) =>
    readParameter(parameter, values[index] ?? undefined, index, context),
  ) as Values<P>
}

function readParameter<T>(
  parameter: MethodParameter<T>,
  value: unknown,
  index: number,
  { options, conventions }: DecodingContext,
): T {
  if (value === undefined && parameter.required) {
    throw invalidParams(`missing value for required argument ${index}`)
  }
  const json = withHexNumbers(value, parameter.codec.schema, conventions.jsonNumbers)
  try {
    parameter.codec.checkSize?.(json, options)
    if (conventions.isReproduced) parameter.codec.checkReproduced?.(json)
    return parameter.read(json)
  } catch (error) {
    if (error instanceof InvalidValueError) throw invalidParams(`invalid argument ${index}: ${error.text}`)
    throw error
  }
}

function invalidParams(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, message, undefined, { kind: 'invalidParams' })
}
