import type { BlockOverrides } from '../../../engine/call/block-overrides.ts'
import type { StateOverrides } from '../../../engine/call/state-overrides.ts'
import type { CallTracerOptions } from '../../../engine/trace/call-tracer.ts'
import type { TracerChoice } from '../../../engine/trace/create-tracer.ts'
import type { Erc7562TracerOptions } from '../../../engine/trace/erc7562-tracer.ts'
import type { FlatCallTracerOptions } from '../../../engine/trace/flat-call-tracer.ts'
import type { PrestateTracerOptions } from '../../../engine/trace/prestate-tracer.ts'
import type { StepRange, StepWindowsOptions } from '../../../engine/trace/steps/step-windows.ts'
import type { StructLogOptions } from '../../../engine/trace/struct-logger.ts'
import { isJsonObject, type JsonRecord, type JsonSchema } from '../../protocol/json.ts'
import { boolean } from '../boolean.ts'
import { type Codec, InvalidValueError, jsonObject, listOf, member, within } from '../codec.ts'
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
  disableMemory: boolean,
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
const flatCallTracerOptions = objectOf<FlatCallTracerOptions>({
  convertParityErrors: boolean,
  includePrecompiles: boolean,
})
const erc7562TracerOptions = objectOf<Erc7562TracerOptions>({ withLog: boolean, ignoredOpcodes: listOf(count, 256) })
/** Windows of one `stepWindowsTracer`, which may overlap. */
export const MAX_STEP_RANGES = 16
/** Steps of one of its windows. */
export const MAX_RANGE_STEPS = 1_024
const rangeSteps: Codec<number> = {
  ...wholeNumber,
  decode(json) {
    const steps = wholeNumber.decode(json)
    if (steps <= MAX_RANGE_STEPS) return steps
    throw new InvalidValueError(`a range has at most ${MAX_RANGE_STEPS} steps, got ${steps}`)
  },
  schema: { ...wholeNumber.schema, maximum: MAX_RANGE_STEPS },
}
const stepRange = objectOf<StepRange>({ from: wholeNumber, count: rangeSteps })
const stepWindowsOptions = objectOf<StepWindowsOptions>({ ranges: listOf(stepRange, MAX_STEP_RANGES) })
const times = objectOf<Pick<TraceConfig, 'timeout'>>({ timeout: duration })
const callMembers = objectOf<Omit<TraceCallConfig, keyof TraceConfig>>({
  stateOverrides,
  blockOverrides,
  txIndex: count,
})

/** An object whose members the options of its tracer decode. */
const anyObject: Codec<JsonRecord> = {
  decode: (json) => jsonObject(json) as JsonRecord,
  encode: (value) => value,
  schema: { type: 'object' },
}

const TRACERS = [
  'callTracer',
  'flatCallTracer',
  'prestateTracer',
  '4byteTracer',
  'keccak256PreimageTracer',
  'erc7562Tracer',
  'muxTracer',
  'noopTracer',
  'stepColumnsTracer',
  'stepWindowsTracer',
] as const

/** Tracers of one `muxTracer`, those of inner ones included: each has state of its own. */
export const MAX_MUXED_TRACERS = 16
/** JavaScript tracers among them: each may take the time and the memory of a sandbox. */
export const MAX_MUXED_SCRIPTS = 2

/** go-ethereum's `TraceConfig`. Without a `tracer`, or with an empty one, every instruction is traced. */
export const traceConfig: Codec<TraceConfig> = {
  decode: (json) => ({ ...times.decode(json), tracer: readTracer(jsonObject(json)) }),
  encode: (config) => ({ ...encodeMembers(times, config), ...encodeTracer(config.tracer) }),
  schema: {
    type: 'object',
    properties: {
      ...propertiesOf(structLogOptions.schema),
      ...propertiesOf(times.schema),
      tracer: { type: 'string', description: `${TRACERS.join(', ')}, or the JavaScript of a tracer` },
      tracerConfig: {
        type: 'object',
        properties: {
          ...propertiesOf(callTracerOptions.schema),
          ...propertiesOf(prestateTracerOptions.schema),
          ...propertiesOf(flatCallTracerOptions.schema),
          ...propertiesOf(erc7562TracerOptions.schema),
          ...propertiesOf(stepWindowsOptions.schema),
        },
      },
    },
  },
}

export const traceCallConfig: Codec<TraceCallConfig> = {
  checkSize: (json, limits) => checkOverrides(isJsonObject(json) ? [json.stateOverrides] : [], limits),
  decode: (json) => ({ ...callMembers.decode(json), ...traceConfig.decode(json) }),
  encode: (config) => ({ ...encodeMembers(callMembers, config), ...encodeMembers(traceConfig, config) }),
  schema: {
    type: 'object',
    properties: { ...propertiesOf(traceConfig.schema), ...propertiesOf(callMembers.schema) },
  },
}

/** Options of `debug_traceCallMany`; bundles and the state context have the other options of `debug_traceCall`. */
export const traceManyConfig: Codec<Pick<TraceCallConfig, keyof TraceConfig | 'stateOverrides'>> = {
  checkSize: traceCallConfig.checkSize!,
  decode(json) {
    const { blockOverrides: block, txIndex } = jsonObject(json)
    if (block !== undefined) throw new InvalidValueError('blockOverrides: give each bundle its own as blockOverride')
    if (txIndex !== undefined) {
      throw new InvalidValueError('txIndex: give transactionIndex in the state context, the parameter before')
    }
    return traceCallConfig.decode(json)
  },
  encode: (config) => traceCallConfig.encode(config),
  schema: {
    type: 'object',
    properties: { ...propertiesOf(traceConfig.schema), stateOverrides: stateOverrides.schema },
  },
}

