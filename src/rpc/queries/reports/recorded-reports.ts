import { TraceBudget } from '../../../engine/trace/trace-budget.ts'
import type { View } from '../../../node/view/view.ts'
import type { Hash } from '../../../primitives/hex.ts'
import type { WriteContext } from '../../context/writing.ts'
import { CoverageReport } from '../../reports/coverage-report.ts'
import { GasReport } from '../../reports/gas-report.ts'
import type { ReportPosition, ReportRecording, Reports } from '../../reports/report-recording.ts'
import { ClientGoneError } from '../../scheduling/time-slices.ts'
import { collectReports, ReportFullError } from './collect-reports.ts'

/** Replays before a removal while blocks go on. */
const REPLAY_ROUNDS = 10

const RECORDING_ADVICE =
  'read the report more often, start it with {"coverage": false}, or restart the node with a larger --max-trace-timeout-ms'

/** Empty reports, each as large as a response may be. */
export function emptyReports(
  { options: { maxTraceBytes } }: Pick<WriteContext, 'options'>,
  wanted: { readonly gas: boolean; readonly coverage: boolean },
): Reports {
  return {
    ...(wanted.gas && { gas: new GasReport(new TraceBudget(maxTraceBytes)) }),
    ...(wanted.coverage && { coverage: new CoverageReport(new TraceBudget(maxTraceBytes)) }),
    transactions: 0,
  }
}

/** The position after the newest pre-confirmed transaction. */
export function endOf({ head }: Pick<View, 'head'>): ReportPosition {
  const { header, transactions } = head.pending.block
  return { number: header.number, index: transactions.length }
}

/**
 * Adds the transactions that a recording lacks. After an error the next call resumes with the block that failed.
 *
 * @param context of a view that the caller retains
 * @throws RpcError when the time is over or a block cannot be replayed, but not when the reports are full
 */
export async function completeRecording(context: WriteContext, recording: ReportRecording): Promise<void> {
  const { reports, next: from } = recording
  const to = endOf(context.view)
  const onBlock = (next: ReportPosition) => {
    recording.next = next
  }
  try {
    await collectReports(context, { from, to: to.number, advice: RECORDING_ADVICE, onBlock }, reports)
  } catch (error) {
    if (!(error instanceof ReportFullError)) throw error
    recording.incomplete ??= error.message
  }
  recording.next = to
  await reports.gas?.nameContracts(context.interfaceOf)
}

/** Removes transactions of the chain, after they are in the recording if there is one. */
export function recordThenRemove<T>(context: WriteContext, remove: () => Promise<T>): Promise<T> {
  const { recorder } = context
  if (recorder.recording === undefined) return remove()
  return recorder.runExclusive(async () => {
    const { recording } = recorder
    if (recording === undefined) return remove()
    let before = context.renewed()
    before.view.retain()
    try {
      for (let round = 1; ; round++) {
        await completeBeforeRemoval(before, recording)
        // Transactions were included during the replay, and would be removed unrecorded.
        const current = context.renewed()
        if (isSame(endOf(current.view), recording.next)) break
        if (round === REPLAY_ROUNDS) {
          recording.incomplete ??= 'transactions were included faster than they could be replayed before a revert'
          break
        }
        current.view.retain()
        before.view.release()
        before = current
      }
      const result = await remove()
      recording.next = positionAfterRemoval(before.view, context.renewed().view)
      return result
    } finally {
      before.view.release()
    }
  })
}

/** A failure does not prevent the removal: the recording names it. A client that is gone does. */
async function completeBeforeRemoval(context: WriteContext, recording: ReportRecording): Promise<void> {
  try {
    await completeRecording(context, recording)
  } catch (error) {
    if (error instanceof ClientGoneError) throw error
    recording.incomplete ??= error instanceof Error ? error.message : String(error)
    recording.next = endOf(context.view)
  }
}

function isSame(one: ReportPosition, other: ReportPosition): boolean {
  return one.number === other.number && one.index === other.index
}

/** The first position whose transaction is not that of the former view, all of whose transactions are recorded. */
function positionAfterRemoval(former: View, view: View): ReportPosition {
  const hashOf = (one: View, number: number) => one.blockHash({ kind: 'number', number })
  // Blocks below a fork are those of another node, which would have to be asked for them.
  const { forkBlock: base = 0 } = view
  if (former.forkBlock !== view.forkBlock) return { number: base + 1, index: 0 }
  let common = Math.min(former.head.sealed.latest, view.head.sealed.latest)
  while (common > base && hashOf(former, common) !== hashOf(view, common)) common -= 1
  // The next block may be open in one view and sealed in the other one.
  const number = common + 1
  const [recorded, current] = [former, view].map((one) => transactionHashes(one, number)) as [Hashes, Hashes]
  const changed = current.findIndex((hash, index) => hash !== recorded[index])
  return { number, index: changed === -1 ? current.length : changed }
}

type Hashes = readonly Hash[]

function transactionHashes(view: View, number: number): Hashes {
  const { block: pending } = view.head.pending
  const block = number === pending.header.number ? pending : view.block({ kind: 'number', number })?.block
  return (block?.transactions ?? []).map(({ hash }) => hash)
}
