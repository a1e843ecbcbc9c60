import { grouped, momentText } from '../../../live/amount.ts'
import type { TimelineSlot } from '../../../live/timeline.ts'
import { Facts, Panel } from '../../widgets/layout.tsx'
import { WholeHash } from '../../widgets/text.tsx'

/** A flashblock as it arrived at this page. */
export function FlashblockPanel({ slot }: { readonly slot: TimelineSlot }) {
  const { index, hash, gasUsed, transactionCount, arrivedAt, latenessMs } = slot
  return (
    <Panel title={`Flashblock ${index}`}>
      <Facts
        facts={[
          { label: 'Transactions', value: grouped(transactionCount) },
          { label: 'Gas', hint: 'of its own transactions', value: grouped(gasUsed) },
          { label: 'Arrived', hint: 'at this page', value: `${momentText(arrivedAt)} UTC` },
          latenessMs === undefined
            ? undefined
            : { label: 'Lateness', hint: 'beyond the usual gap', value: latenessText(latenessMs) },
          { label: 'Hash so far', hint: 'of the block', value: <WholeHash hash={hash} label="hash so far" /> },
        ]}
      />
    </Panel>
  )
}

function latenessText(latenessMs: number): string {
  return latenessMs === 0 ? 'on time' : `${grouped(latenessMs)} ms later than usual`
}
