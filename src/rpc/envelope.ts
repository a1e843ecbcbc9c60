import type { RpcError } from './errors.ts'
import { isJsonObject, type Json } from './json.ts'

/** Anything that is echoed: objects and arrays are not (go-ethereum, rpc/json.go). */
export type RequestId = string | number | boolean | null

/** One item of a request, as far as it can be read. */
export type Envelope =
  | {
      readonly kind: 'request'
      /** `undefined`: a notification, which gets no answer. */
      readonly id: RequestId | undefined
      readonly method: string
      /** Anything but an array is the wrong kind of params. */
      readonly params: unknown
    }
  | { readonly kind: 'invalid'; readonly id: RequestId }

/** @param json an item of a batch, or a request that is none */
export function readEnvelope(json: unknown): Envelope {
  if (!isJsonObject(json)) return { kind: 'invalid', id: null }
  const id = own(json, 'id')
  if (id !== undefined && !isRequestId(id)) return { kind: 'invalid', id: null }
  const method = own(json, 'method')
  if (own(json, 'jsonrpc') !== '2.0' || typeof method !== 'string') return { kind: 'invalid', id: id ?? null }
  return { kind: 'request', id, method, params: own(json, 'params') ?? [] }
}

export function resultText(id: RequestId, result: Json): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(result)}}`
}

export function errorText(id: RequestId, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(error.toJson())}}`
}

function own(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function isRequestId(value: unknown): value is RequestId {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
