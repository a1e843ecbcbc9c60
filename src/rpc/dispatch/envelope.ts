import { EncodedJson, type MethodResult, resultJson } from '../protocol/encoded-json.ts'
import type { RpcError } from '../protocol/errors.ts'
import { isJsonObject } from '../protocol/json.ts'
import { jsonBytes } from '../protocol/json-bytes.ts'
import { numericIds } from './request-ids.ts'

/** JSON text of the id, echoed in the response; objects and arrays are invalid (go-ethereum, rpc/json.go). */
export type RequestId = string

export const NO_ID: RequestId = 'null'

/** Length from which a response is encoded as bytes; V8 copies shorter texts in less time than it takes to allocate. */
const LARGE_CHARACTERS = 16 * 1024

/** A single request or an item of a batch. */
export type Envelope =
  | {
      readonly kind: 'request'
      /** `undefined`: a notification. */
      readonly id: RequestId | undefined
      readonly method: string
      /** Unchecked: only an array is valid. */
      readonly params: unknown
    }
  | { readonly kind: 'invalid'; readonly id: RequestId }

/**
 * @param json an item of a batch, or a single request
 * @param writtenId returns the numeric id as it is written, for ids that a double may have rounded
 */
function readEnvelope(json: unknown, writtenId: () => string | undefined): Envelope {
  if (!isJsonObject(json)) return { kind: 'invalid', id: NO_ID }
  const member = own(json, 'id')
  const id = member === undefined ? undefined : idText(member, writtenId)
  if (member !== undefined && id === undefined) return { kind: 'invalid', id: NO_ID }
  const method = own(json, 'method')
  if (own(json, 'jsonrpc') !== '2.0' || typeof method !== 'string') return { kind: 'invalid', id: id ?? NO_ID }
  return { kind: 'request', id, method, params: own(json, 'params') ?? [] }
}

/** Reads the items of a text in order. */
export type EnvelopeReader = (item: unknown, position: number) => Envelope

/**
 * Scans the text for ids at most once, and only when one may have been rounded.
 *
 * @param text of a request or a batch
 */
export function readEnvelopes(text: string): EnvelopeReader {
  let written: ReadonlyMap<number, string> | undefined
  return (item, position) =>
    readEnvelope(item, () => {
      written ??= numericIds(text)
      return written.get(position)
    })
}

/** JSON of a response: text, or, if it is large, its bytes in UTF-8. */
export type Response = string | Uint8Array

export type EncodeResponse<T extends Response> = (id: RequestId, result: MethodResult) => T

export function resultResponseText(id: RequestId, result: MethodResult): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${resultJson(result)}}`
}

/** Joining a large result with its envelope, and sending the text, would copy it twice more. */
export function resultResponse(id: RequestId, result: MethodResult): Response {
  const json = result instanceof EncodedJson ? result : new EncodedJson(JSON.stringify(result))
  if (json.length < LARGE_CHARACTERS) return resultResponseText(id, json)
  return jsonBytes([`{"jsonrpc":"2.0","id":${id},"result":`, ...json.parts, '}'])
}

export function errorResponseText(id: RequestId, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error.toJson())}}`
}

function own(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** `undefined`: the id is invalid. */
function idText(value: unknown, writtenId: () => string | undefined): RequestId | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : writtenId()
  return value === null || typeof value === 'string' || typeof value === 'boolean' ? JSON.stringify(value) : undefined
}
