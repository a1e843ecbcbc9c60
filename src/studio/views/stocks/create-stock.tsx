import { useState } from 'preact/hooks'
import { bigintOf, decimalOf } from '../../../live/amount.ts'
import type { NodeRequests } from '../../../live/http-rpc.ts'
import { FACTORY_ADDRESS } from '../../../live/names/known-addresses.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import {
  CREATE_FIELDS,
  createArgs,
  createdAddressInput,
  createInput,
  type NewStock,
  newStockFrom,
} from '../../model/stock/create-form.ts'
import { stockOutput } from '../../model/stock/stock-contract.ts'
import { signedCommand } from '../../model/stock/stock-form.ts'
import { hrefOf } from '../../router/route.ts'
import { ActionForm } from '../../widgets/action-form.tsx'
import { Notice, Panel } from '../../widgets/layout.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { failureText } from '../failure-text.ts'
import { SenderChoice } from '../sender-choice.tsx'
import { SentTransaction } from '../sent-transaction.tsx'
import { WalletPart } from '../wallet-part.tsx'
import { ActionNote, attempt } from './action-note.tsx'

/** Creates a stock by the factory, where the chain has one. */
export function CreateStock() {
  const { client, senders } = useStudio()
  const accounts = useStore(senders.accounts)
  const [chosen, setChosen] = useState<string>()
  const sender = accounts.find((account) => account === chosen) ?? accounts[0]
  const factory = useRequest('factory', () => client.request('eth_getCode', [FACTORY_ADDRESS, 'latest']))
  if (factory.kind !== 'ready' || factory.value === '0x') return null
  return (
    <Panel title="Create a stock">
      {sender === undefined ? (
        <Notice>This node manages no accounts, so it cannot sign: connect a wallet, or use the command.</Notice>
      ) : (
        <SenderChoice accounts={accounts} sender={sender} onChoice={setChosen} />
      )}
      <WalletPart />
      <p class="explanation">The sender becomes admin of the stock, and gets its roles and the supply.</p>
      <CreateForm sender={sender} />
    </Panel>
  )
}

function CreateForm({ sender }: { readonly sender: string | undefined }) {
  const { client, senders, abis } = useStudio()
  const [texts, setTexts] = useState<readonly string[]>(CREATE_FIELDS.map(({ initial = '' }) => initial))
  const [created, setCreated] = useState(0)
  const isBegun = texts.some((text, index) => text !== (CREATE_FIELDS[index]!.initial ?? ''))
  const stock = attempt(() => newStockFrom(texts))
  const place = useRequest(sender, () => placeOf(client, sender!), created)
  const run = async (given: readonly string[]) => {
    if (sender === undefined) throw new Error('There is no account that can send.')
    const { salt, address } = await placeOf(client, sender)
    const data = createInput(newStockFrom(given), sender, salt)
    const hash = await senders.send(sender, { to: FACTORY_ADDRESS, data }).catch((error: unknown) => {
      throw new Error(failureText(abis.state.value.book, error))
    })
    await senders.included(hash)
    setCreated((count) => count + 1)
    return (
      <>
        <SentTransaction hash={hash} />
        {' · '}
        <a href={hrefOf({ view: 'stock', address, tab: 'actions' })}>its page and actions</a>
      </>
    )
  }
  return (
    <ActionForm
      fields={CREATE_FIELDS}
      action="Create"
      run={run}
      isDisabled={sender === undefined || (isBegun && stock.problem !== undefined)}
      onTexts={setTexts}
      note={
        <ActionNote
          problems={[isBegun ? stock.problem : undefined]}
          preview={stock.value && previewOf(stock.value, place.kind === 'ready' ? place.value.address : undefined)}
          command={signedCommand(createArgs(texts), { url: client.endpoint.http, sender: sender ?? '' })}
        />
      }
    />
  )
}

function previewOf({ symbol, decimals, supply }: NewStock, address: string | undefined): string {
  return `${symbol}: no stock → ${decimalOf(supply, decimals)} tokens${address === undefined ? '' : ` at ${address}`}`
}

/** Where the sender's next stock will be. The nonce of the transaction as salt gives each one another address. */
async function placeOf(
  node: NodeRequests,
  sender: string,
): Promise<{ readonly salt: string; readonly address: string }> {
  const nonce = bigintOf(await node.request('eth_getTransactionCount', [sender, 'pending'])) ?? 0n
  const salt = `0x${nonce.toString(16).padStart(64, '0')}`
  const call = { to: FACTORY_ADDRESS, data: createdAddressInput(sender, salt) }
  const output = await node.request('eth_call', [call, 'pending'])
  return { salt, address: String(stockOutput('getB20Address', output, 'factory')).toLowerCase() }
}
