import { useStore, useStudio } from '../../client/studio.ts'
import type { DebugSubject } from '../../model/debugger/debug-subject.ts'
import { hrefOf } from '../../router/route.ts'
import { LoadedContent, Notice } from '../../widgets/layout.tsx'
import { TransactionLink } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { DebuggerPage } from './debugger-page.tsx'
import { openSession } from './open-session.ts'

/** Steps through a transaction or a call, by lines of Solidity and by opcodes. */
export function DebuggerPanel(props: { readonly subject: DebugSubject; readonly step: number | undefined }) {
  const { subject, step } = props
  const { client, capabilities } = useStudio()
  const found = useStore(capabilities)
  const key = found?.traces === true ? hrefOf({ view: 'debug', subject }) : undefined
  const loaded = useRequest(key, () => openSession(client, found!.chainId, subject))
  const opened = loaded.kind === 'ready' ? loaded.value : undefined
  return (
    <div class="view debugger">
      <h1>Debugger</h1>
      <p class="subject">
        <SubjectText subject={opened?.subject ?? subject} />
      </p>
      {found?.traces === false ? (
        <Notice>This node does not offer debug_traceTransaction, so nothing can be debugged.</Notice>
      ) : (
        <LoadedContent loaded={loaded}>
          {(value) =>
            value.session.trace.count === 0 ? (
              <Notice>No code ran: there is nothing to step through.</Notice>
            ) : (
              <DebuggerPage session={value.session} subject={value.subject} given={step} />
            )
          }
        </LoadedContent>
      )}
    </div>
  )
}

function SubjectText({ subject }: { readonly subject: DebugSubject }) {
  if (subject.kind === 'transaction') {
    return (
      <>
        Transaction <TransactionLink hash={subject.hash} />
      </>
    )
  }
  const { block } = subject
  if (block === undefined) return <>A call on the newest sealed block</>
  return <>A call on block {block.length > 18 ? block : String(BigInt(block))}</>
}
