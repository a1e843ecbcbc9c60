import { tickOf } from '../../../live/live-feed.ts'
import type { Timeline } from '../../../live/timeline.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import { seenSlotOf, seenTimes } from '../../model/seen-slots.ts'
import type { TransactionCondition } from '../../model/transaction-status.ts'
import { tokenTransfers } from '../../model/transfers.ts'
import type { TransactionTab } from '../../router/route.ts'
import { hrefOf } from '../../router/route.ts'
import { LoadedContent, Notice, Panel, type Tab, TabLinks } from '../../widgets/layout.tsx'
import { CopyButton } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { RawFields } from '../raw-fields.tsx'
import { CallsPart } from './calls-part.tsx'
import { InputPart } from './input-part.tsx'
import { LogsPart } from './logs-part.tsx'
import { OverviewPart } from './overview-part.tsx'
import { loadTransaction, type TransactionDetails } from './read-transaction.ts'
import { StatePart } from './state-part.tsx'
import { HistoryPart, StatusTrack } from './status-track.tsx'

/** A transaction from the pool to finality. */
export function TransactionPanel({ hash, tab }: { readonly hash: string; readonly tab: TransactionTab }) {
  const { client, capabilities, live } = useStudio()
  const found = useStore(capabilities)
  const tick = tickOf(useStore(live.state))
  const key = found && `${hash} ${found.transactionStatus}`
  const loaded = useRequest(key, () => loadTransaction(client, hash, found!), tick)
  return (
    <div class="view">
      <div class="title-row">
        <h1>Transaction</h1>
        {found?.traces === true && loaded.kind === 'ready' && loaded.value.receipt !== undefined && (
          <a class="button" href={hrefOf({ view: 'debug', subject: { kind: 'transaction', hash } })}>
            Debug
          </a>
        )}
      </div>
      <p class="subject">
        <span class="hex whole">{hash}</span>
        <CopyButton text={hash} label="transaction hash" />
      </p>
      <LoadedContent loaded={loaded}>{(details) => <TransactionPage details={details} tab={tab} />}</LoadedContent>
    </div>
  )
}

function TransactionPage({ details, tab }: { readonly details: TransactionDetails; readonly tab: TransactionTab }) {
  const { hash, transaction, receipt } = details
  const { live, histories, now } = useStudio()
  const { timeline } = useStore(live.state)
  const condition = withSeenSlot(details, timeline)
  const seen = seenTimes(timeline, condition)
  const history = histories.observe(hash, condition, {
    now: now(),
    sentAt: live.sentAt(hash),
    flashblockAt: seen.flashblockAt ?? condition.preconfirmedAt,
    sealedAt: seen.sealedAt ?? condition.sealedAt,
  })
  if (transaction === undefined) {
    return (
      <>
        <StatusTrack condition={condition} />
        <HistoryPart entries={history} />
        {condition.status === 'unknown' && (
          <Notice>If it was sent a moment ago, this page shows it as soon as the node has it.</Notice>
        )}
      </>
    )
  }
  return (
    <>
      <StatusTrack condition={condition} />
      <TabLinks tabs={tabsOf(hash, details)} current={tab} />
      {tab === 'overview' && (
        <>
          <HistoryPart entries={history} />
          <OverviewPart details={details} transaction={transaction} transfers={tokenTransfers(receipt?.logs ?? [])} />
        </>
      )}
      {tab === 'input' && <InputPart transaction={transaction} />}
      {tab === 'logs' && <LogsPart receipt={receipt} />}
      {tab === 'calls' && <CallsPart hash={hash} isIncluded={receipt !== undefined} />}
      {tab === 'state' && <StatePart hash={hash} isIncluded={receipt !== undefined} />}
      {tab === 'raw' && (
        <>
          <Panel title="Transaction">
            <RawFields raw={transaction.raw} />
          </Panel>
          {receipt !== undefined && (
            <Panel title="Receipt">
              <RawFields raw={receipt.raw} />
            </Panel>
          )}
        </>
      )}
    </>
  )
}

/** Adds the flashblock that this page has seen: the node knows it for recent blocks only. */
function withSeenSlot({ hash, transaction, condition }: TransactionDetails, timeline: Timeline): TransactionCondition {
  const { blockNumber, flashblockIndex } = condition
  if (blockNumber === undefined || flashblockIndex !== undefined) return condition
  return {
    ...condition,
    flashblockIndex: seenSlotOf(timeline, { number: blockNumber, hash, index: transaction?.index }),
  }
}

function tabsOf(hash: string, { receipt }: TransactionDetails): readonly Tab[] {
  const tab = (id: TransactionTab, label: string, count?: number) => ({
    id,
    label,
    count,
    href: hrefOf({ view: 'transaction', hash, tab: id }),
  })
  return [
    tab('overview', 'Overview'),
    tab('input', 'Input'),
    tab('logs', 'Logs', receipt?.logs.length),
    tab('calls', 'Calls'),
    tab('state', 'State changes'),
    tab('raw', 'All fields'),
  ]
}
