import type { SimulatedNetwork } from './network.ts'
import type { Actor } from './scheduler.ts'

/** The part of `fetch` that the sources use for JSON. */
export type SimulatedFetch = (
  url: string,
  init?: { readonly signal?: AbortSignal },
) => Promise<{ readonly ok: boolean; readonly status: number; readonly body: null; json(): Promise<unknown> }>

/** A `fetch` for a process: the host of the URL answers a connection to its path with one message. */
export function simulatedFetch(actor: Actor, network: SimulatedNetwork): SimulatedFetch {
  return (url, { signal } = {}) =>
    new Promise((resolve, reject) => {
      const { hostname, pathname } = new URL(url)
      const end = network.connect(actor, hostname, pathname, () => undefined)
      signal?.addEventListener('abort', () => {
        end.terminate()
        reject(signal.reason)
      })
      end.onFrame = (frame) => {
        if (frame.kind === 'lost') reject(new Error('fetch failed'))
        if (frame.kind !== 'data') return
        end.terminate()
        const text = frame.bytes.toString()
        resolve({ ok: true, status: 200, body: null, json: async () => JSON.parse(text) })
      }
    })
}
