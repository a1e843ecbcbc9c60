import { useEffect, useMemo, useState } from 'preact/hooks'
import type { DebugSession } from '../../../solidity/debugger/debug-session.ts'
import type { DebugSubject } from '../../model/debugger/debug-subject.ts'
import { hrefOf } from '../../router/route.ts'
import { Notice, Problem } from '../../widgets/layout.tsx'
import { CallStackPane } from './call-stack-pane.tsx'
import { GasPane } from './gas-pane.tsx'
import { MemoryPane, OpcodePane, StackPane } from './machine-panes.tsx'
import { SourcePane } from './source-pane.tsx'
import { StepControls } from './step-controls.tsx'
import { useStepView } from './use-step-view.ts'
import { StoragePane, VariablesPane } from './variables-panes.tsx'

/** Browsers limit how often a page may change its address. */
const ADDRESS_DELAY_MS = 400

/** The panes of a debugger around the current step. @param given the step in the address of the page */
export function DebuggerPage(props: {
  readonly session: DebugSession
  readonly subject: DebugSubject
  readonly given: number | undefined
}) {
  const { session, subject, given } = props
  const [step, setStep] = useState(() => within(session, given ?? session.start))
  const [message, setMessage] = useState('')
  useEffect(() => {
    if (given !== undefined) setStep(within(session, given))
  }, [session, given])
  useEffect(() => {
    const timer = setTimeout(
      () => history.replaceState(null, '', hrefOf({ view: 'debug', subject, step })),
      ADDRESS_DELAY_MS,
    )
    return () => clearTimeout(timer)
  }, [subject, step])
  const { view, problem } = useStepView(session, step)
  const root = useMemo(() => session.flameGraph(), [session])
  const go = (to: number | undefined, missing = '') => {
    setMessage(to === undefined ? missing : '')
    if (to !== undefined) setStep(to)
  }
  return (
    <>
      <StepControls session={session} step={step} message={message} onGo={go} />
      <Problem text={problem} />
      <Notes session={session} step={step} notes={view?.notes ?? []} />
      <div class="debug-panes">
        <div class="debug-code">
          {session.hasLines && <SourcePane session={session} step={step} shown={view} onGo={go} />}
          <OpcodePane session={session} step={step} onGo={go} />
        </div>
        {view !== undefined && (
          <div class="debug-state">
            <CallStackPane view={view} onGo={go} />
            <VariablesPane view={view} />
            <StoragePane view={view} />
            <StackPane view={view} />
            <MemoryPane view={view} />
          </div>
        )}
      </div>
      <GasPane
        root={root}
        current={session.nameOf(session.activationAt(step))}
        onGo={(first) => go(session.beginning(first))}
      />
    </>
  )
}

function within({ trace: { count } }: DebugSession, step: number): number {
  return Math.min(step, count - 1)
}

/** What cannot be shown at a step, and how that changes. */
function Notes(props: { readonly session: DebugSession; readonly step: number; readonly notes: readonly string[] }) {
  const { session, step, notes } = props
  const { frame } = session.activationAt(step)
  const { to } = session.trace.frames[frame]!
  if (session.codes[frame] === undefined) {
    return (
      <Notice>
        The sources of {to === undefined ? 'this contract' : <span class="hex wrap">{to}</span>} are not known, so its
        opcodes are shown. Verify it on this node with <code>forge verify-contract</code>, <code>hardhat verify</code>{' '}
        or <code>tickertape verify-source</code>, or start the node with <code>--abi</code> (docs/sources.md); then
        reload this page.
      </Notice>
    )
  }
  if (notes.length === 0) return null
  return <Notice>Not everything can be shown here: {notes.join('; ')}.</Notice>
}
