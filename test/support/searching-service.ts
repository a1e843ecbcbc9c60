import { STOCK_FACTORY_ADDRESS } from '../../src/chain/predeploys/stock-contracts.ts'
import { standaloneService } from './standalone-service.ts'

interface SearchedRange {
  readonly from: number
  readonly to: number
  /** In JSON. */
  readonly topics: string
}

interface Call {
  readonly method: string
  readonly params: readonly { readonly fromBlock: string; readonly toBlock: string; readonly topics: unknown }[]
}

/** A service whose upstream answers to some searches of logs with an error; and all searches. */
export function searchingService(url: string, errorOf: (range: SearchedRange) => object | undefined) {
  const ranges: SearchedRange[] = []
  const errorFor = ({ method, params: [filter] }: Call) => {
    if (method !== 'eth_getLogs') return undefined
    const { fromBlock, toBlock, topics } = filter!
    const range = { from: Number(fromBlock), to: Number(toBlock), topics: JSON.stringify(topics) }
    ranges.push(range)
    return errorOf(range)
  }
  const { get } = standaloneService({
    url,
    factory: STOCK_FACTORY_ADDRESS,
    retries: 0,
    fetch: async (target, init) => {
      const errors = (JSON.parse(String(init!.body)) as Call[]).map(errorFor)
      const answers = (await (await fetch(target, init)).json()) as { id: number }[]
      return Response.json(
        answers.map((answer) => {
          const error = errors[answer.id]
          return error === undefined ? answer : { jsonrpc: '2.0', id: answer.id, error }
        }),
      )
    },
  })
  const statusOf = async (id: string) => {
    const { status, stream } = await get('/v1/tokenized-stocks/events', id === '' ? {} : { 'last-event-id': id })
    stream?.close()
    return status
  }
  return { statusOf, ranges }
}
