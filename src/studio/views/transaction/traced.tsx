import type { ComponentChildren } from 'preact'
import { useStore, useStudio } from '../../client/studio.ts'
import { LoadedContent, Notice } from '../../widgets/layout.tsx'
import { useRequest } from '../../widgets/use-request.ts'

/** A trace of a transaction, or why there is none. */
export function Traced(props: {
  readonly hash: string
  readonly isIncluded: boolean
  /** Second parameter of `debug_traceTransaction`. */
  readonly options: { readonly tracer: string; readonly tracerConfig: object }
  readonly children: (trace: unknown) => ComponentChildren
}) {
  const { hash, isIncluded, options, children } = props
  const { client, capabilities } = useStudio()
  const found = useStore(capabilities)
  const canTrace = found?.traces === true && isIncluded
  const loaded = useRequest(canTrace ? `${options.tracer} ${hash}` : undefined, () =>
    client.request('debug_traceTransaction', [hash, options]),
  )
  if (found?.traces === false) {
    return <Notice>This node does not offer debug_traceTransaction, so its calls cannot be shown.</Notice>
  }
  if (!isIncluded) return <Notice>It is not executed yet.</Notice>
  return <LoadedContent loaded={loaded}>{children}</LoadedContent>
}
