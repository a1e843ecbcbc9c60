import { toQuantity } from '../../../primitives/quantity.ts'
import { quantity } from '../../codecs/quantity.ts'
import { type ReportRange, recordingOptions, reportRange } from '../../codecs/traces/report-range.ts'
import type { WriteContext } from '../../context/writing.ts'
import { EncodedJson } from '../../protocol/encoded-json.ts'
import { RPC_CODES, RpcError } from '../../protocol/errors.ts'
import { collectReports } from '../../queries/reports/collect-reports.ts'
import { completeRecording, emptyReports, endOf } from '../../queries/reports/recorded-reports.ts'
import { defineDevelopmentMethod } from '../../registry/development-method.ts'
import { defaultedParam } from '../../registry/method.ts'
import type { ReportRecording, Reports } from '../../reports/report-recording.ts'
import { COVERAGE_SCHEMA, GAS_REPORT_SCHEMA } from '../../schemas/report-schemas.ts'

export const tickertape_startReport = defineDevelopmentMethod({
  name: 'tickertape_startReport',
  summary:
    'Starts gas report and coverage here, with transactions that reverts remove later (docs/gas-and-coverage.md).',
  params: [defaultedParam('options', recordingOptions, {})],
  result: quantity.schema,
  cost: 5,
  handle([{ coverage = true }], { context }) {
    const { recorder } = context
    return recorder.runExclusive(async () => {
      const start = endOf(context.renewed().view)
      const reports = emptyReports(context, { gas: true, coverage })
      recorder.recording = { reports, start, next: start, incomplete: undefined }
      return toQuantity(start.number)
    })
  },
})

export const tickertape_stopReport = defineDevelopmentMethod({
  name: 'tickertape_stopReport',
  summary: 'Ends the reports that tickertape_startReport started, and frees them; false if there are none.',
  params: [],
  result: { type: 'boolean' },
  cost: 1,
  handle(_, { context: { recorder } }) {
    return recorder.runExclusive(async () => {
      const isRecording = recorder.recording !== undefined
      recorder.recording = undefined
      return isRecording
    })
  },
})

export const tickertape_gasReport = defineDevelopmentMethod({
  name: 'tickertape_gasReport',
  effect: 'none',
  summary:
    'Gas of calls and deployments by contract and function, since tickertape_startReport or block 1, or of a range of blocks.',
  params: [defaultedParam('range', reportRange, {})],
  result: GAS_REPORT_SCHEMA,
  cost: 2_000,
  async handle([range], { context }) {
    const { reports, covered } = await reportsOf(context, range, 'gas')
    const { failedDeployments } = reports.gas!
    const contracts = reports.gas!.contracts(range)
    return new EncodedJson(JSON.stringify({ ...covered, failedDeployments, contracts }))
  },
})

export const tickertape_coverage = defineDevelopmentMethod({
  name: 'tickertape_coverage',
  effect: 'none',
  summary:
    'How often each instruction of each code ran, since tickertape_startReport or block 1, or in a range of blocks.',
  params: [defaultedParam('range', reportRange, {})],
  result: COVERAGE_SCHEMA,
  cost: 2_000,
  async handle([range], { context }) {
    const { reports, covered } = await reportsOf(context, range, 'coverage')
    return new EncodedJson(JSON.stringify({ ...covered, codes: reports.coverage!.codes() }))
  },
})

interface Covered {
  readonly reports: Reports
  /** Members of the result. */
  readonly covered: {
    readonly fromBlock: string
    readonly toBlock: string
    readonly transactions: number
    readonly incomplete?: string
  }
}

/** The reports of the recording, or of the blocks of a range if it is named or nothing is recorded. */
function reportsOf(context: WriteContext, range: ReportRange, kind: 'gas' | 'coverage'): Promise<Covered> {
  const { fromBlock, toBlock } = range
  const { recorder } = context
  if (fromBlock !== undefined || toBlock !== undefined) return reportsOfBlocks(context, range, kind)
  return recorder.runExclusive(async () => {
    if (recorder.recording === undefined) return reportsOfBlocks(context, range, kind)
    return reportsOfRecording(context, recorder.recording, kind)
  })
}

async function reportsOfRecording(
  context: WriteContext,
  recording: ReportRecording,
  kind: 'gas' | 'coverage',
): Promise<Covered> {
  const { reports, start } = recording
  if (reports[kind] === undefined) {
    const message = 'the reports were started without coverage: start them again with {"coverage": true}'
    throw new RpcError(RPC_CODES.server, message)
  }
  const current = context.renewed()
  current.view.retain()
  try {
    await completeRecording(current, recording)
    const { incomplete, next } = recording
    const covered = { ...rangeOf(start.number, next.number, reports), ...(incomplete !== undefined && { incomplete }) }
    return { reports, covered }
  } finally {
    current.view.release()
  }
}

/** Without a first block, from the first one on that can be replayed. */
async function reportsOfBlocks(
  context: WriteContext,
  { fromBlock, toBlock = { kind: 'tag', tag: 'pending' }, timeout }: ReportRange,
  kind: 'gas' | 'coverage',
): Promise<Covered> {
  const { view } = context
  const first = Math.max(view.forkBlock ?? 0, view.oldest().state) + 1
  const from = fromBlock === undefined ? first : view.number(fromBlock)!
  const to = view.number(toBlock)!
  const pending = view.head.pending.block.header.number
  if (Math.max(from, to) > pending) {
    throw new RpcError(RPC_CODES.invalidParams, 'block range extends beyond current head block')
  }
  if (from > to) throw new RpcError(RPC_CODES.invalidParams, 'invalid block range params: fromBlock is after toBlock')
  if (from < first) {
    const reason = `block ${from} cannot be replayed, because the state before it is not kept`
    throw new RpcError(RPC_CODES.invalidParams, `${reason}: the first block that can be is ${first} (--history)`)
  }
  const reports = emptyReports(context, { gas: kind === 'gas', coverage: kind === 'coverage' })
  await collectReports(context, { from: { number: from, index: 0 }, to, timeout }, reports)
  await reports.gas?.nameContracts(context.interfaceOf)
  return { reports, covered: rangeOf(from, to, reports) }
}

function rangeOf(from: number, to: number, { transactions }: Reports) {
  return { fromBlock: toQuantity(from), toBlock: toQuantity(to), transactions }
}
