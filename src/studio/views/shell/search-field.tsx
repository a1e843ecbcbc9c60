import { useMemo, useState } from 'preact/hooks'
import { getAddress } from 'viem'
import type { NodeRequests } from '../../../live/http-rpc.ts'
import { knownAddresses } from '../../../live/names/known-addresses.ts'
import { errorText } from '../../../live/request-error.ts'
import { readStocks } from '../../../live/stock-list.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import { methodDocuments } from '../../model/method-document.ts'
import type { StudioRoute } from '../../router/route.ts'
import { NOTHING, parseSearch } from '../../router/search.ts'
import { type SearchSources, type Suggestion, suggestionsFor } from '../../router/suggestions.ts'
import { goTo } from '../../router/use-route.ts'
import { useRequest } from '../../widgets/use-request.ts'

/** A message below the field, which another Enter may pass over. */
interface Message {
  readonly text: string
  /** Place that the text means nevertheless. */
  readonly route?: StudioRoute
}

/** Goes to a stock, an account, a block, a transaction, a view or a method of the console. */
export function SearchField({ views }: { readonly views: SearchSources['views'] }) {
  const { client } = useStudio()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState(0)
  const [message, setMessage] = useState<Message>()
  const sources = useSources(views, isOpen)
  const found = useMemo(() => suggestionsFor(text, sources), [text, sources])
  const close = () => {
    setText('')
    setOpen(false)
    setMessage(undefined)
  }
  const go = async (suggestion: Suggestion | undefined) => {
    if (message?.route !== undefined) return leave(message.route, close)
    const problem = checksumProblem(text)
    if (problem !== undefined && suggestion !== undefined) {
      return setMessage({ text: problem, route: suggestion.route })
    }
    try {
      const route = suggestion?.route ?? (await stockRoute(client, text))
      if (route === undefined) return setMessage({ text: NOTHING })
      leave(await exactRoute(client, route), close)
    } catch (error) {
      setMessage({ text: errorText(error) })
    }
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') close()
    if (step === undefined || found.length === 0) return
    event.preventDefault()
    setChosen((chosen + step + found.length) % found.length)
  }
  const current = found[Math.min(chosen, found.length - 1)]
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void go(current)
        }}
      >
        {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: its role is in COMBOBOX. */}
        <input
          type="search"
          data-key="/"
          {...COMBOBOX}
          aria-expanded={isOpen && found.length > 0}
          aria-controls="suggestions"
          aria-activedescendant={isOpen && current !== undefined ? `suggestion-${found.indexOf(current)}` : undefined}
          aria-label="Search by symbol, company, ISIN, address, hash, block, view or method"
          placeholder="Search  /"
          spellcheck={false}
          autocomplete="off"
          value={text}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={press}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value)
            setChosen(0)
            setOpen(true)
            setMessage(undefined)
          }}
        />
      </form>
      {isOpen && message === undefined && (
        <SuggestionList found={found} current={current} onChoice={(one) => void go(one)} />
      )}
      {message !== undefined && <SearchMessage message={message} onClose={close} />}
    </search>
  )
}

/** A field without a `datalist`, which the types of elements ask for. */
const COMBOBOX = { role: 'combobox' } as object

function leave(route: StudioRoute, close: () => void): void {
  close()
  goTo(route)
}

function SuggestionList(props: {
  readonly found: readonly Suggestion[]
  readonly current: Suggestion | undefined
  readonly onChoice: (suggestion: Suggestion) => void
}) {
  const { found, current, onChoice } = props
  return (
    <div class="suggestions" id="suggestions" role="listbox" aria-label="Found places" hidden={found.length === 0}>
      {found.map((one, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option.
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys act in the field.
        <div
          key={`${one.label} ${one.details}`}
          id={`suggestion-${index}`}
          role="option"
          aria-selected={one === current}
          // Before the field loses the focus, which closes the list.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoice(one)}
        >
          <strong>{one.label}</strong> <span class="muted">{one.details}</span>
        </div>
      ))}
    </div>
  )
}

function SearchMessage({ message, onClose }: { readonly message: Message; readonly onClose: () => void }) {
  return (
    <div class="search-message">
      <span role="alert">{message.text}</span>
      <button type="button" class="link" onClick={onClose}>
        Close
      </button>
    </div>
  )
}

/** Stocks, views, names, and the methods of the node once the field was used. */
function useSources(views: SearchSources['views'], isUsed: boolean): SearchSources {
  const { client, capabilities, stocks } = useStudio()
  const listed = useStore(stocks)
  const discovers = useStore(capabilities)?.discovery === true
  const [wasUsed, setUsed] = useState(false)
  if (isUsed && !wasUsed) setUsed(true)
  const loaded = useRequest(wasUsed && discovers ? 'methods' : undefined, async () =>
    methodDocuments(await client.request('rpc.discover')),
  )
  const methods = loaded.kind === 'ready' ? loaded.value : NO_METHODS
  return useMemo(() => ({ stocks: listed, views, methods, addresses: knownAddresses() }), [listed, views, methods])
}

const NO_METHODS: SearchSources['methods'] = []

/** Says that an address was probably mistyped: the case of its letters is a checksum (EIP-55). */
function checksumProblem(text: string): string | undefined {
  const term = text.trim()
  const isMixed = /^0x[0-9a-fA-F]{40}$/.test(term) && /[a-f]/.test(term) && /[A-F]/.test(term)
  if (!isMixed || getAddress(term.toLowerCase()) === term) return undefined
  return 'The checksum of this address is wrong (EIP-55), so a digit may be mistyped. Enter opens it nevertheless.'
}

/** A stock that the page does not know yet: one that was just created, or any while the page loads. */
async function stockRoute(node: Parameters<typeof readStocks>[0], text: string): Promise<StudioRoute | undefined> {
  const symbol = text.trim().toLowerCase()
  const stocks = symbol === '' ? [] : await readStocks(node).catch(() => [])
  const found = stocks.find((stock) => stock.symbol.toLowerCase() === symbol)
  return found && { view: 'stock', address: found.address, tab: 'overview' }
}

/** A hash may be that of a block. One that the node gets later appears on the page of a transaction. */
async function exactRoute(node: NodeRequests, route: StudioRoute): Promise<StudioRoute> {
  if (route.view !== 'transaction' || parseSearch(route.hash).kind !== 'hash') return route
  const block = await node.request('eth_getBlockByHash', [route.hash, false])
  return block === null ? route : { view: 'block', id: route.hash }
}
