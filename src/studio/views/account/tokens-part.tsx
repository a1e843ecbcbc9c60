import { bigintOf, decimalOf, grouped } from '../../../live/amount.ts'
import type { NodeRequests } from '../../../live/http-rpc.ts'
import { readStocks } from '../../../live/stock-list.ts'
import { TRANSFER_TOPIC } from '../../../primitives/stocks/transfer-event.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import { stockInput } from '../../model/stock/stock-contract.ts'
import { hrefOf } from '../../router/route.ts'
import { LoadedContent, Notice, Panel } from '../../widgets/layout.tsx'
import { useLogScan } from '../../widgets/use-log-scan.ts'
import { useRequest } from '../../widgets/use-request.ts'
import { type Column, column, numberColumn, VirtualTable } from '../../widgets/virtual-table.tsx'
import { readTokenFacts, type TokenFacts, TokenName } from '../token-facts.tsx'

/** Tokens whose balance is read. */
const MAX_TOKENS = 200

interface TokenBalance {
  readonly token: string
  readonly balance: bigint
  readonly facts: TokenFacts | undefined
  readonly isStock: boolean
}

/** Tokens that an account holds: those whose transfers to it were logged, and the tokenized stocks of the node. */
export function TokensPart({ address }: { readonly address: string }) {
  const loaded = useLogScan(`tokens ${address}`, { topics: [TRANSFER_TOPIC, null, topicOf(address)] })
  return (
    <LoadedContent loaded={loaded}>
      {({ logs, fromBlock, toBlock }) => (
        <>
          <Balances address={address} tokens={[...new Set(logs.map((log) => log.address))]} toBlock={toBlock} />
          {fromBlock > 0 && (
            <Notice>
              Only transfers since block {grouped(fromBlock)} are read, so tokens that it received before are missing.
            </Notice>
          )}
        </>
      )}
    </LoadedContent>
  )
}

function Balances(props: { readonly address: string; readonly tokens: readonly string[]; readonly toBlock: number }) {
  const { address, tokens, toBlock } = props
  const { client, capabilities } = useStudio()
  const hasStocks = useStore(capabilities)?.stocks === true
  const load = async () => {
    const stocks = hasStocks ? (await readStocks(client).catch(() => [])).map((stock) => stock.address) : []
    return readBalances(client, address, { tokens, stocks })
  }
  const loaded = useRequest(`${address} ${hasStocks}`, load, `${toBlock} ${tokens.length}`)
  return (
    <LoadedContent loaded={loaded}>
      {(balances) => (
        <Panel title="Tokens" aside={<span class="muted">as of the open block</span>}>
          <VirtualTable
            label="Tokens"
            rows={balances}
            columns={COLUMNS}
            keyOf={({ token }) => token}
            empty="It holds no token of ERC-20 or ERC-721 that a transfer event shows."
          />
          {tokens.length > MAX_TOKENS && <Notice>The balances of {grouped(MAX_TOKENS)} tokens are read.</Notice>}
        </Panel>
      )}
    </LoadedContent>
  )
}

async function readBalances(
  node: NodeRequests,
  account: string,
  { tokens, stocks }: { readonly tokens: readonly string[]; readonly stocks: readonly string[] },
): Promise<readonly TokenBalance[]> {
  const all = [...new Set([...stocks, ...tokens.slice(-MAX_TOKENS)])]
  const data = stockInput('balanceOf', [account])
  const outputs = await Promise.all(
    all.map((to) => node.request('eth_call', [{ to, data }, 'pending']).catch(() => undefined)),
  )
  const held = all.flatMap((token, position) => {
    const balance = bigintOf(outputs[position]) ?? 0n
    return balance === 0n ? [] : [{ token, balance }]
  })
  const facts = await readTokenFacts(
    node,
    held.map(({ token }) => token),
  )
  return held.map((one) => ({ ...one, facts: facts.get(one.token), isStock: stocks.includes(one.token) }))
}

const COLUMNS: readonly Column<TokenBalance>[] = [
  column('Token', 'minmax(14rem, 1.4fr)', ({ token, facts }) => <TokenName token={token} facts={facts} />),
  numberColumn('Balance', 'minmax(12rem, 1fr)', ({ balance, facts }) => balanceText(balance, facts)),
  column('Unit', 'minmax(8rem, 0.6fr)', ({ token, facts, isStock }) =>
    isStock ? (
      <a href={hrefOf({ view: 'stock', address: token, tab: 'overview' })}>stock</a>
    ) : (
      <span class="muted">{facts?.decimals === undefined ? 'pieces or base units' : 'tokens'}</span>
    ),
  ),
]

function balanceText(balance: bigint, facts: TokenFacts | undefined) {
  const text = decimalOf(balance, facts?.decimals ?? 0)
  return <span title={text}>{text}</span>
}

/** An address as a topic of a log. */
function topicOf(address: string): string {
  return `0x${address.slice(2).padStart(64, '0')}`
}
