import { useState } from 'preact/hooks'
import { errorText } from '../../client/request-error.ts'
import type { StudioRoute } from '../../router/route.ts'
import { parseSearch } from '../../router/search.ts'
import { goTo } from '../../router/use-route.ts'
import { useStudio } from '../../studio.ts'

/** Goes to a block or a transaction. */
export function SearchField() {
  const { client } = useStudio()
  const [text, setText] = useState('')
  const [message, setMessage] = useState<string>()
  const search = async (event: Event) => {
    event.preventDefault()
    const term = parseSearch(text)
    if (term.kind === 'nothing') return setMessage(term.message)
    try {
      const route = term.kind === 'route' ? term.route : await routeOfHash(client, term.hash)
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
          aria-label="Search by block number, block hash or transaction hash"
          placeholder="Block or transaction  /"
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

interface Node {
  request(method: string, params: readonly unknown[]): Promise<unknown>
}

/** A hash that is no block is shown as a transaction: one that the node gets later appears there. */
async function routeOfHash(node: Node, hash: string): Promise<StudioRoute> {
  const block = await node.request('eth_getBlockByHash', [hash, false])
  return block === null ? { view: 'transaction', hash, tab: 'overview' } : { view: 'block', id: hash }
}