function readTracer(config: Readonly<Record<string, unknown>>): TracerChoice {
  const name = member(config, 'tracer', text) ?? ''
  if (name === '') return { name: 'structLogger', options: structLogOptions.decode(config) }
  const options = member(config, 'tracerConfig', anyObject) ?? {}
  return namedTracer(name, options, { tracers: 0, scripts: 0 })
}

/** Tracers of the outermost `muxTracer` so far. */
interface MuxedCounts {
  tracers: number
  scripts: number
}

function namedTracer(name: string, options: JsonRecord, muxed: MuxedCounts): TracerChoice {
  const read = <T>(codec: Codec<T>) => within('tracerConfig', () => codec.decode(options))
  switch (name) {
    case 'callTracer':
      return { name, options: read(callTracerOptions) }
    case 'flatCallTracer':
      return { name, options: read(flatCallTracerOptions) }
    case 'prestateTracer':
      return { name, options: read(prestateTracerOptions) }
    case 'erc7562Tracer':
      return { name, options: read(erc7562TracerOptions) }
    case 'stepWindowsTracer':
      return { name, options: read(stepWindowsOptions) }
    case 'muxTracer':
      return { name, tracers: within('tracerConfig', () => muxedTracers(options, muxed)) }
    case '4byteTracer':
    case 'keccak256PreimageTracer':
    case 'noopTracer':
    case 'stepColumnsTracer':
      return { name }
    default:
      if (isNameOnly(name)) {
        throw new InvalidValueError(
          `tracer: there is no tracer ${JSON.stringify(name.slice(0, 50))}, want one of ` +
            `${TRACERS.join(', ')}, a JavaScript object, or none for every instruction`,
        )
      }
      return { name: 'javaScriptTracer', options: { code: name, config: JSON.stringify(options) } }
  }
}

/** A misspelled name rather than JavaScript: without a function there is no tracer. */
function isNameOnly(tracer: string): boolean {
  return /^[\w$-]*$/.test(tracer)
}

/** The tracers of a `muxTracer`: their options, by name. */
function muxedTracers(options: JsonRecord, muxed: MuxedCounts) {
  return Object.entries(options).map(([name, inner]) => {
    muxed.tracers++
    if (muxed.tracers > MAX_MUXED_TRACERS) {
      throw new InvalidValueError(`a muxTracer has at most ${MAX_MUXED_TRACERS} tracers, those of inner ones included`)
    }
    const choice = within(name, () => namedTracer(name, anyObject.decode(inner ?? {}), muxed))
    if (choice.name === 'javaScriptTracer') muxed.scripts++
    if (muxed.scripts > MAX_MUXED_SCRIPTS) {
      throw new InvalidValueError(
        `a muxTracer has at most ${MAX_MUXED_SCRIPTS} JavaScript tracers, those of inner ones included`,
      )
    }
    return [name, choice] as const
  })
}

function encodeTracer(choice: TracerChoice): JsonRecord {
  if (choice.name === 'structLogger') return encodeMembers(structLogOptions, choice.options)
  const tracerConfig = encodeOptions(choice)
  if (choice.name === 'javaScriptTracer') return { tracer: choice.options.code, tracerConfig: tracerConfig ?? {} }
  return { tracer: choice.name, ...(tracerConfig !== undefined && { tracerConfig }) }
}

function encodeOptions(choice: Exclude<TracerChoice, { name: 'structLogger' }>): JsonRecord | undefined {
  switch (choice.name) {
    case 'callTracer':
      return encodeMembers(callTracerOptions, choice.options)
    case 'flatCallTracer':
      return encodeMembers(flatCallTracerOptions, choice.options)
    case 'prestateTracer':
      return encodeMembers(prestateTracerOptions, choice.options)
    case 'erc7562Tracer':
      return encodeMembers(erc7562TracerOptions, choice.options)
    case 'stepWindowsTracer':
      return encodeMembers(stepWindowsOptions, choice.options)
    case 'javaScriptTracer':
      return JSON.parse(choice.options.config)
    case 'muxTracer':
      return Object.fromEntries(
        choice.tracers.map(([name, inner]) => [
          name,
          inner.name === 'structLogger' ? {} : (encodeOptions(inner) ?? {}),
        ]),
      )
    case '4byteTracer':
    case 'keccak256PreimageTracer':
    case 'noopTracer':
    case 'stepColumnsTracer':
      return undefined
    case 'opcodeGasTracer':
    case 'parityTracer':
    case 'frameGasTracer':
    case 'coverageTracer':
      // Methods of other namespaces choose these: no request names them.
      return undefined
    default:
      return choice satisfies never
  }
}

/** Members for another object codec. */
function encodeMembers<T>(codec: Codec<T>, value: T): JsonRecord {
  const json = codec.encode(value)
  return isJsonObject(json) ? json : {}
}

function propertiesOf({ properties }: JsonSchema): JsonSchema {
  return properties as JsonSchema
}
