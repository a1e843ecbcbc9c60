import { useEffect, useRef, useState } from 'preact/hooks'
import { RequestError } from '../../live/request-error.ts'
import { useStore, useStudio } from '../client/studio.ts'

/** A value that is read from the node. */
export type Loaded<T> =
  | { readonly kind: 'loading' }
  /** `outdated`: why the node refused to give a newer value. */
  | { readonly kind: 'ready'; readonly value: T; readonly outdated?: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }

const LOADING = { kind: 'loading' } as const

/**
 * Reads from the node whenever `key` changes, and again, with the old value shown, whenever `version` changes or a
 * lost connection is back.
 *
 * @param key what is read; `undefined`: nothing yet
 */
export function useRequest<T>(key: string | undefined, load: () => Promise<T>, version: unknown = ''): Loaded<T> {
  const { client } = useStudio()
  const { kind, since } = useStore(client.connection)
  const session = kind === 'live' ? since : 0
  const [state, setState] = useState<{ readonly key: string | undefined; readonly loaded: Loaded<T> }>({
    key: undefined,
    loaded: LOADING,
  })
  const latest = useRef(load)
  latest.current = load
  const current = useRef<{ key: string | undefined; isBusy: boolean; isOutdated: boolean }>({
    key: undefined,
    isBusy: false,
    isOutdated: false,
  })
  useEffect(() => {
    if (key === undefined) return
    const run = (): void => {
      const mine = { key, isBusy: true, isOutdated: false }
      current.current = mine
      const finish = (loaded: Loaded<T>): void => {
        // A response to an earlier question.
        if (current.current !== mine) return
        mine.isBusy = false
        setState((before) => ({ key, loaded: before.key === key ? renewed(before.loaded, loaded) : loaded }))
        if (mine.isOutdated) run()
      }
      latest.current().then(
        (value) => finish({ kind: 'ready', value }),
        (error: unknown) => finish({ kind: 'failed', error }),
      )
    }
    // Requests at the pace of flashblocks must not pile up at a slow node.
    if (current.current.key === key && current.current.isBusy) current.current.isOutdated = true
    else run()
  }, [key, version, session])
  useEffect(
    () => () => {
      current.current = { key: undefined, isBusy: false, isOutdated: false }
    },
    [],
  )
  return state.key === key ? state.loaded : LOADING
}

/** After a failure the old value stays. While the node is away the head of the page says that it is stale. */
function renewed<T>(before: Loaded<T>, after: Loaded<T>): Loaded<T> {
  if (after.kind !== 'failed' || before.kind !== 'ready') return after
  const isAway = after.error instanceof RequestError && after.error.code === 'UNREACHABLE'
  return isAway ? before : { ...before, outdated: after.error }
}
