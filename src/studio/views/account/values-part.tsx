import type { AbiFunction } from 'viem'
import type { NodeRequests } from '../../../live/http-rpc.ts'
import { newestHeight } from '../../../live/live-feed.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import type { AbiSource } from '../../model/abi/abi-book.ts'
import { decodeResults, encodedInput, isReading } from '../../model/abi/contract-call.ts'
import type { DecodedValue } from '../../model/abi/decoded.ts'
import { DecodedView } from '../../widgets/decoded-view.tsx'
import { LoadedContent, Panel } from '../../widgets/layout.tsx'
import { useRequest } from '../../widgets/use-request.ts'

/** Functions that are read: a call each, in batches. */
const MAX_READ = 80

/** Shows the results of the functions without parameters, and calls them again with each block. */
export function ValuesPart({ address, source }: { readonly address: string; readonly source: AbiSource }) {
  const { client, live } = useStudio()
  const height = newestHeight(useStore(live.state))
  const items = source.abi
    .filter((item): item is AbiFunction => item.type === 'function')
    .filter((item) => isReading(item) && item.inputs.length === 0)
    .slice(0, MAX_READ)
  const loaded = useRequest(`${address} ${source.name}`, () => readValues(client, address, items), height)
  if (items.length === 0) return null
  return (
    <LoadedContent loaded={loaded}>
      {(values) =>
        values.length === 0 ? null : (
          <Panel title="Values" aside={<span class="muted">as of the open block</span>}>
            <DecodedView decoded={{ name: '', signature: '', values }} token={address} />
          </Panel>
        )
      }
    </LoadedContent>
  )
}

async function readValues(
  node: NodeRequests,
  to: string,
  items: readonly AbiFunction[],
): Promise<readonly DecodedValue[]> {
  const read = await Promise.all(
    items.map(async (item) => {
      const input = encodedInput(item, [])
      if (input.kind === 'invalid') return []
      const output = await node.request('eth_call', [{ to, data: input.data }, 'pending']).catch(() => undefined)
      const results = typeof output === 'string' ? decodeResults(item, output) : undefined
      if (results === undefined) return [{ name: item.name, type: '', text: 'reverts', parts: [] }]
      return results.map((result) => ({
        ...result,
        name: results.length === 1 ? item.name : `${item.name}.${result.name}`,
      }))
    }),
  )
  return read.flat()
}
