import { useEffect, useRef, useState } from 'preact/hooks'
import { errorText } from '../../../live/request-error.ts'
import type { DebugSession } from '../../../solidity/debugger/debug-session.ts'
import type { StepView } from '../../../solidity/debugger/step-view.ts'

/** What is known about a step: the view of an earlier one until its own is there. */
export interface ShownStep {
  readonly view?: StepView
  /** Why the newest view is missing. */
  readonly problem?: string
}

/**
 * The view of a step. One view is loaded at a time, then that of the newest step: a slider that moves asks the node
 * for few windows.
 */
export function useStepView(session: DebugSession, step: number): ShownStep {
  const [shown, setShown] = useState<ShownStep>({})
  const wanted = useRef(step)
  wanted.current = step
  const isBusy = useRef(false)
  const isClosed = useRef(false)
  useEffect(
    () => () => {
      isClosed.current = true
    },
    [],
  )
  useEffect(() => {
    const load = async (): Promise<void> => {
      isBusy.current = true
      for (let at = -1; at !== wanted.current; ) {
        at = wanted.current
        const next = await session.view(at).then(
          (view): ShownStep => ({ view }),
          (error: unknown): ShownStep => ({ problem: errorText(error) }),
        )
        if (isClosed.current) return
        setShown((before) => ({ ...(before.view && { view: before.view }), ...next }))
      }
      isBusy.current = false
      // A failure shows itself when the step is reached.
      session.prefetch(wanted.current).catch(() => undefined)
    }
    if (!isBusy.current) void load()
  }, [session, step])
  return shown
}
