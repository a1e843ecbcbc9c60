import { useState } from 'preact/hooks'
import { grouped, shortHex } from '../../../live/amount.ts'
import { useStudio } from '../../client/studio.ts'
import type { PoolRow } from '../../model/pool-rows.ts'
import { replacementFee, replacementOf } from '../../model/replacement.ts'
import { ActionForm } from '../../widgets/action-form.tsx'
import { Panel } from '../../widgets/layout.tsx'
import { TransactionLink } from '../../widgets/text.tsx'
import { failureText } from '../failure-text.ts'

const SAME = 'the same call'
const CANCELLING = 'nothing, to the sender itself'

/** Replaces a pooled transaction of an account that the node signs for. */
export function ReplacePart({ row, onClose }: { readonly row: PoolRow; readonly onClose: () => void }) {
  const { senders, abis } = useStudio()
  const [isDone, setDone] = useState(false)
  const run = async ([fee = '', call = '']: readonly string[]) => {
    const replacement = replacementOf(row, fee, call === CANCELLING)
    const hash = await senders.send(row.from, replacement).catch((error: unknown) => {
      throw new Error(failureText(abis.state.value.book, error))
    })
    setDone(true)
    return (
      <>
        Replaced by <TransactionLink hash={hash} />
      </>
    )
  }
  return (
    <Panel
      title={`Replace nonce ${grouped(row.nonce)} of ${shortHex(row.from)}`}
      aside={
        <button type="button" class="link" onClick={onClose}>
          Close
        </button>
      }
    >
      <ActionForm
        fields={[
          { label: 'Offer at most (gwei)', initial: replacementFee(row) },
          { label: 'Send', choices: [SAME, CANCELLING], initial: SAME },
        ]}
        action="Replace"
        run={run}
        isDisabled={isDone}
      />
    </Panel>
  )
}
