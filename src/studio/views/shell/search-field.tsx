import { useState } from 'preact/hooks'
import type { NodeRequests } from '../../../live/http-rpc.ts'
import { errorText } from '../../../live/request-error.ts'
import { readStocks } from '../../../live/stock-list.ts'
import { useStudio } from '../../client/studio.ts'
import type { StudioRoute } from '../../router/route.ts'
import { NOTHING, parseSearch, type SearchTerm } from '../../router/search.ts'
import { goTo } from '../../router/use-route.ts'

/** Goes to a block, a transaction, an account or a stock. */
export function SearchField() {
  const { client } = useStudio()
  const [text, setText] = useState('')
  const [message, setMessage] = useState<string>()
  const search = async (event: Event) => {
    event.preventDefault()
    const term = parseSearch(text)
    if (term.kind === 'nothing') return setMessage(term.message)
    try {
      const route = await routeOf(client, term)
      if (route === undefined) return setMessage(NOTHING)
      setMessage(undefined)
      setText('')
      goTo(route)
    } catch (error) {
      setMessage(errorText(error))
    }
  }
  return (
    <search class="search">
      <form onSubmit={search}>
        <input
          type="search"
          data-key="/"
          aria-label="Search by block number, hash, address or symbol"
          placeholder="Search  /"
          spellcheck={false}
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value)
            setMessage(undefined)
          }}
        />
      </form>
      {message !== undefined && (
        <p class="search-message" role="alert">
          {message}
        </p>
      )}
    </search>
  )
}

async function routeOf(
  node: NodeRequests & Parameters<typeof readStocks>[0],
  term: Exclude<SearchTerm, { kind: 'nothing' }>,
): Promise<StudioRoute | undefined> {
  switch (term.kind) {
    case 'route':
      return term.route
    case 'hash':
      return routeOfHash(node, term.hash)
    case 'symbol': {
      const symbol = term.symbol.toLowerCase()
      const stocks = await readStocks(node).catch(() => [])
      const found = stocks.find((stock) => stock.symbol.toLowerCase() === symbol)
      return found && { view: 'stock', address: found.address, tab: 'overview' }
    }
  }
}

/** A hash that is no block is shown as a transaction: one that the node gets later appears there. */
async function routeOfHash(node: NodeRequests, hash: string): Promise<StudioRoute> {
  const block = await node.request('eth_getBlockByHash', [hash, false])
  return block === null ? { view: 'transaction', hash, tab: 'overview' } : { view: 'block', id: hash }
}
