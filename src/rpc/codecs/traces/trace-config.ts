import type { BlockOverrides } from '../../../engine/call/block-overrides.ts'
import type { StateOverrides } from '../../../engine/call/state-overrides.ts'
import type { CallTracerOptions } from '../../../engine/trace/call-tracer.ts'
import type { TracerChoice } from '../../../engine/trace/create-tracer.ts'
import type { PrestateTracerOptions } from '../../../engine/trace/prestate-tracer.ts'
import type { StructLogOptions } from '../../../engine/trace/struct-logger.ts'
import { isJsonObject, type JsonRecord, type JsonSchema } from '../../protocol/json.ts'
import { boolean } from '../boolean.ts'
import { type Codec, InvalidValueError, jsonObject, member, within } from '../codec.ts'
import { duration } from '../duration.ts'
import { objectOf } from '../object.ts'
import { blockOverrides, checkOverrides, stateOverrides } from '../overrides.ts'
import { count } from '../quantity.ts'
import { wholeNumber } from '../small-numbers.ts'
import { text } from '../text.ts'

/** Options of a trace. */
export interface TraceConfig {
  readonly tracer: TracerChoice
  /** In milliseconds; the name is that of the JSON member. */
  readonly timeout?: number
}

/** Options of `debug_traceCall`. */
export interface TraceCallConfig extends TraceConfig {
  readonly stateOverrides?: StateOverrides
  readonly blockOverrides?: BlockOverrides
  /** Runs the call before this transaction of the block instead of after all of them. */
  readonly txIndex?: number
}

const structLogOptions = objectOf<StructLogOptions>({
  enableMemory: boolean,
  disableStack: boolean,
  disableStorage: boolean,
  enableReturnData: boolean,
  limit: wholeNumber,
})
const callTracerOptions = objectOf<CallTracerOptions>({ onlyTopCall: boolean, withLog: boolean })
const prestateTracerOptions = objectOf<PrestateTracerOptions>({
  diffMode: boolean,
  disableCode: boolean,
  disableStorage: boolean,
  includeEmpty: boolean,
})
const times = objectOf<Pick<TraceConfig, 'timeout'>>({ timeout: duration })
const callMembers = objectOf<Omit<TraceCallConfig, keyof TraceConfig>>({
  stateOverrides,
  blockOverrides,
  txIndex: count,
})

/** Validated by the tracer. */
const anyObject: Codec<JsonRecord> = {
  decode: (json) => jsonObject(json) as JsonRecord,
  encode: (value) => value,
  schema: { type: 'object' },
}

const TRACERS = ['callTracer', 'prestateTracer', '4byteTracer', 'noopTracer'] as const

/** go-ethereum's `TraceConfig`. Without a `tracer`, or with an empty one, every instruction is traced. */
export const traceConfig: Codec<TraceConfig> = {
  decode: (json) => ({ ...times.decode(json), tracer: readTracer(jsonObject(json)) }),
  encode: (config) => ({ ...written(times, config), ...writtenTracer(config.tracer) }),
  schema: {
    type: 'object',
    properties: {
      ...propertiesOf(structLogOptions.schema),
      ...propertiesOf(times.schema),
      tracer: { type: 'string', enum: [...TRACERS, ''] },
      tracerConfig: {
        type: 'object',
        properties: { ...propertiesOf(callTracerOptions.schema), ...propertiesOf(prestateTracerOptions.schema) },
      },
    },
  },
}

export const traceCallConfig: Codec<TraceCallConfig> = {
  checkSize: (json, limits) => checkOverrides(isJsonObject(json) ? [json.stateOverrides] : [], limits),
  decode: (json) => ({ ...callMembers.decode(json), ...traceConfig.decode(json) }),
  encode: (config) => ({ ...written(callMembers, config), ...written(traceConfig, config) }),
  schema: {
    type: 'object',
    properties: { ...propertiesOf(traceConfig.schema), ...propertiesOf(callMembers.schema) },
  },
}

function readTracer(config: Readonly<Record<string, unknown>>): TracerChoice {
  const name = member(config, 'tracer', text) ?? ''
  const options = member(config, 'tracerConfig', anyObject) ?? {}
  switch (name) {
    case '':
      return { name: 'structLogger', options: structLogOptions.decode(config) }
    case 'callTracer':
      return { name, options: within('tracerConfig', () => callTracerOptions.decode(options)) }
    case 'prestateTracer':
      return { name, options: within('tracerConfig', () => prestateTracerOptions.decode(options)) }
    case '4byteTracer':
    case 'noopTracer':
      return { name }
    default:
      throw new InvalidValueError(
        `tracer: there is no tracer ${JSON.stringify(name.slice(0, 50))}, want one of ` +
          `${TRACERS.join(', ')}, or none for every instruction; JavaScript is not run`,
      )
  }
}

function writtenTracer(choice: TracerChoice): JsonRecord {
  switch (choice.name) {
    case 'structLogger':
      return written(structLogOptions, choice.options)
    case 'callTracer':
      return { tracer: choice.name, tracerConfig: callTracerOptions.encode(choice.options) }
    case 'prestateTracer':
      return { tracer: choice.name, tracerConfig: prestateTracerOptions.encode(choice.options) }
    default:
      return { tracer: choice.name }
  }
}

/** Members for another object codec. */
function written<T>(codec: Codec<T>, value: T): JsonRecord {
  const json = codec.encode(value)
  return isJsonObject(json) ? json : {}
}

function propertiesOf({ properties }: JsonSchema): JsonSchema {
  return properties as JsonSchema
}
