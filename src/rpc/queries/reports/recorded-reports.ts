import { TraceBudget } from '../../../engine/trace/trace-budget.ts'
import type { View } from '../../../node/view/view.ts'
import type { WriteContext } from '../../context/writing.ts'
import { CoverageReport } from '../../reports/coverage-report.ts'
import { GasReport } from '../../reports/gas-report.ts'
import type { ReportPosition, ReportRecording, Reports } from '../../reports/report-recording.ts'
import { collectReports } from './collect-reports.ts'

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
 * Adds the transactions that a recording lacks. One that could not be added is a member of the recording, not an error.
 *
 * @param context of a view that the caller retains
 */
export async function completeRecording(context: WriteContext, recording: ReportRecording): Promise<void> {
  const to = endOf(context.view)
  try {
    await collectReports(context, { from: recording.next, to: to.number }, recording.reports)
  } catch (error) {
    recording.incomplete ??= error instanceof Error ? error.message : String(error)
  }
  recording.next = to
  // A contract whose name cannot be read now is looked up again with the next report.
  await recording.reports.gas?.nameContracts(context.interfaceOf).catch(() => undefined)
}

/** Runs what may remove transactions of the chain, after they are in the recording if there is one. */
export function whileRecorded<T>(context: WriteContext, remove: () => Promise<T>): Promise<T> {
  const { recorder } = context
  if (recorder.recording === undefined) return remove()
  return recorder.exclusively(async () => {
    const { recording } = recorder
    if (recording === undefined) return remove()
    const before = context.renewed()
    before.view.retain()
    try {
      await completeRecording(before, recording)
      const result = await remove()
      recording.next = continuation(recording.next, before.view, context.renewed().view)
      return result
    } finally {
      before.view.release()
    }
  })
}

/** The first position whose transaction is not that of the former view. */
function continuation(next: ReportPosition, former: View, view: View): ReportPosition {
  const hashOf = (one: View, number: number) => one.blockHash({ kind: 'number', number })
  // Blocks below a fork are those of another node, which would have to be asked for them.
  const { forkBlock: base = 0 } = view
  if (former.forkBlock !== view.forkBlock) return { number: base + 1, index: 0 }
  let common = Math.min(former.head.sealed.latest, view.head.sealed.latest)
  while (common > base && hashOf(former, common) !== hashOf(view, common)) common -= 1
  const { header, transactions } = view.head.pending.block
  const last = former.head.pending.block.transactions[next.index - 1]
  const isOpenStill =
    common === former.head.sealed.latest &&
    header.number === next.number &&
    (last === undefined || transactions[next.index - 1]?.hash === last.hash)
  return isOpenStill ? next : { number: common + 1, index: 0 }
}
